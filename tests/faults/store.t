#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A state folder that cannot be written to for a while, or at all, and a clock that steps back.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets"
cp targets/vlab.ini "$T/targets"
common=(--state "$S" --targets "$T/targets")
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0)

until_line() { # FILE REGEX
	for _ in $(seq 600); do grep -Eqs -- "$2" "$1" && return 0; sleep 0.1; done
	note "no line matches /$2/ in: $(tail -n 5 "$1")"
	return 1
}
start() { # COMMAND…: in the background, its output in $T/o and $T/e
	"$@" >"$T/o" 2>"$T/e" </dev/null &
	first=$!
}
# lock takes the database, unlock gives it back.
lock() {
	rm -f "$T/locked" "$T/go"
	python3 - "$S/harness.db" "$T/locked" "$T/go" <<'PY' &
import os, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
db.execute("begin exclusive")
open(sys.argv[2], "w").close()
end = time.monotonic() + 600
while not os.path.exists(sys.argv[3]) and time.monotonic() < end:
    time.sleep(0.05)
db.execute("commit")
PY
	holder=$!
	for _ in $(seq 600); do [ -e "$T/locked" ] && return; sleep 0.1; done
}
# The same while the machine stands still.
lock_now() {
	local qemu sup

	sup=$("$H" lab status --json "${common[@]}" | sed -n 's/^ *"pid": \([0-9]*\).*/\1/p')
	for _ in $(seq 600); do qemu=$(pgrep -P "$sup" qemu) && break; sleep 0.05; done
	kill -STOP "$qemu"
	lock
	kill -CONT "$qemu"
}
unlock() {
	touch "$T/go"
	wait "$holder"
}
end_holder() { touch "$T/go"; }
lib_at_exit end_holder
db() { sqlite3 "$S/harness.db" "$1"; }

# The wall clock steps back by an hour in the middle of a boot.
cat >"$T/clock.c" <<'C'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *t)
{
	const char *file = getenv("CLOCK_BACK");
	int rc = (int)syscall(SYS_clock_gettime, id, t);

	if (!rc && id == CLOCK_REALTIME && file && !access(file, F_OK))
		t->tv_sec -= 3600;
	return rc;
}

int gettimeofday(struct timeval *restrict v, void *restrict zone)
{
	struct timespec t;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &t);
	v->tv_sec = t.tv_sec;
	v->tv_usec = t.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *out)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (out)
		*out = t.tv_sec;
	return t.tv_sec;
}
C
"${CC:-gcc}" -shared -fPIC -O1 -o "$T/clock.so" "$T/clock.c" || bail 'the clock cannot be built'
# A sanitizer wants to be the first library, or not to look.
clock=(env CLOCK_BACK="$T/back" LD_PRELOAD="$T/clock.so" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0")
start "${clock[@]}" "$H" run --machine vlab "${quick[@]}" "${common[@]}" -v
until_line "$T/e" 'boot 1/1 mixed: firmware$'
touch "$T/back"
wait "$first"
is "$?" 0 'a run during which the clock steps back an hour is good'
[ "$(cut -c 1-19 "$T/e" | sort -c 2>&1)" ]
ok $? 'its log shows the step'
run "${clock[@]}" "$H" run --machine vlab "${quick[@]}" "${common[@]}" -v
is "$rc" 0 'so is the next one'
is "$(db 'select count(*) from run a, run b where a.id < b.id and a.started_ns > b.started_ns')" 1 'which began before the first one, says the clock'
is "$(db "select count(*) from (select mono_ns < lag(mono_ns) over (partition by run order by place) or mono_ns < 0 as bad
	from event) where bad")" 0 'the events of each are in order all the same'
is "$(db 'select count(*) from run where wall_ns <= 0 or wall_ns > 600e9 or machine_ns <= 0 or machine_ns > wall_ns')" 0 'and took as long as they took'
ids=$(db 'select short from run order by id desc' | xargs)
is "$("$H" runs "${common[@]}" | grep -oE "^${ids// /|^}" | xargs)" "$ids" 'the list of runs has the last one first'
named() { "$H" show "$1" "${common[@]}" | grep -oE "${ids/ /|}" | head -n 1; }
is "$(named last) $(named last~1)" "$ids" '"last" and "last~1" are what they say'
for id in $ids; do
	unlike "$("$H" report "$id" --format json "${common[@]}")" '"[a-z_]*(ns|ms|seconds)": -' 'no time is negative in a report'
done
rm "$T/back"

# Another process has the database for a while: nothing waits for it, and nothing is lost.
events=$(db 'select count(*) from event where run = (select max(id) from run)')
start "$H" run --machine vlab "${quick[@]}" "${common[@]}" -v
until_line "$T/e" 'boot 1/1 mixed: firmware$'
lock_now
until_line "$T/e" 'boot 1/1 mixed: hypervisor$'
ok $? 'a boot goes on while another process has the database'
unlock
wait "$first"
is "$?" 0 'and is good'
is "$(db 'select count(*) from event where run = (select max(id) from run)')" "$events" 'all its events are there'
is "$(db 'select count(*) from (select place - row_number() over (order by place) + 1 as off from event
	where run = (select max(id) from run)) where off')" 0 'and in their places'

# For too long: E_STORE after 10 s; what was measured is stored at the end, if the database is free by then.
start "$H" run --machine vlab "${quick[@]}" "${common[@]}" -v
until_line "$T/e" 'boot 1/1 mixed: firmware$'
lock_now
until_line "$T/e" 'boot 1/1 .* mixed +ok '
unlock
wait "$first"
is "$?" 3 'a database that is locked for more than 10 s is a lab error'
err=$(cat "$T/e")
like "$err" '^harness: .*harness\.db is locked by another process; .*\(E_STORE\)' 'and named'
one_line 'locked database'
is "$(db 'select outcome, (select count(*) from sample where boot = boot.id) from boot where run = (select max(id) from run)')" 'ok|3' \
	'what was measured is stored all the same'
is "$(db 'select ended, end_code from run order by id desc limit 1')" '1|E_STORE' 'and how the run ended'
like "$("$H" lab status "${common[@]}")" 'down' 'the lab is down'

# SIGTERM meanwhile.
start "$H" run --machine vlab "${quick[@]}" "${common[@]}" -v
until_line "$T/e" 'boot 1/1 mixed: firmware$'
lock_now
before=$(date +%s%N)
kill -TERM "$first"
wait "$first"
is "$?" 130 'SIGTERM ends a run whose database is locked'
took=$((($(date +%s%N) - before) / 1000000))
if [ "$took" -ge 5000 ] && awk -v n="$(nproc)" '{ exit !($1 > n) }' /proc/loadavg; then
	note "took $took ms on a loaded controller"
	[ "$took" -lt 60000 ]
else
	[ "$took" -lt 5000 ]
fi
ok $? "within 5 s ($took ms)"
like "$(cat "$T/e")" 'vlab: .*harness\.db is locked by another process' 'and it says what could not be written'
unlock
is "$(cat "$S/locks/vlab.lock")" '' 'the lock is free'
is "$(db 'pragma integrity_check; pragma foreign_key_check')" ok 'the database is intact after all that'

# A disk that becomes full in the middle of a boot, and a folder that is read-only.
cat >"$T/full.sh" <<'SH'
set -u
mount -t tmpfs -o size=2m none "$D" || exit 99
ln -s "$S/images" "$D/images"
"$H" run --machine vlab "$@" --state "$D" -q >"$T/full.first" 2>&1 || exit 98
"$H" run --machine vlab "$@" --state "$D" -v >"$T/full.out" 2>"$T/full.err" &
first=$!
for i in $(seq 600); do grep -q 'mixed: load' "$T/full.err" && break; sleep 0.1; done
cat /dev/zero >"$D/filler" 2>/dev/null
wait $first
echo $? >"$T/full.rc"
rm "$D/filler"
"$H" report last~1 -q --state "$D" >"$T/full.report" 2>&1
sqlite3 "$D/harness.db" 'pragma integrity_check' >"$T/full.check"
"$H" lab status --state "$D" >"$T/full.lab"
mount -o remount,ro "$D" || exit 97
"$H" run --machine vlab "$@" --state "$D" >"$T/ro.out" 2>"$T/ro.err"
echo $? >"$T/ro.rc"
"$H" runs --state "$D" >"$T/ro.runs" 2>&1
echo $? >>"$T/ro.rc"
"$H" lab up --state "$D" >"$T/ro.lab" 2>&1
echo $? >>"$T/ro.rc"
umount "$D"
SH
mkdir "$T/full"
# Root needs no user namespace, and in a chroot may not have one; there / is no mount, too.
space=(--mount)
[ "$(id -u)" = 0 ] || space+=(--map-root-user)
unshare "${space[@]}" true 2>/dev/null || space+=(--propagation unchanged)
env D="$T/full" S="$S" H="$H" T="$T" unshare "${space[@]}" bash "$T/full.sh" "${quick[@]}" --targets "$T/targets"
is "$?" 0 'a state folder on a small file system is filled in the middle of a boot'
is "$(cat "$T/full.rc")" 3 'that is a lab error'
err=$(cat "$T/full.err")
like "$err" '^harness: .*(no room|full).*\(E_STORE\)' 'and named'
one_line 'full disk'
like "$(cat "$T/full.lab")" 'down' 'the lab is down'
is "$(cat "$T/full.check")" ok 'the database is intact'
cmp -s "$T/full.report" "$T/full.first"
ok $? 'the run before it is intact to the byte'
is "$(xargs <"$T/ro.rc")" '3 3 3' 'a read-only state folder is a lab error, for whoever runs, reads or starts a lab'
err=$(cat "$T/ro.err")
like "$err" '^harness: .*[Rr]ead-only file system' 'and named'
one_line 'read-only folder'
for name in runs lab; do
	err=$(cat "$T/ro.$name")
	like "$err" '^harness: .*[Rr]ead-only file system' "$name: the same"
	one_line "$name"
done
nothing_left 'no process is left of all that'
lib_done
