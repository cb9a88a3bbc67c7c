#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A hang in each stage: the deadline of that stage, an error that names it, the console kept, the machine off; and a
# hypervisor is asked by its debug keys before that, while nobody else is.  (A lock that is held, and a scheduler that
# does not answer, are the hangs of stage acquire: locks.t.)
# shellcheck disable=SC2154,SC2119 # run sets out, err and rc; boots takes options, or none
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/machine.sh
. tests/machine.sh
real=
# shellcheck disable=SC2317
real_down() { [ -z "$real" ] || "$H" lab down real --force -q >/dev/null 2>&1; }
lib_at_exit real_down

# hangs STAGE REGEX WHAT: the last run failed there and so, as a fault of the lab, and nothing else did
hangs() {
	is "$rc" 3 "$3: a lab error"
	like "$err" "^harness: box: stage $1: $2" 'which names machine, stage and cause'
	one_line "$3"
	is "$(boot "outcome || ' ' || stage")" "lab $1" 'and is stored so'
	is "$(sql 'select count(*) from sample')" 0 'without a sample'
}
off_and_untouched() {
	is_off "$1: the machine is off"
	typed 'and nobody has typed on its console' ''
}

good=('load xen dummy' banner report)

# Power off.
power on
quirks 'deaf off'
# Which of the two says so, the stage or the driver, is a matter of a moment.
late='(did not finish the power command|did not end within|was in use by another command)'
machine 'power-off = 3s' 'done = 4s'
boots
hangs power-off "(power still reads on .* after it was to be off|.*$late).*\\(E_[A-Z]+\\)" 'a machine that does not go off'
machine 'power-off = 1s' 'done = 4s'
quirks 'stuck off'
boots
hangs power-off ".*$late.*\\(E_[A-Z]+\\)" 'a BMC that does not finish off'
quirks
power off

# Boot device.
quirks 'stuck bootdev-pxe'
machine 'boot-device = 1s'
plan script "${good[@]}"
boots
hangs boot-device ".*(did not take the boot override|$late).*\\(E_[A-Z]+\\)" \
	'a BMC that does not finish setting the boot device'
off_and_untouched 'boot device'

# Console.
quirks chatter
machine 'console = 1s' 'silence = 500ms'
boots
hangs console '(power reads off, but the console goes on|nothing more within 1\.0s: .*not silent while the power was off).*\(E_(POWER|TIMEOUT)\)' \
	'a console that talks while the power is off'
off_and_untouched 'a console that talks'
quirks
python3 tests/tools/console_peer.py full "$T/full" &
full=$!
for _ in $(seq 200); do [ -s "$T/full" ] && break; sleep 0.05; done
machine 'console = 1s'
sed -i "s/^port = .*/port = $(cat "$T/full")/" "$T/targets/box.ini"
boots
hangs console '.*(nothing answers at 127\.0\.0\.1|the console did not open).*\(E_[A-Z]+\)' 'a console that does not open'
off_and_untouched 'no console'
kill "$full"
wait "$full" 2>/dev/null

# Power on.
quirks 'deaf on'
machine 'power-on = 3s'
boots
hangs power-on "(the machine was told to power on and did not stay on: power still reads off|.*$late).*\\(E_[A-Z]+\\)" \
	'a machine that does not go on'
off_and_untouched 'a machine that does not go on'
quirks 'stuck on'
machine 'power-on = 1s'
boots
hangs power-on ".*$late.*\\(E_[A-Z]+\\)" 'a BMC that does not finish on'
off_and_untouched 'a BMC that does not finish on'
quirks

# Firmware, iPXE, load.
plan 'say Press F2 for setup'
machine 'firmware = 1s'
boots
hangs firmware 'nothing more within 1\.0s: the machine never asked for its boot script .*; last console line: "Press F2 for setup".*\(E_TIMEOUT\)' \
	'a machine that stays in its firmware'
off_and_untouched 'firmware'
is "$("$H" show last --console 1 | tr -d '\r')" 'Press F2 for setup' 'its console is kept'
plan 'say iPXE>' script
machine 'ipxe = 1s'
boots
hangs ipxe 'nothing more within 1\.0s: iPXE took the script and asked for no file; .*"iPXE>".*\(E_TIMEOUT\)' 'an iPXE that stops'
off_and_untouched 'iPXE'
plan script 'say loading' 'part xen'
machine 'load = 1s'
boots
hangs load 'nothing more within 1\.0s: iPXE did not finish loading the image; .*"loading".*\(E_TIMEOUT\)' 'a file that stops half way'
off_and_untouched 'a file'
is "$("$H" show last --console 1 | tr -d '\r')" loading 'its console is kept'
plan script 'load xen'
boots
hangs load 'nothing more within 1\.0s: iPXE did not finish loading the image.*\(E_TIMEOUT\)' 'a module that is not asked for'
off_and_untouched 'a module'

# Hypervisor.  Nobody is asked who did not say that he is Xen, started by this boot, or who has spoken after it.
machine 'hypervisor = 1s'
plan script 'load xen dummy'
boots
hangs hypervisor 'nothing more within 1\.0s: the hypervisor sent no probe report.*\(E_TIMEOUT\)' 'a hypervisor that says nothing'
unlike "$err" 'debug keys' 'and of debug keys there is no word'
off_and_untouched 'a silent hypervisor'
plan script 'load xen' answer hold banner 'say iPXE>' release 'load dummy'
boots
hangs hypervisor 'nothing more within .*"iPXE>" \(E_TIMEOUT\)' 'a firmware that is back after the hypervisor'
off_and_untouched 'a firmware that is back'
plan script 'load xen' answer banner 'load dummy'
boots
hangs hypervisor 'nothing more within 1\.0s: .*last console line: "\(XEN\) Brought up 8 CPUs"; Xen answers its debug keys on 1 CPU: CPU 0 is at flush_area_mask\+0xca/0x120 \(E_TIMEOUT\)' \
	'a hypervisor that hangs and answers'
is_off 'it is off'
typed 'the default key was typed, once' d
like "$("$H" show last --console 1)" "'d' pressed -> dumping registers" 'the answer is in its console log'
like "$("$H" show last --events)" 'console +debug keys "d" typed' 'and an event tells of the question'
like "$("$H" show last --events)" 'console +Xen answers its debug keys on 1 CPU' 'and one of the answer'
machine 'hypervisor = 1s' 'debug_keys = none'
boots
hangs hypervisor 'nothing more within .*"\(XEN\) Brought up 8 CPUs" \(E_TIMEOUT\)' 'a hypervisor that is not to be asked'
off_and_untouched 'not asked'

# Ctrl-C while the answer is waited for.
plan script 'load xen' banner 'load dummy'
machine 'hypervisor = 1s' 'debug_keys = tq'
rm -f "$M/typed"
"$H" run --machine box "${quick[@]}" >"$T/out" 2>"$T/err" &
asking=$!
for _ in $(seq 600); do [ -s "$M/typed" ] && break; sleep 0.1; done
kill -INT "$asking"
wait "$asking"
is "$?" 130 'Ctrl-C while a hypervisor is asked ends the run'
typed 'the keys of the target file were typed' tq
is "$(boot outcome)" interrupted 'at once'
unlike "$("$H" show last --events)" 'does not answer' 'without waiting for the answer'
is_off 'and the machine is off'

# Probe.
plan script 'load xen dummy' answer banner 'report to=4'
machine 'probe = 1s'
boots
hangs probe "nothing more within 1\\.0s: the probe's report did not end; .*HPP1 .*; Xen answers its debug keys on 1 CPU: .*\\(E_TIMEOUT\\)" \
	'a report that stops'
is_off 'a report that stops: the machine is off'
typed 'and was asked' d
like "$("$H" show last --console 1)" 'HPP1 .* WORK ' 'its console is kept'

# Done.
plan script "${good[@]}"
quirks 'deaf off'
machine 'done = 4s'
boots
is "$rc" 3 'a machine that does not go off at the end: a lab error'
like "$err" "^harness: box: stage done: could not leave the machine off: (power still reads on|.*$late).*\\(E_[A-Z]+\\)" \
	'which names machine, stage and cause'
one_line 'the end'
is "$(boot outcome),$(sql 'select count(*) from sample')" 'ok,3' 'what was measured is kept'
quirks
power off
# The real thing: a probe that measures for years.  The interrupt of the serial port reaches Xen all the same; where
# the port has none it is looked at between samples, and there is no between.
sed 's/^probe *= 2m/probe = 1s/; s/^idle.*/&\nretries = 0/' targets/vlab.ini >"$T/targets/real.ini"
real=up
"$H" lab up real >"$T/up" 2>&1 || bail "lab up: $(cat "$T/up")"
years=(--modes mixed --boots 1 --samples 20 --iterations 100000000 --warmup 0)
run "$H" run --machine real "${years[@]}"
is "$rc" 3 'a real hypervisor that hangs and answers: a lab error'
like "$err" '^harness: real: stage probe: nothing more within 1\.0s: .*; Xen answers its debug keys on [1-8] CPUs?: CPU [0-7] is at [a-z0-9_./#]+\+0x[0-9a-f]+/0x[0-9a-f]+ \(E_TIMEOUT\)' \
	'that says where it is'
like "$("$H" show last --console 1)" "\\(XEN\\) 'd' pressed -> dumping registers" 'its answer is kept'
like "$("$H" lab status real)" 'power off' 'and it is off'
sed -i 's/^serial *=.*/serial = com1=115200,8n1,0x3f8,0 console=com1/' "$T/targets/real.ini"
run "$H" run --machine real "${years[@]}"
is "$rc" 3 'a real hypervisor that hangs and does not answer: a lab error'
like "$err" '^harness: real: stage probe: nothing more within 1\.0s: .*; Xen does not answer its debug keys \(E_TIMEOUT\)' \
	'that says so'
like "$("$H" show last --console 1)" 'HPP1 .* BEGIN ' 'its console is kept'
like "$("$H" lab status real)" 'power off' 'and it is off'
"$H" lab down real -q
kill "$machine_peer" && wait "$machine_peer" 2>/dev/null
nothing_left 'no process is left of all that'
lib_done
