#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A SOL session that vanishes while its BMC goes on to answer: it is noticed, and what is missing is never the
# hypervisor's fault.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/bmc_lies.sh
. tests/bmc_lies.sh
machine box

# In the middle of the boot.  The machine's report is held back until there is a console again: a slow machine.
rules 'hole banner
hold 1:0'
"$H" run --machine box "${quick[@]}" --samples 20 -v >"$T/o1" 2>"$T/e1" &
job=$!
for _ in $(seq 1200); do
	events 2>/dev/null | grep -q '^console: back after' && break
	sleep 0.1
done
: >"$F/release"
wait "$job"
is "$?" 0 'a SOL session that vanishes in the middle of a boot is noticed and opened again, and the run is good'
err=$(cat "$T/e1")
is "$(boot outcome)" ok 'its boot is good'
[ "$(boot outcome)" = ok ] || note "$err"
like "$(events)" '^console: lost: the SOL session to BMC .* broke off' 'the loss is an event'
like "$(events)" '^console: back after .* lost 1 time in this boot' 'and so is the return'
like "$(boot flags)" 'console away for' 'and the boot is flagged'
exact 'the samples are those that the machine sent'

# In the middle of the report, and the machine restarts before anybody could notice.
truth
sed -i 's/^idle.*/&\nbetween_boots = restart/' "$T/targets/box.ini"
lab_again box
rules 'hole 1:3'
go box --samples 20 --boots 2
first() { sql "select $1 from boot where id = (select min(id) from boot where run = $(run_id))"; }
is "$rc" 3 'a SOL session that vanishes in the middle of the report is a lab error'
like "$(first "err_msg || ' (' || err_code || ')'")" 'stage probe: the console was away for .* from stage probe on.*\(E_GAP\)' 'of the console, not of the hypervisor'
one_line 'SOL that vanishes'
is "$(first outcome)" lab 'so says the outcome'
like "$(events)" '^console: silent for .* although the machine has restarted: it is dead' 'and an event says how it was found'
lies_at_exit
nothing_left 'no process is left'
lib_done
