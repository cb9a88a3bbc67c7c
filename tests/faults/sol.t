#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Serial over LAN that is held, refused, dropped or damaged: the samples are exact, or the boot fails for the
# console's sake.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/bmc_lies.sh
. tests/bmc_lies.sh
DRIVER=$(realpath "${BUILD:-build}/tests/tools/bmc_driver")
export HARNESS_DATA=$PWD
machine box

# Refused.
rules 'answer 6 0x48 0x80'
go box
is "$rc" 3 'SOL that somebody else takes again and again is a lab error'
like "$err" 'box: stage console: SOL of BMC .* is held by another session that comes back each time.*\(E_CONSOLE\)' 'named'
one_line 'SOL that is held'
is "$(hits answer 6 0x48)" 3 'it was tried three times'
truth
rules 'answer 6 0x48 0xc0'
go box
is "$rc" 3 'SOL that does not open three times is a lab error'
like "$err" 'box: stage console: BMC .* opens no SOL session in 3 tries: .*[Bb]usy.*\(E_CONSOLE\)' 'with the reason of the BMC'
one_line 'SOL that does not open'
is "$(hits answer 6 0x48)" 3 'it was tried three times'
truth
rules 'answer 6 0x48 0x81'
go box
like "$err" 'box: stage console: SOL is switched off on BMC .*enable it there.*\(E_CONSOLE\)' 'SOL that is switched off is told as that'
is "$(hits answer 6 0x48)" 1 'at once'
unlike "$(cat "$F/asked")" 'set power 1' 'and nothing was booted'

# All on one day: a session that was left by somebody who died, SOL that refuses twice, is dropped as the machine is
# turned on, and loses and repeats bytes in the first pass.
truth
timeout 60 "$DRIVER" 127.0.0.1 "$port" harness "$S/labs/box/password" cipher=1 open sleep=60000 >"$T/left" 2>/dev/null &
job=$!
for _ in $(seq 400); do
	grep -q '^open .* ok' "$T/left" && break
	sleep 0.05
done
like "$(cat "$T/left")" '^open [0-9]+ ok' 'somebody has the console'
kill -9 "$(pgrep -x -P "$job" bmc_driver)"
wait "$job" 2>/dev/null
lie 'case $* in "set power 1")
	truth set power 1
	ipmitool -I lanplus -C 1 -H 127.0.0.1 -p '"$port"' -U harness -f '"$S/labs/box/password"' sol deactivate \
		</dev/null >"$F/dropped" 2>&1 &
	return 0 ;;
esac'
rules 'answer 6 0x48 0x80 2
lose 1:5 30
repeat 1:9 40'
go box --samples 20
is "$rc" 0 'with a stale session, a busy BMC, SOL that is dropped at power-on, and lost and repeated bytes the run is good'
[ "$rc" = 0 ] || note "$err $(cat "$F/dropped")"
is "$(hits answer 6 0x48)" 2 'SOL was refused twice'
like "$(events)" '^console: lost: the SOL session to BMC .* broke off' 'the loss is an event'
like "$(events)" '^console: back after .* lost 1 time in this boot' 'and so is the return'
like "$(boot flags)" 'console away for .* in stage (power-on|firmware)' 'the boot is flagged for the gap'
like "$(boot flags)" '[1-9] records? taken from another pass' 'and for what was damaged'
exact 'the samples are those that the machine sent'

# Both passes lose the same record.
truth
rules 'lose 1:7 30
lose 2:7 30'
go box --samples 20
is "$rc" 5 'a record that both passes lack fails the measurement'
like "$err" 'box: stage probe: .*(damaged|missing).*\(E_[A-Z]+\)' 'which says so'
one_line 'a record that both passes lack'
is "$(sql 'select count(*) from sample where boot = (select max(id) from boot)')" 0 'and gives no sample'
lies_at_exit
nothing_left 'no process is left'
lib_done
