#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A console that is lost in the middle of a probe report: the samples are exact where the second pass has what
# the first lacks; else the boot fails for the console's sake, and for nobody else's.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets"
few=(--modes mixed --boots 1 --samples 20 --iterations 50 --warmup 0 --state "$S" --targets "$T/targets")
peer=
# shellcheck disable=SC2317
cleanup() {
	[ -z "$peer" ] || kill "$peer" 2>/dev/null
	"$H" lab down vlab --force -q --state "$S" --targets "$T/targets" >/dev/null 2>&1
}
lib_at_exit cleanup
sql() { sqlite3 "$S/harness.db" "$1"; }
# The last boot's FIELD.
boot() { sql "select $1 from boot where id = (select max(id) from boot)"; }

cp targets/vlab.ini "$T/targets"
run "$H" lab up vlab --state "$S" --targets "$T/targets" --json
serial=$(sed -n 's/.*"serial_port": \([0-9]*\).*/\1/p' <<<"$out")

# gap CUT RESUME [PROBE-DEADLINE [LINGER]]: a run whose console is away from CUT to RESUME; the client then ends
# LINGER seconds after it was hung up on
gap() {
	local port

	rm -f "$T/port"
	python3 tests/tools/console_gap.py "$serial" "$T/port" "$1" "$2" 2>"$T/peer" &
	peer=$!
	for _ in $(seq 200); do [ -s "$T/port" ] && break; sleep 0.05; done
	port=$(cat "$T/port")
	sed "s/^driver *= sol/driver = command\\ncommand = exec socat -t ${4:-0} - TCP:127.0.0.1:$port/
		s/^probe *=.*/probe = ${3:-60s}/; s/^idle.*/&\\nretries = 0/" targets/vlab.ini \
		>"$T/targets/vlab.ini"
	run "$H" run --machine vlab "${few[@]}"
	kill "$peer" 2>/dev/null
	wait "$peer" 2>/dev/null
	peer=
}

gap 1:5 1:9
is "$rc" 0 'a gap in the first pass is covered by the second'
[ "$rc" = 0 ] || note "$err $(cat "$T/peer")"
is "$(boot outcome)" ok 'its boot is good'
is "$(sql 'select count(*) from sample')" 20 'with all its samples'
like "$(boot flags)" 'console away for .* in stage probe' 'and flagged'
like "$(boot flags)" '[4-6] records taken from another pass' 'as one whose records came from two passes'
like "$(sql "select detail from event where what = 'console'")" '^lost: .*command ended' 'the loss is an event'
like "$(sql "select detail from event where what = 'console'")" '^back after .*, [0-9]+ (try|tries); lost 1 time' \
	'and so is the return, with the tries that it took'

gap 1:5 2:9
is "$rc" 3 'a gap that reaches into the last pass is a lab error'
like "$err" 'vlab: stage probe: the console was away for .* from stage probe on.*records are damaged or missing.*\(E_GAP\)' \
	'named with its length and what is missing'
one_line 'a gap'
is "$(boot outcome)" lab 'no fault of the hypervisor'
is "$(sql 'select count(*) from sample')" 20 'and gives no sample'

# The client ends at once each time: it is tried again and again, less and less often.
gap 1:5 never 4s
is "$rc" 3 'a console that does not come back is a lab error'
like "$err" 'vlab: stage probe: the console was away for .*nothing more within 4\.0s.*\(E_GAP\)' \
	'at the latest at the deadline of the stage'
one_line 'a console that is gone'

gap 1:5 never 60s 1
is "$rc" 3 'a console that is lost again and again is a lab error'
like "$err" 'vlab: stage probe: console lost 4 times: .*\(E_CONSOLE\)' 'after the fourth time'
one_line 'a console that is lost again and again'
like "$("$H" lab status vlab --state "$S")" 'power off' 'and the machine is off'
"$H" lab down vlab --state "$S" --targets "$T/targets" -q
nothing_left 'no process is left of all that'
lib_done
