#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bad input and broken labs: one clear line, the documented status, nothing lost, nothing left behind.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets"
cp targets/*.ini "$T/targets"
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0 --state "$S" --targets "$T/targets")

# What is wrong before anything starts.
run "$H" run --machine epyc975 "${quick[@]}"
is "$rc" 2 'an unknown machine is a usage error'
like "$err" 'epyc9754' 'and the nearest name is offered'
one_line 'unknown machine'

sed 's/^cipher/ciper/' targets/vlab.ini >"$T/targets/bad.ini"
line=$(grep -n '^ciper' "$T/targets/bad.ini" | cut -d: -f1)
run "$H" run --machine bad "${quick[@]}"
is "$rc" 2 'a malformed key is a usage error'
like "$err" "bad\\.ini:$line: .*ciper.*did you mean .cipher" 'named by file and line, with the right key'
one_line 'malformed key'

rm -f "$T/targets/bad.ini"
run "$H" run --machine vlab "${quick[@]}" --args 'x"y'
is "$rc" 2 'a command line that iPXE would not pass on is a usage error'
one_line 'command line'

# A BMC that cannot be used.  real NAME BMC-PORT PASSWORD-FILE
http=$(free_port tcp)
real() {
	sed -n '1,/^\[lab\]/{/^\[lab\]/!p}' targets/vlab.ini |
		sed "s|^\\[bmc\\]|&\\nhost = 127.0.0.1\\nport = $2\\npassword_file = $3|
			s|^listen.*|listen = 127.0.0.1:$http\\nurl = http://10.0.2.2:$http|" >"$T/targets/$1.ini"
}
(umask 077 && echo sesame-not-this >"$T/wrong")

real nobody "$(free_port udp)" "$T/wrong"
run "$H" run --machine nobody "${quick[@]}"
is "$rc" 3 'a BMC that does not answer is a lab error'
like "$err" 'nobody: stage power-off: .*127\.0\.0\.1:[0-9]+.*\(E_BMC\)' 'named with machine, stage and address'
one_line 'no BMC'

python3 - "$T/garbage.port" <<'EOF' &
import os, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
s.settimeout(120)
with open(sys.argv[1] + ".tmp", "w") as f:
    f.write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".tmp", sys.argv[1])
try:
    while True:
        data, peer = s.recvfrom(2048)
        s.sendto(bytes((b * 7 + 13) & 255 for b in data) + b"garbage", peer)
except socket.timeout:
    pass
EOF
garbage=$!
for _ in $(seq 100); do [ -s "$T/garbage.port" ] && break; sleep 0.1; done
real garbage "$(cat "$T/garbage.port")" "$T/wrong"
run "$H" run --machine garbage "${quick[@]}"
is "$rc" 3 'a BMC port that answers garbage is a lab error'
like "$err" 'garbage: stage power-off: .*\(E_BMC\)' 'named with machine and stage'
one_line 'garbage'
kill "$garbage"
wait "$garbage" 2>/dev/null

run "$H" lab up --state "$S" --json
is "$rc" 0 'the lab comes up for the next tests'
port=$(sed -n 's/.*"bmc_port": \([0-9]*\).*/\1/p' <<<"$out")
real wrong "$port" "$T/wrong"
run "$H" run --machine wrong "${quick[@]}"
is "$rc" 3 'a wrong password is a lab error'
like "$err" 'wrong: stage power-off: .*password.*\(E_AUTH\)' 'and is told from a BMC that does not answer'
one_line 'wrong password'
unlike "$out$err" 'sesame' 'the password is in no output'
is "$(sqlite3 "$S/harness.db" .dump | grep -c sesame)" 0 'and not in the database'
is "$(cat "$S/locks/wrong.lock")" '' 'the lock is free again'

# Our HTTP port is taken.
python3 - "$http" "$T/taken" <<'EOF' &
import socket, sys, time
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1])))
s.listen()
open(sys.argv[2], "w").write("x")
time.sleep(120)
EOF
taken=$!
for _ in $(seq 100); do [ -s "$T/taken" ] && break; sleep 0.1; done
run "$H" run --machine wrong "${quick[@]}"
is "$rc" 3 'a port in use is a lab error'
like "$err" "127\\.0\\.0\\.1:$http.*in use.*\\(E_PORT\\)|in use.*127\\.0\\.0\\.1:$http.*\\(E_PORT\\)" 'named with address and port'
one_line 'port in use'
kill "$taken"
wait "$taken" 2>/dev/null

# Two runs on one machine; then Ctrl-C.
"$H" run --machine vlab "${quick[@]}" >"$T/o1" 2>"$T/e1" &
first=$!
for _ in $(seq 300); do grep -q ' run ' "$T/e1" && break; sleep 0.1; done
run "$H" run --machine vlab "${quick[@]}"
is "$rc" 6 'a machine in use is busy'
like "$err" "vlab is in use by run [0-9a-f]{8} \\(.* pid $first, since" 'and its holder is named'
one_line 'busy'
for _ in $(seq 300); do
	"$H" lab status --state "$S" | grep -q 'power on' && break
	sleep 0.1
done
# From the file, or grep itself would have it in an argument.
is "$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -c -F -f "$S/labs/vlab/password")" 0 \
	'the password is in no argument'
before=$(date +%s%N)
kill -INT "$first"
wait "$first"
is "$?" 130 'Ctrl-C ends a run with 130'
took=$((($(date +%s%N) - before) / 1000000))
[ "$took" -lt 8000 ]
ok $? "soon (in $took ms)"
like "$("$H" lab status --state "$S")" 'power off' 'the machine is left as its idle state says'
like "$("$H" runs --state "$S")" 'interrupted' 'the run is marked'
is "$(cat "$S/locks/vlab.lock")" '' 'its lock is free'
sol=$(timeout 20 script -qec "ipmitool -I lanplus -C 3 -H 127.0.0.1 -p $port -U harness -f $S/labs/vlab/password \
	sol activate" /dev/null < <(sleep 2; printf '~.'; sleep 2) 2>&1)
like "$sol" 'SOL Session operational' 'no SOL session was left: a new one opens'

# Two signals at once, as from a terminal that closes or from timeout(1), are one wish.
"$H" run --machine vlab "${quick[@]}" >"$T/o1" 2>"$T/e1" &
first=$!
for _ in $(seq 300); do
	"$H" lab status --state "$S" | grep -q 'power on' && break
	sleep 0.1
done
kill -TERM "$first"
kill -HUP "$first" 2>/dev/null
kill -INT "$first" 2>/dev/null
wait "$first"
is "$?" 130 'several signals at once end a run with 130'
like "$("$H" lab status --state "$S")" 'power off' 'and the machine is off all the same'

# The store fails in the middle of a boot: at the moment in which the machine was told to go on.
sqlite3 "$S/harness.db" "create trigger broken before insert on event when new.detail = 'on sent'
	begin select raise(abort, 'broken on purpose'); end"
run "$H" run --machine vlab "${quick[@]}"
is "$rc" 3 'a store that fails in the middle of a boot is a lab error'
like "$err" '\(E_STORE\)' 'and named'
one_line 'failing store'
like "$("$H" lab status --state "$S")" 'power off' 'the machine is off'
sqlite3 "$S/harness.db" 'drop trigger broken'

# Somebody looks at the boot script while the hypervisor runs.
"$H" run --machine vlab "${quick[@]}" --samples 200 --iterations 100 -v >"$T/o1" 2>"$T/e1" &
first=$!
for _ in $(seq 300); do grep -q ': hypervisor' "$T/e1" && break; sleep 0.1; done
page=$(sed -n 's/.*bootfile=\(http:[^ ]*\)?mac=.*/\1/p' "$S/labs/vlab/qemu.log" | tail -n 1 | sed 's/10\.0\.2\.2/127.0.0.1/')
curl -s --interface 127.0.0.2 "$page?mac=52:54:00:12:34:56" >"$T/page"
like "$(cat "$T/page")" '^#!ipxe' 'a passer-by gets a script'
wait "$first"
is "$?" 0 'and the boot goes on'

# A boot that fails for a reason that can pass: somebody pulls the plug while the firmware runs.
sed 's/^firmware *= *90s/firmware = 12s/' targets/vlab.ini >"$T/targets/plug.ini"
run "$H" lab up plug --state "$S" --targets "$T/targets" --json
plug=$(sed -n 's/.*"bmc_port": \([0-9]*\).*/\1/p' <<<"$out")
"$H" run --machine plug "${quick[@]}" >"$T/o1" 2>"$T/e1" &
first=$!
for _ in $(seq 300); do
	"$H" lab status plug --state "$S" | grep -q 'power on' && break
	sleep 0.1
done
sleep 1.5
ipmitool -I lanplus -C 3 -H 127.0.0.1 -p "$plug" -U harness -f "$S/labs/plug/password" chassis power off >/dev/null
wait "$first"
is "$?" 0 'a boot that failed once is tried again, and its run is good'
err=$(cat "$T/e1")
like "$err" 'retry: plug: stage firmware: .*\(E_TIMEOUT\)' 'the failure is told'
like "$(cat "$T/o1")" '^left out +boot 1, mixed' 'and the report lists what was left out'
is "$(sqlite3 "$S/harness.db" "select group_concat(outcome) from (select outcome from boot where run =
	(select max(id) from run) order by id)")" 'lab,ok' 'both attempts are stored'
run "$H" lab down plug --state "$S"

# A controller that is killed.
"$H" run --machine vlab "${quick[@]}" >"$T/o1" 2>"$T/e1" &
first=$!
for _ in $(seq 300); do
	"$H" lab status --state "$S" | grep -q 'power on' && break
	sleep 0.1
done
kill -KILL "$first"
wait "$first" 2>/dev/null
run "$H" run --machine vlab "${quick[@]}"
is "$rc" 0 'after kill -9 the next run has the machine'
like "$err" 'the last controller died' 'and says what it found'
like "$("$H" runs --state "$S")" 'controller' 'the killed run is marked'
run "$H" lab down --state "$S"
is "$rc" 0 'the lab goes down'
nothing_left 'no process is left of all that'

# A machine that hangs: its CPUs never start.
sed 's/^firmware *= *90s/firmware = 4s/; s/^\[lab\]/&\nqemu_args = -S/; s/^idle.*/&\nretries = 0/' \
	targets/vlab.ini >"$T/targets/hung.ini"
run "$H" run --machine hung "${quick[@]}"
is "$rc" 3 'a hung machine is a lab error'
like "$err" 'hung: stage firmware: nothing more within 4\.0s.*\(E_TIMEOUT\)' 'named with machine and stage'
one_line 'hung machine'
like "$err" '^ +what was measured is kept: harness show [0-9a-f]+' 'and where the evidence is'
nothing_left 'no process is left of a hung machine'

# The database.
cp "$S/harness.db" "$T/keep.db"
sqlite3 "$S/harness.db" 'pragma wal_checkpoint(truncate); pragma user_version = 999' >/dev/null
sum=$(sha256sum <"$S/harness.db")
run "$H" run --machine vlab "${quick[@]}"
is "$rc" 2 'a database from a newer version is a usage error'
like "$err" 'harness\.db.*newer' 'and is named'
one_line 'newer database'
is "$(sha256sum <"$S/harness.db")" "$sum" 'it is not touched'
rm -f "$S"/harness.db*

# A full disk: the state folder on a file system of 2 MiB that somebody else has filled.
cat >"$T/full.sh" <<'EOF'
set -u
mount -t tmpfs -o size=2m none "$D" || exit 99
ln -s "$S/images" "$D/images"
"$H" run --machine vlab "$@" -q >"$T/full.first" 2>&1 || exit 98
cat /dev/zero >"$D/filler" 2>/dev/null
"$H" run --machine vlab "$@" -q >"$T/full.out" 2>"$T/full.err"
echo $? >"$T/full.rc"
rm "$D/filler"
"$H" report last -q --state "$D" >"$T/full.report" 2>&1
"$H" runs --state "$D" >"$T/full.runs" 2>&1
umount "$D"
EOF
mkdir "$T/full"
# Root needs no user namespace, and in a chroot may not have one.
space=(--mount)
[ "$(id -u)" = 0 ] || space+=(--map-root-user)
# In a chroot / is no mount, so its propagation cannot be changed.
unshare "${space[@]}" true 2>/dev/null || space+=(--propagation unchanged)
env D="$T/full" S="$S" H="$H" T="$T" unshare "${space[@]}" bash "$T/full.sh" --modes mixed --boots 1 --samples 3 \
	--iterations 50 --warmup 0 --state "$T/full" --targets "$T/targets"
is "$?" 0 'a state folder on a small file system is made and filled'
is "$(cat "$T/full.rc")" 3 'a full disk is a lab error'
err=$(cat "$T/full.err")
like "$err" 'no room|full' 'and named'
one_line 'full disk'
cmp -s "$T/full.report" "$T/full.first"
ok $? 'the run before it is intact to the byte'
nothing_left 'no process is left of a full disk'
lib_done
