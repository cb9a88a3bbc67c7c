#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A build that hangs beside one that boots is the build's failure; builds that all hang are the machine's.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/machine.sh
. tests/machine.sh
sha=$(sed -n 's/.*"sha256": *"\([0-9a-f]*\)".*/\1/p' "$S/images/refs/xen/mixed.json")
builds=(--build "base=$sha" --build "patched=$sha" --boots 2 --seed 3 -v) # -v: stages, for the machine that listens
outcomes() { sql "select group_concat(build || ' ' || outcome, ', ') from (select * from boot
	where run = (select max(id) from run) order by build, number)"; }

# What the status says of builds that boot.
plan script 'load xen dummy' banner 'slow patched 50000' report
boots "${builds[@]}" --boots 3
is "$rc" 1 'a second build that is slower by 1 % ends with status 1'
[ "$rc" = 1 ] || note "$err"
unlike "$err" '^harness: ' 'and nothing has failed'
plan script 'load xen dummy' banner 'slow base 50000' report
boots "${builds[@]}" --boots 3
is "$rc" 0 'one that is faster ends with status 0'

# One build hangs in each of its attempts.
machine 'hypervisor = 1s' 'retries = 1'
plan script 'load xen dummy' 'stay patched mixed' banner report
boots "${builds[@]}"
is "$rc" 5 'a build that hangs where another boots: no fault of the lab'
like "$err" '^harness: box: patched mixed: does not get through stage hypervisor, base does: nothing more within 1\.0s: .*\(E_HANG\)$' \
	'the line names the build, and the one that boots'
one_line 'a build that hangs'
like "$err" 'box: patched mixed hangs: its other boots are left out' 'what is left out is said'
is "$(outcomes)" 'base ok, base ok, patched lab, patched lab' 'it is tried again once, and then no more; the other goes on'
is "$(sql 'select end_class from run where id = (select max(id) from run)')" 0 'the run has come to its end'
unlike "$err" quarantine 'the machine is not in quarantine'
is_off 'and it is off'

# The reference may be the one that hangs.
plan script 'load xen dummy' 'stay base mixed' banner report
boots "${builds[@]}"
is "$rc" 5 'also when it is the first build'
like "$err" '^harness: box: base mixed: does not get through stage hypervisor, patched does: ' 'and named so'

# A build that panics is no hang: all its boots are tried, and the error says whose it was.
plan script 'load xen dummy' banner 'say (XEN) Panic on CPU 0:' 'say (XEN) GENERAL PROTECTION FAULT'
machine
boots "${builds[@]}"
is "$rc" 5 'builds that panic: no measurement'
like "$err" '^harness: box: (base|patched) mixed: stage hypervisor: .*\(E_CRASH\)$' 'told by build and mode'
is "$(outcomes)" 'base crash, base crash, patched crash, patched crash' 'and all are tried'

# All builds hang from some boot on.
machine 'hypervisor = 1s' 'retries = 1'
plan script 'load xen dummy' 'stay boot [2-4]/4' banner report
boots "${builds[@]}"
is "$rc" 3 'a machine on which all builds hang in the end: a lab error'
like "$err" '^harness: box: (base|patched) mixed: stage hypervisor: nothing more within 1\.0s: .*\(E_TIMEOUT\)$' 'of the stage'
one_line 'all builds hang'
is "$(sql "select count(*) from boot where run = (select max(id) from run) and outcome = 'lab'")" 4 \
	'when the second build has hung twice the run ends'
like "$err" 'the machine is in quarantine now' 'the machine is in quarantine'
is_off 'and it is off'
"$H" machine recover box >/dev/null 2>&1

# They hang from the first on.
plan script 'load xen dummy'
boots "${builds[@]}"
is "$rc" 3 'a machine on which nothing boots: a lab error'
is "$(outcomes)" 'base lab, base lab, patched lab, patched lab' 'that ends when two builds have hung on end'
like "$err" 'the machine is in quarantine now' 'with the machine in quarantine'
is_off 'and it is off'
kill "$machine_peer" && wait "$machine_peer" 2>/dev/null
nothing_left 'no process is left of all that'
lib_done
