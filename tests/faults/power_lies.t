#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Power that obeys late, is reported falsely, refuses or times out: handled where it passes, and where it does not,
# E_POWER within the stage's deadline, or another driver where there is one.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/bmc_lies.sh
. tests/bmc_lies.sh
machine box
# What a lab has beside the BMC: it switches the same machine, and does not lie.
cat >"$T/targets/outlet" <<EOF2
#!/bin/sh
cd "$S/labs/box" || exit 1
case \$1 in
get) ./chassis get power | sed 's/power:1/on/; s/power:0/off/' ;;
on) ./chassis set power 1 ;;
off) ./chassis set power 0 ;;
bootdev-pxe) ./chassis set boot pxe ;;
*) exit 3 ;;
esac
EOF2
chmod +x "$T/targets/outlet"
cp "$T/targets/box.ini" "$T/plain.ini"
# with LINE…: the target as it was, with these lines in [bmc], and sed scripts
plain() { cp "$T/plain.ini" "$T/targets/box.ini"; }
with() {
	plain
	for s; do sed -i "$s" "$T/targets/box.ini"; done
}
outlet='s|^\[bmc\]|&\nfallback = command\ncommand = ./outlet|'
noise='s/^silence.*/silence = 2s/; s/^console *= *10s/console = 12s/'

# It goes off after ten more readings, and the first command and the first reading meet a busy BMC.
disk_on box
lie 'case $* in
"set power 0") : >"$F/late"; return 0 ;;
"get power") [ -e "$F/late" ] && [ "$(times late)" = 10 ] && { truth set power 0; rm "$F/late"; } ;;
esac'
rules 'answer 0 1 0xc0 1
answer 0 2 0xc3 1'
go box
is "$rc" 0 'a machine that stays on for long after it was turned off is waited for, and the run is good'
[ "$rc" = 0 ] || note "$err"
is "$(wc -l <"$F/n.late")" 10 'by reading again and again'
is "$(grep -c '^set power 0' "$F/asked")" 2 'without turning it off again and again'
like "$(events)" '^power: BMC .*"chassis power status" failed: .*busy.*; once more$' 'a BMC that is busy once is asked again'
is "$(hits answer 0 2)" 1 'and so is one whose command timed out'
is "$(events | grep '^power: o[nf]' | tr '\n' ' ')" 'power: off sent power: off, verified by 2 readings power: on sent ' \
	'the rest goes its way'

# Off, and the BMC takes nothing but on.
truth
rules 'answer 0 2 0xd5'
run "$H" machine power box cycle
is "$rc" 3 'a BMC that refuses is a lab error'
like "$err" 'box: .*failed: .*present state.*\(E_POWER\)' 'of the power, in its words'
one_line 'a BMC that refuses'
truth
ipmi box chassis power off >/dev/null
: >"$F/asked"
lie 'case $* in "set power 0") exit 1 ;; esac'
run "$H" machine power box cycle
is "$rc" 0 'cycle of a machine that is off, which the BMC would refuse, turns it on'
is "$(grep '^set' "$F/asked" | tr '\n' ' ')" 'set power 1 ' 'by on alone'

# "Off" is a lie, until it was told.
truth
ipmi box chassis power off >/dev/null
disk_on box
lie 'case $* in
"get power") [ -e "$F/told" ] || { echo power:0; return 0; } ;;
"set power 0") : >"$F/told" ;;
esac'
with "$noise"
go box
is "$rc" 0 'a machine that reads off and runs is found by its console, told to go off all the same, and the run is good'
[ "$rc" = 0 ] || note "$err"
like "$(events)" '^power: reads off, but the console goes on: off sent all the same$' 'with an event that says so'

# It neither tells the truth nor obeys.
truth
rm -f "$F/told"
disk_on box
lie 'case $* in "get power") echo power:0; return 0 ;; "set power 0") return 0 ;; esac'
go box
is "$rc" 3 'a machine that reads off, runs and does not obey is a lab error'
like "$err" 'box: stage console: power reads off, but the console goes on, so the machine runs: .*\(E_POWER\)' \
	'of the power, found by the console'
one_line 'a false reading'
like "$err" 'add a fallback' 'with the way out'
is "$(grep -c '^set power 1' "$F/asked")" 1 'and nothing was booted after the disk'
with "$noise" "$outlet"
go box
is "$rc" 0 'with another driver behind it the run is good'
[ "$rc" = 0 ] || note "$err"
like "$(events)" '^power: off by ipmi failed: reads off, but the console goes on; trying command$' 'which is an event'

# It stays on for good.
truth
disk_on box
lie 'case $* in "set power 0") return 0 ;; esac'
with 's/^power-off.*/power-off = 10s/'
go box
is "$rc" 3 'a machine that stays on for good is a lab error'
like "$err" 'box: stage power-off: power still reads on .* after it was to be off; .*\(E_POWER\)' 'of the power'
one_line 'a machine that stays on'
with 's/^power-off.*/power-off = 10s/' "$outlet"
run timeout -s INT 60 "$H" run --machine box "${quick[@]}"
is "$rc" 0 'with another driver behind it the run is good'
[ "$rc" = 0 ] || note "$err"
like "$(events)" '^power: off by ipmi failed: power still reads on .*; trying command$' 'which is an event'
lies_at_exit
nothing_left 'no process is left'
lib_done
