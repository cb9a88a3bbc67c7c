#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness bisect over 32 commits on real Xen in the virtual lab: the images are those of two real builds, one of which
# flushes three times; some commits do not build, and one does not boot.
# Takes many minutes, so only `make check-long` runs it.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/long/tree.sh
. tests/long/tree.sh
tree "$T/xen"
slower "$T/xen"
run "$H" build --xen "$T/xen" --rev HEAD --aside --modes mixed --state "$S" -q --json
[ "$rc" = 0 ] || bail "the slow image is not built: $err"
MEASURED_SLOW=$S/images/sha256/$(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' <<<"$out")
export MEASURED_SLOW
rm -r "$T/xen" "$S/cache"
# shellcheck source=tests/measured.sh
. tests/measured.sh

# The 23rd is slow, the 16th and the 20th do not build, the 24th hangs.
for i in $(seq 1 32); do
	case $i in
	16 | 20) word "broken_$i" ;;
	24) word "hang $i" ;;
	*) if [ "$i" -lt 23 ]; then word "good $i"; else word "slow $i"; fi ;;
	esac
done
nth() { g rev-list --reverse main | sed -n "$(($1 + 1))p"; }
slow=$(nth 23)
last=$(g rev-parse main)
dirty
ask() { sqlite3 "$S/harness.db" "$1" 2>/dev/null; }
bisect() {
	run "$H" bisect --machine vlab --mode mixed --xen "$R" --state "$S" --samples 6 --iterations 100 --warmup 2 "$@"
}

# Killed on its way, then asked again.
"$H" bisect --machine vlab --mode mixed --xen "$R" --state "$S" --samples 6 --iterations 100 --warmup 2 "$B" "$last" \
	>/dev/null 2>"$T/killed" &
pid=$!
for _ in $(seq 6000); do [ "$(ask 'select count(*) from boot')" = 11 ] && break; sleep 0.05; done
kill -9 $pid
wait $pid 2>/dev/null
is "$(ask 'select count(*) from boot')" 11 'a bisect is killed in the middle'
same 'kill -9'
start=$SECONDS
bisect "$B" "$last"
note "the rest took $((SECONDS - start)) s"
is "$rc" 0 'asked again it goes on to the end'
[ "$rc" = 0 ] || note "$err"
like "$out" "^$slow is the first bad commit$" 'and finds the slow commit'
note "$(grep -E '^git bisect|^# (good|bad|skip)' <<<"$out")"
boots=$(ask "select count(*) from boot where outcome != 'interrupted'")
note "$boots boots"
# 33 where three boots are enough each time; a machine with more noise wants more looks.
[ "$boots" -le 66 ]
ok $? 'in at most twice the boots that it takes without noise'
[ "$(ask "select max(n) from (select count(*) n from boot join image on image.id = image where outcome = 'ok' group by sha256)")" -le 24 ]
ok $? 'no commit is booted more often than it may be, in its own looks and in the last ones'
git clone -q "$R" "$T/clone" 2>/dev/null
like "$(git -C "$T/clone" bisect replay "$(echo "$S"/bisect/*/log)" 2>&1)" "^$slow is the first bad commit$" \
	'git bisect replay takes the log'
same 'all of it'
"$H" lab down vlab --state "$S" -q >/dev/null 2>&1
nothing_left 'no process is left'
lib_done
