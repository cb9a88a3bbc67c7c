#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness patch with a series that does not apply, does not build, or hangs at boot, and killed in the middle: each
# ends as it should, and the repository is as it was.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/measured.sh
. tests/measured.sh
series breaks 'good first' 'broken_second'
series hangs 'hang here'
series waits 'wait here'
series lacks 'only physical'
series fine 'good one'
g branch bad-base "$B"
g checkout -q bad-base
word 'broken_base'
g checkout -q main
dirty
ask() { sqlite3 "$S/harness.db" "$1" 2>/dev/null; }

patch --base bad-base "$M/fine.mbox"
is "$rc" 4 'a series that does not apply: status 4'
like "$err" 'patch 1/1 "word: good one": word, hunk 1.*E_APPLY' 'with patch, file and hunk'
one_line 'a series that does not apply'
patch "$M/breaks.mbox"
is "$rc" 4 'a series that does not build: status 4'
like "$err" '^base .* mixed built in ' 'base was built'
like "$err" '^harness: patched: .*: xen/common/kernel\.c:12:3: error: unknown type name "broken_second".*E_BUILD' \
	'and of patched the first error is told'
one_line 'a series that does not build'
g format-patch -q --stdout -1 bad-base | sed 's/broken_base/good again/; s/^index .*/index 0000000..1111111 100644/' >"$M/mends.mbox"
sed -i 's/^-good base/-broken_base/' "$M/mends.mbox"
patch --base bad-base "$M/mends.mbox"
is "$rc" 4 'a base that does not build: status 4'
like "$err" '^harness: base: cannot be built, which the series is not to blame for: .*error: unknown type name "broken_base"' \
	'which is not the fault of the series'
patch "$M/lacks.mbox"
is "$rc" 4 'a patched tree that has none of the modes: status 4'
like "$err" '^harness: patched: .*mixed.*E_NOMODE' 'which says so'
patch --modes mixed,physical --jobs 1 "$M/lacks.mbox" --boots 1
like "$err" '^patched .*mixed SKIPPED: .*; physical built|^patched .*physical built.*; mixed SKIPPED' 'a mode that only patched lacks is skipped for it'
is "$rc" 0 'and the other one is measured'
is "$(ask "select group_concat(build || ' ' || mode) from (select build, mode from boot order by build, mode)")" \
	'base mixed,base physical,patched physical' 'in what is there'
is "$(ask 'select count(*) from run')" 1 'the others have no run'
same 'all of that'

# Killed while it builds.
"$H" patch --machine vlab --xen "$R" --state "$S" --modes mixed "$M/waits.mbox" >/dev/null 2>&1 &
pid=$!
for _ in $(seq 600); do [ -e "$T/waits" ] && break; sleep 0.05; done
kill -9 $pid
wait $pid 2>/dev/null
nothing_left 'kill -9 in a build: nothing of it goes on'
same 'kill -9 in a build'

# Killed while it boots: the lab goes on, as a machine would.
"$H" patch --machine vlab --xen "$R" --state "$S" --modes mixed --boots 1 "$M/fine.mbox" >/dev/null 2>&1 &
pid=$!
for _ in $(seq 1200); do [ "$(ask 'select count(*) from run')" = 2 ] && break; sleep 0.05; done
kill -9 $pid
wait $pid 2>/dev/null
is "$(ask 'select count(*) from run')" 2 'a run was killed'
same 'kill -9 in a run'

patch --boots 1 --attach "$M"/hangs/*
is "$rc" 5 'a series that hangs at boot: status 5'
like "$err" 'patched mixed.*stage hypervisor.*base does.*E_HANG' 'the line says that base does not'
like "$err" "put nowhere, since the run did not end well; it can be: harness attach [0-9a-f-]+ " 'and where its report would go'
like "$out" 'base mixed' 'the report has what there is'
grep -q 'harness report' "$M"/hangs/*
is "$?" 1 'it is in no patch'
is "$(ask "select outcome from boot where build = 'base' and run = (select max(id) from run)")" ok 'base has booted'
same 'a boot that hangs'
"$H" lab down vlab --state "$S" -q >/dev/null 2>&1
nothing_left 'no process is left'
lib_done
