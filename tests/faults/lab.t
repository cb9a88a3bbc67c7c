#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The virtual lab while a run uses it, in odd folders, without file descriptors, and with a supervisor that
# does not answer: one clear line, the documented status, nothing left behind.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets"
# CPUs that never start: a run that lasts, and does nothing.
sed 's/^\[lab\]/&\nqemu_args = -S/; s/^idle.*/&\nretries = 0/; s/^power *=.*/power = 2s/' targets/vlab.ini \
	>"$T/targets/box.ini"
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0 --targets "$T/targets")
export HARNESS_STATE=$S HARNESS_TARGETS=$T/targets
lab() { "$H" lab status box --json | sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p"; }
under() { pgrep -P "$1" -x "$2"; }
cleanup() {
	local d

	for d in "$S" "$T"/[nl]*/state; do
		[ -d "$d" ] && "$H" lab down box --force -q --state "$d" >/dev/null 2>&1
	done
}
lib_at_exit cleanup

# begin: a run in the background whose machine is on; $first
begin() {
	"$H" run --machine box "${quick[@]}" >"$T/o1" 2>"$T/e1" &
	first=$!
	for _ in $(seq 300); do
		"$H" lab status box | grep -q 'power on' && return
		sleep 0.1
	done
	bail "the run does not begin: $(cat "$T/e1")"
}

# A run and its own lab.
begin
serve=$(lab pid)
like "$("$H" lab status box)" 'up, of a run' 'status tells the lab of a run'
is "$(lab stays)" false 'and so does its JSON'
like "$("$H" runs)" ' box .* under way$' 'runs tells that it is under way'
like "$("$H" machine list)" '^ +last run .* good, under way$' 'and so does the list of machines'
run "$H" lab down box
is "$rc" 6 'down during a run is busy'
like "$err" "box is in use by run [0-9a-f]{8} .*pid $first" 'and names the holder'
like "$err" '[-]-force' 'and the way out'
one_line 'down during a run'
run "$H" lab up box
is "$rc" 6 'up of a lab that a run will end is busy'
like "$err" "run [0-9a-f]{8} .*pid $first" 'and names the holder'
one_line 'up during a run'
is "$(lab pid)" "$serve" 'the lab is as it was'
like "$(cat "$S/locks/box.lock")" "^run .*pid $first" 'and so is the lock'
run "$H" lab down box --force
is "$rc" 0 'down --force ends it all the same'
is "$(lab running)" false 'and it has gone'
is "$("$H" runs --json | grep -c '"under_way": true')" 1 'and the JSON'
kill -INT "$first"
wait "$first"
nothing_left 'no process is left of it'

# A supervisor that hangs does not outlive its run, nor does what it has started.
begin
kill -STOP "$(lab pid)" "$(under "$(lab pid)" ipmi_sim)"
before=$(date +%s)
kill -INT "$first"
wait "$first"
took=$(($(date +%s) - before))
[ "$took" -lt 60 ]
ok $? "a run whose lab hangs ends (in $took s)"
nothing_left 'no process is left of a lab that hangs'
is "$(find "$S/labs/box" -name password -o -name lan.conf -o -name '*.sock')" '' 'and neither are its secrets'

# One that stays, and hangs.
run "$H" lab up box
is "$rc" 0 'the lab comes up'
like "$out" 'up, stays' 'and stays'
serve=$(lab pid)
kill -STOP "$serve"
run "$H" lab down box
is "$rc" 3 'a lab that does not answer is a lab error'
like "$err" 'does not answer.*--force' 'with the way out'
one_line 'a lab that does not answer'
run "$H" lab down box --force
is "$rc" 0 'down --force ends it'
nothing_left 'no process is left of it'

# A killed controller is still told after somebody has ended its lab.
echo 'run 1234abcd (gone)' >"$S/locks/box.lock"
run "$H" lab down box
is "$rc" 0 'down after a controller has died'
is "$(cat "$S/locks/box.lock")" 'run 1234abcd (gone)' 'the next controller learns of it'
: >"$S/locks/box.lock"

# A run uses a lab that stays: so does an `up` meanwhile; the run leaves it.
run "$H" lab up box
begin
run "$H" lab up box
is "$rc" 0 'up of a lab that stays, during a run, is success'
run "$H" lab down box
is "$rc" 6 'down of it is busy'
kill -INT "$first"
wait "$first"
is "$(lab running)" true 'it stays after the run'
"$H" lab down box -q

# One that does not come up is ended.
mkdir "$T/bin"
printf '#!/bin/sh\nexec sleep 100\n' >"$T/bin/ipmi_sim"
chmod +x "$T/bin/ipmi_sim"
run env PATH="$T/bin:$PATH" "$H" lab up box
is "$rc" 3 'a lab whose BMC does not come up is a lab error'
like "$err" 'box: .*did not come up; see .*/labs/box' 'and names the logs'
one_line 'a lab that does not come up'
nothing_left 'no process is left of it'

# Odd names.
run "$H" lab down ../box
is "$rc" 2 'what cannot be the name of a machine is a usage error'
one_line 'no name of a machine'
odd=$T/n$'\xff\xe9'/state
run "$H" lab up box --state "$odd"
is "$rc" 0 'a state folder whose name is not UTF-8 works'
run "$H" lab status box --state "$odd" --json
like "$out" '"running": true' 'status reads it'
like "$out" '"password_file": ".*/labs/box/password"' 'its JSON has the password file'
run "$H" lab down box --state "$odd"
is "$rc" 0 'and down ends it'
long=$T/l$(printf '%0.s/0123456789012345678901234567890123456789' $(seq 20))/state
run "$H" lab up box --state "$long"
is "$rc" 0 'a state folder with a long name works'
run "$H" lab status box --state "$long" --json
password=$(sed -n 's/.*"password_file": "\(.*\)".*/\1/p' <<<"$out")
is "$(wc -c <"$password")" 16 'and its password file is where status says'
run "$H" lab down box --state "$long"
is "$rc" 0 'and down ends it'
nothing_left 'no process is left of odd folders'

# Without file descriptors.
"$H" lab up box <&- >&- 2>&-
is "$?" 0 'up works without standard input and output'
is "$(lab running)" true 'and has started the lab'
"$H" lab down box -q
for n in $(seq 4 14); do
	(ulimit -n "$n" && exec "$H" lab up box) >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	case $rc in
	0) "$H" lab down box -q ;;
	3) one=$(grep -c '^harness: ' "$T/err"); [ "$one" = 1 ] || note "$n: $(cat "$T/err")" ;;
	*) break ;;
	esac
	[ "$rc" = 0 ] || [ "$one" = 1 ] || break
done
is "$n" 14 'up with few file descriptors works, or one line says why not'
[ "$n" = 14 ] || note "$n: $rc $(cat "$T/err")"
nothing_left 'and nothing is left of that'
lib_done
