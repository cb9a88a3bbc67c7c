#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Who has a machine: locks, waiting, outside schedulers, and holders that are killed.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets"
(umask 077 && echo sesame-not-this >"$T/password")

# A BMC that never says a word, and writes down who spoke to it.
python3 - "$T/bmc" <<'PY' &
import os, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
s.settimeout(600)
with open(sys.argv[1] + ".tmp", "w") as f:
    f.write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".tmp", sys.argv[1] + ".port")
with open(sys.argv[1] + ".heard", "w") as f:
    while True:
        f.write("%d bytes from %s\n" % (len((d := s.recvfrom(2048))[0]), d[1]))
        f.flush()
PY
deaf=$!
end_deaf() { kill "$deaf" 2>/dev/null && wait "$deaf" 2>/dev/null; }
lib_at_exit end_deaf
for _ in $(seq 100); do [ -s "$T/bmc.port" ] && break; sleep 0.1; done

# machine NAME LINE…: behind that BMC; lines go into [machine]
machine() {
	local name=$1

	shift
	sed -n '1,/^\[lab\]/{/^\[lab\]/!p}' targets/vlab.ini |
		sed "s|^mac .*|mac = 02$(md5sum <<<"$T$name" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\).*/:\1:\2:\3:\4:\5/')|
			s|^listen.*|listen = 127.0.0.1:$(free_port tcp)\nurl = http://10.0.2.2:1|
			s|^\\[bmc\\]|&\\nhost = 127.0.0.1\\nport = $(cat "$T/bmc.port")\\npassword_file = $T/password|
			s|^idle.*|&\\nretries = 0\\n$*|" >"$T/targets/$name.ini"
	"$H" machine show "$name" --targets "$T/targets" >/dev/null || bail "machine $name"
}
machine deaf
mac=$(sed -n 's/^mac = //p' "$T/targets/deaf.ini")
common=(--state "$S" --targets "$T/targets")
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0 "${common[@]}")

# until FILE REGEX: wait (30 s) for a line
until_line() {
	for _ in $(seq 300); do grep -Eqs -- "$2" "$1" && return 0; sleep 0.1; done
	return 1
}

# An outside scheduler: what it does at each verb is in files named after the verbs.
sched() { # VERB SCRIPT…: pairs
	rm -f "$T"/sched.*
	while [ $# -gt 0 ]; do
		printf '%s\n' "$2" >"$T/sched.$1"
		shift 2
	done
}
cat >"$T/sched" <<'SH'
#!/bin/bash
here=$(dirname "$0")
printf '%s %s [%s] [%s] [%s]\n' "$1" "$2" "$HARNESS_LOCK_HOLDER" "$HARNESS_LOCK_RUN" "$HARNESS_LOCK_WAIT" >>"$here/sched.calls"
[ ! -e "$here/sched.$1" ] || . "$here/sched.$1"
SH
chmod +x "$T/sched"
calls() { cut -d' ' -f1 "$T/sched.calls" 2>/dev/null | uniq | xargs; }
locked=(run --machine deaf "${quick[@]}" --lock "exec:$T/sched")

# Busy: who, where, since when; and the BMC hears nothing of it.
# The holder is one whose scheduler takes its time: it has the lock of this host, and stays.
sched acquire 'sleep 100'
"$H" "${locked[@]}" --wait >"$T/o1" 2>"$T/e1" &
first=$!
until_line "$T/sched.calls" acquire
run "$H" run --machine deaf "${quick[@]}"
is "$rc" 6 'a machine in use is busy'
like "$err" "^harness: deaf is in use by run [0-9a-f]{8} \\([^ ]+ on [^ ]+, pid $first, since 20[-0-9T:]+Z\\); --wait waits for it" \
	'its holder is named, with host and since when'
one_line 'busy'
mkdir "$T/other" && cp -al "$S/images" "$T/other/images"
run "$H" run --machine deaf "${quick[@]}" --state "$T/other"
is "$rc" 6 'also for whoever has another state folder'
like "$err" "deaf \\($mac\\) is in use by another run on this host \\([^ ]+, pid $first, since 20[-0-9T:]+Z\\)" \
	'who learns which process has it'
run "$H" run --machine deaf "${quick[@]}" --wait=1s
is "$rc" 6 '--wait ends as busy at its deadline'
like "$err" "deaf is in use by run .*; waiting for it" 'says on the terminal for whom it waits'
like "$err" '^harness: deaf is in use by .*; waited 1\.[0-9]s \(E_BUSY\)' 'and at its end how long it did'
one_line 'wait'
"$H" run --machine deaf "${quick[@]}" --wait >"$T/o2" 2>"$T/e2" &
second=$!
until_line "$T/e2" 'waiting for it'
kill -INT "$second"
wait "$second"
is "$?" 130 'Ctrl-C ends a wait with 130'
"$H" run --machine deaf "${quick[@]}" --wait=10m >"$T/o2" 2>"$T/e2" &
second=$!
until_line "$T/e2" 'waiting for it'
is "$(wc -l <"$T/bmc.heard")" 0 'the BMC is sent nothing by whoever waits or is busy'
kill -TERM "$first"
wait "$first"
is "$?" 130 'the holder is ended'
until_line "$T/e2" ': run .*flush-all'
ok $? 'and whoever waited begins by itself'
kill -TERM "$second" 2>/dev/null
wait "$second"

run flock -n "$S/locks/deaf.lock" "$H" run --machine deaf "${quick[@]}"
is "$rc" 6 'a lock without a name is a lock all the same'

run "$H" run --machine deaf "${quick[@]}" --wait=soon
is "$rc" 2 'a time that is none is a usage error'
one_line 'time'

# An outside scheduler that works, or does not.
sched
run "$H" "${locked[@]}"
is "$rc:$(calls)" '3:acquire release' 'a scheduler is asked, and told of the end of a run that failed'
like "$(cat "$T/sched.calls")" '^acquire deaf \[run [0-9a-f]{8} \(.* on .*\)\] \[[0-9a-f-]{36}\] \[0\]$' 'its environment names holder and run'
heard=$(wc -l <"$T/bmc.heard")
sched acquire 'echo held by somebody on ctl2; exit 6'
run "$H" "${locked[@]}"
is "$rc:$(calls)" '6:acquire' 'who is refused by it ends as busy'
like "$err" '^harness: deaf is in use: held by somebody on ctl2 ' 'with its words'
one_line 'refused'
sched acquire 'echo no such licence >&2; exit 1'
run "$H" "${locked[@]}"
is "$rc:$(calls)" '3:acquire' 'a scheduler that fails is a lab error'
like "$err" 'sched acquire deaf: status 1: no such licence \(E_LOCK\)' 'with its words'
one_line 'failing scheduler'
run "$H" run --machine deaf "${quick[@]}" --lock "exec:$T/nothing"
is "$rc" 3 'so is one that is not there'
one_line 'missing scheduler'
run "$H" run --machine deaf "${quick[@]}" --lock "$T/sched"
is "$rc" 2 'a lock of no known kind is a usage error'
sched acquire 'sleep 100'
run "$H" "${locked[@]}" --wait=1s
is "$rc:$(calls)" '3:acquire release' 'one that hangs is ended after the wait, and told to release'
like "$err" 'sched acquire deaf: did not end in time \(E_LOCK\)' 'and named'
one_line 'hanging scheduler'
"$H" "${locked[@]}" --wait >"$T/o1" 2>"$T/e1" &
first=$!
until_line "$T/sched.calls" forever
kill -INT "$first"
wait "$first"
is "$?:$(calls)" '130:acquire release acquire release' 'Ctrl-C ends the wait for it, and it is told'
is "$(wc -l <"$T/bmc.heard")" "$heard" 'the BMC has heard nothing of all that'

sched renew "[ \$(grep -c renew \"$T/sched.calls\") -lt 2 ] || { echo taken by the night shift; exit 1; }"
run "$H" "${locked[@]}" --renew 2s
is "$rc:$(calls)" '3:acquire renew release' 'a lost renewal ends the run'
like "$err" '^harness: deaf: the lock was lost: .*sched renew deaf: status 1: taken by the night shift \(E_LOCK\)' 'and is named'
one_line 'lost lock'
sched renew 'sleep 100'
run "$H" "${locked[@]}" --renew 2s
is "$rc:$(calls)" '3:acquire renew release' 'so does one that hangs'
sched release 'echo server is down; exit 9'
run "$H" "${locked[@]}"
is "$rc:$(calls)" '3:acquire release' 'a release that fails changes no status'
like "$err" 'deaf: the lock may not have been given back: .*sched release deaf: status 9: server is down' 'and is said'
is "$(cat "$S/locks/deaf.lock")" '' 'the lock of this host is free after all that'
sched
run flock -n "$S/locks/deaf.lock" "$H" "${locked[@]}"
is "$rc:$(calls)" '6:' 'whoever does not have the lock of this host does not ask the scheduler'

# Two that start in the same millisecond, many times: both wait in a pipe for the same end of file.
sched acquire 'sleep 100'
python3 - "$H" "$S" "$T/targets" "$T/sched" >"$T/race" 2>&1 <<'PY'
import os, re, signal, subprocess, sys
h, state, targets, sched = sys.argv[1:]
args = [h, "run", "--machine", "deaf", "--modes", "mixed", "--boots", "1", "--samples", "3", "--iterations", "50",
        "--warmup", "0", "--state", state, "--targets", targets, "--lock", "exec:" + sched]
bad = unnamed = 0
for i in range(int(os.environ.get("RACES", 200))):
    r, w = os.pipe()
    ps = []
    for _ in range(2):
        p = subprocess.Popen(["bash", "-c", 'read -r _ <&%d; exec "$@"' % r, "-"] + args, pass_fds=[r],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        ps.append(p)
    os.close(r)
    os.close(w)
    # The one that has it stays with its slow scheduler; the other one ends.
    while all(p.poll() is None for p in ps):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    loser = ps[0] if ps[0].poll() is not None else ps[1]
    winner = ps[1] if loser is ps[0] else ps[0]
    said = loser.stderr.read().decode()
    alive = winner.poll() is None
    if alive:
        winner.send_signal(signal.SIGTERM)
    winner.communicate()
    if loser.returncode != 6 or not alive or winner.returncode != 130:
        bad += 1
        print("# round %d: %s, %s: %s" % (i, loser.returncode, winner.returncode, said))
    elif "pid %d," % winner.pid not in said:
        unnamed += 1
        print("# round %d: %s" % (i, said))
print("%d wrong, %d unnamed" % (bad, unnamed))
PY
is "$(tail -n 1 "$T/race")" '0 wrong, 0 unnamed' 'of two runs that start together one has the machine, 200 times of 200'
[ "$(tail -n 1 "$T/race")" = '0 wrong, 0 unnamed' ] || note "$(head -n 20 "$T/race")"

# A machine that keeps failing is put aside.
machine tired
sed -i 's/^retries.*/retries = 1/' "$T/targets/tired.ini"
run "$H" run --machine tired "${quick[@]}"
is "$rc" 3 'a machine that fails twice on end is a lab error'
one_line 'tired machine'
like "$err" '^ +the machine is in quarantine now; when it is mended: harness machine recover tired' 'and in quarantine from then on'
heard=$(wc -l <"$T/bmc.heard")
run "$H" run --machine tired "${quick[@]}"
is "$rc" 3 'the next run does not begin'
like "$err" '^harness: tired is in quarantine since .* \(run [0-9a-f]{8}\): tired: stage power-off: .*\(E_QUARANTINE\)' 'and says since when and why'
one_line 'quarantine'
is "$(wc -l <"$T/bmc.heard")" "$heard" 'the BMC is sent nothing'
like "$("$H" machine list "${common[@]}")" '^ +last run [0-9a-f]+, .*: 0 of 1 boots good; tired: stage power-off' \
	'the list shows the last run'

# A controller that is killed in each stage, while the lab stays: the next one is the next victim.
cp targets/vlab.ini "$T/targets"
run "$H" lab up vlab "${common[@]}"
is "$rc" 0 'the lab comes up'
[ "$rc" = 0 ] || bail "lab: $err"
last=
for stage in acquire power-off boot-device console power-on firmware ipxe load hypervisor probe; do
	"$H" run --machine vlab "${quick[@]}" --samples 200 -v >"$T/o1" 2>"$T/e1" &
	first=$!
	until_line "$T/e1" "boot 1/1 mixed: $stage\$" || note "$(tail -n 3 "$T/e1")"
	kill -KILL "$first"
	wait "$first" 2>/dev/null
	until_line "$T/e1" "boot 1/1 mixed: $stage\$"
	ok $? "a controller is killed in stage $stage"
	[ -z "$last" ] ||
		like "$(cat "$T/e1")" "vlab: the last controller died without ending: run .*, pid $last, since" \
			'it had found the one before it'
	is "$(sqlite3 "$S/harness.db" 'pragma integrity_check; pragma foreign_key_check')" ok 'the database is intact'
	flock -n "$S/locks/vlab.lock" true
	ok $? 'the lock is free'
	last=$first
done
like "$("$H" machine list "${common[@]}")" '^vlab +virtual +free' 'the list does not take a killed holder for a live one'
like "$("$H" runs -n 1 --state "$S")" ' vlab .* not ended, or killed$' 'nor a killed run for one that is under way'
run "$H" machine recover vlab "${common[@]}"
is "$rc" 0 'the machine can be recovered'
like "$out" "^  lock +WARN +the last controller died without ending: run .*, pid $last, since" 'which says what it found'
like "$out" '^  runs +WARN +1 that never ended' 'marks the run'
like "$out" '^  power +ok +off' 'and leaves the machine off'
is "$(sqlite3 "$S/harness.db" "select count(*) from run where machine = (select id from machine where name = 'vlab')
	and not ended")" 0 'no run is left that seems to go on'
run "$H" run --machine vlab "${quick[@]}"
is "$rc" 0 'and the next run is good'
unlike "$err" 'died' 'and has nothing to clean up'
run "$H" lab down vlab "${common[@]}"
end_deaf
nothing_left 'no process is left of all that'
lib_done
