#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Stored runs against each other: what is a side, what is refused, what the exit status says.  Most runs
# are made up by tests/tools/store_driver; the last two are real.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
DRIVER=$(realpath "${BUILD:-build}/tests/tools/store_driver")
[ -x "$DRIVER" ] || bail "no $DRIVER: make e2e builds it"
mkdir "$T/made"

# made ID KEY=VALUE…: a run in $T/made
made() { "$DRIVER" "$T/made" "$@" || bail "store_driver $*"; }
# compare ARG…: the command over these runs
compare() { run "$H" compare --state "$T/made" "$@"; }
# refused STATUS REGEX NAME: so ended the comparison before, in one line
refused() {
	is "$rc" "$1" "$3: status $1"
	one_line "$3"
	like "$err" "^harness: compare: $2" "$3: it says so"
	is "$out" '' "$3: there is no report"
}

made 7f3a
made 8b2c day=2026-12-01 slower=3 image=b
made 9d1e day=2026-12-02 slower=0.01 image=c modes=mixed,physical failed=2

# What was said last in one line: the report wraps its paragraphs.
flat() { printf '%s' "$out" | sed 's/ \\$//' | tr -s '[:space:]' ' '; }

# Verdict and exit status.
compare 7f3a 8b2c
is "$rc" 1 'a side that is proven slower ends with status 1'
is "$err" '' 'and nothing is said on standard error'
like "$out" '8b2c against 7f3a' 'the report says what is compared'
for m in mixed physical cluster; do
	like "$out" "8b2c $m" "mode $m is compared with itself"
done
like "$out" 'harness compare 7f3a 8b2c$' 'the report says how to compare again'
compare 8b2c 7f3a
is "$rc" 0 'faster is no regression'
compare 7f3a 9d1e
is "$rc" 0 'no difference proven: status 0'
like "$out" 'cluster: only in 7f3a' 'a mode of one side takes no part, and the report says so'
like "$out" '9d1e: 2 of 10 boots failed, see harness show 9d1e' 'failed boots are counted'
unlike "$out" '9d1e cluster' 'and nothing is made up for it'
compare 7f3a 9d1e 8b2c --modes mixed
is "$rc" 1 'a third side can be the slower one'
like "$out" '8b2c mixed' 'it is in the report'
unlike "$out" 'physical' '--modes takes no other mode'
compare 7f3a 9d1e --conf 99 --power 90 --effect 0.5%
like "$out" 'harness compare 7f3a 9d1e --conf 99 --power 90 --effect 0.5$' 'options are said again'

# The same bytes, also in a file, also through the command that the report gives.
compare last~2 last~1
is "$rc" 1 'last~1 is the run before the last'
like "$out" 'harness compare 7f3a 8b2c$' 'words that move are told as what they stand for'
first=$out
compare last~2 last~1
is "$out" "$first" 'comparing twice gives the same bytes'
compare 7f3a 8b2c -o "$T/report"
is "$rc $out" '1 ' 'a report in a file leaves standard output empty, and the status as it is'
is "$(cat "$T/report")" "$first" 'and has the same bytes'

# Images and days.
compare image:1aaaaaaa 1bbb
is "$rc" 1 'images are compared, a bare digest too'
like "$out" 'image 1bbbbbbb against image 1aaaaaaa' 'each is named by its first digits'
like "$(flat)" "harness compare image:1a{63} image:1b{63} " 'and again by all'
compare image:1aaaaaaa image:2bbbbbbb
is "$rc" 0 'images of different modes are compared, and no mode is the past of the other'
like "$out" 'image 2bbbbbbb physical' 'in one block'
compare 2026-11-30 2026-12-01
is "$rc" 1 'days are compared'
like "$out" '2026-12-01 mixed' 'a day is the name of its set'
compare ..2026-11-30 2026-12-01.. --modes mixed
like "$out" '2026-12-01\.\.2026-12-02 against 2026-11-30' 'open ends become days'
again=$(sed -n 's/.*\(harness compare .*\)/\1/p' <<<"$out")
first=$out
# shellcheck disable=SC2086
compare ${again#harness compare }
is "$out" "$first" 'the command of the report gives the report again'
made 5e5e day=2026-12-03 slower=9
# shellcheck disable=SC2086
compare ${again#harness compare }
is "$out" "$first" 'also when there are newer runs'
compare 7f3a/mixed 8b2c/physical
is "$rc" 0 'a mode against another mode is no regression'
like "$out" '8b2c physical' 'a side can be of one mode'

# One side: its modes.
compare 7f3a --modes physical,mixed
is "$rc" 0 'the modes of a run are compared with each other'
like "$out" '7f3a: mixed against physical' 'the first of them is the reference'
compare --machine epyc --modes mixed,physical
is "$rc" 0 'the modes of a machine are compared over its runs'
like "$out" '2026-11-30\.\.2026-12-03: physical against mixed' 'from the first to the last'
like "$(flat)" 'harness compare 2026-11-30\.\.2026-12-03 --machine epyc --modes mixed,physical ' \
	'and again from the first to the last'

# What proves nothing.
compare 7f3a 7f3a
refused 2 '"7f3a mixed" is on two sides: a run compared with itself proves nothing' 'a run against itself'
compare 2026-11-30..2026-12-01 2026-12-01..2026-12-02
refused 2 'boot [0-9]+ of run 8b2c is on two sides' 'days that overlap'
compare 7f3a image:1aaa
refused 2 'boot [0-9]+ of run 7f3a is on two sides' 'a run and its own image'
made 6a6a boots=1 modes=mixed failed=1 day=2026-12-04
compare 7f3a 6a6a
refused 2 'nothing to compare, for want of boots that count: "6a6a mixed" has 0' 'no boot that counts'
made 6b6b modes=cluster day=2026-12-04
compare 6a6a 6b6b/mixed
refused 2 '6b6b has no mode "mixed"; there is: cluster' 'a mode that a side does not have'
compare 9d1e 6b6b
refused 2 'the sides have no mode in common \(9d1e: mixed, physical; 6b6b: cluster\)' 'no mode in common'

# What differs is refused, each by its word.
differs() {
	local word=$1 id=$2 says=$3

	made "$id" day=2027-01-01 slower=3 "${@:4}"
	compare 7f3a "$id"
	refused 5 "$word differs: $says; --allow $word compares them all the same \(E_DIFFERS\)" "$word"
	compare 7f3a "$id" --allow "$word"
	is "$rc" 1 "--allow $word compares them"
	like "$(flat)" "$word: .* in 7f3a \(15 boots\); .* in $id \(15 boots\)" "$word: the report says what differs"
	like "$out" "harness compare 7f3a $id --allow $word$" "$word: it is allowed again"
}
differs machine a001 'epyc in run 7f3a, rome in run a001' machine=rome
differs cpu a002 'AMD EPYC 9754 in run 7f3a, AMD EPYC 9654 in run a002' cpu='AMD EPYC 9654'
differs microcode a003 '0xaa00215 in run 7f3a, 0xaa00219 in run a003' microcode=0xaa00219
differs firmware a004 'UEFI 1.12 in run 7f3a, UEFI 1.13 in run a004' firmware=1.13
differs cpus a005 '512 online, 511 targets, 2 sockets in run 7f3a, 256 online, 255 targets, 2 sockets in run a005' cpus=256
differs iterations a006 '10000 in run 7f3a, 5000 in run a006' iterations=5000
differs args a007 'cpufreq=none in run 7f3a, cpufreq=xen in run a007' args='bootscrub=0 cpufreq=xen'
differs shorthand a008 'not in use in run 7f3a, in use in run a008' shorthand=1
differs debug a009 'debug=n in run 7f3a, debug=y in run a009' debug=1
differs emulator a00a 'none in run 7f3a, QEMU 10.0.2 in run a00a' emulator='QEMU 10.0.2'
made a00b day=2027-01-01 workload=call-all
compare 7f3a a00b --allow all
refused 5 'workload differs: flush-all in run 7f3a, call-all in run a00b' 'other work'
made a00c day=2027-01-01 microcode= args= cpus=256
compare 7f3a a00c
refused 5 'microcode differs: 0xaa00215 in run 7f3a, unknown in run a00c; also cpus, args; --allow microcode,cpus,args ' \
	'several kinds'
compare 7f3a a00c --allow microcode,args,cpus
is "$rc" 0 'all of them can be allowed'
made a00d day=2027-01-01 compiler='gcc 14.2.0' warmup=1
compare 7f3a a00d
is "$rc" 0 'another compiler and warm-up are no reason to refuse'
like "$(flat)" 'compiler: gcc 12.2.0 in 7f3a \(15 boots\); gcc 14.2.0 in a00d \(15 boots\)' 'but are noted'
like "$(flat)" 'sampling: 10 samples a boot, kept: after 2 in 7f3a' 'the warm-up too'

# Several machines.
compare 2026-12-01 2027-01-01
refused 2 'the runs chosen are of several machines \(epyc, rome\): choose one with --machine' 'several machines'
compare 2026-12-01 2027-01-01 --machine rome
refused 2 'no run of machine rome was begun on 2026-12-01; see harness runs' 'a day without a run of the machine'
compare 7f3a a001 --machine epyc
refused 2 'run a001 is of machine rome, not of epyc' 'a run of another machine'
compare last~0 last~1 --machine rome
refused 2 'last~1 goes further back than the runs of machine rome' 'further back than there are runs'

# Command lines that say nothing.
bad() {
	compare "${@:3}"
	refused 2 "$1" "$2"
}
bad 'give two sides' 'no side'
bad 'give two sides' 'a machine alone' --machine epyc
bad 'what is "7f3a" compared with' 'one side' 7f3a
bad 'one side alone .* takes two modes; 7f3a has: mixed, physical, cluster' 'one mode' 7f3a --modes mixed
bad 'no run "beef"; the latest are' 'an unknown run' 7f3a beef
bad 'no run in .* has an image "beef"' 'an unknown image' 7f3a image:beef
bad '"foo" is no run, image or day' 'no side at all' 7f3a foo
bad '"2026-02-29" in "2026-02-29" is not a day' 'a day that there is not' 7f3a 2026-02-29
bad '"2026-12-02..2026-12-01" ends before it begins' 'a range turned round' 7f3a 2026-12-02..2026-12-01
bad 'the sides have no mode "mixd" \(did you mean "mixed"\?\)' 'an unknown mode' 7f3a 8b2c --modes mixd
bad '--allow: unknown word "microcod" \(did you mean "microcode"\?\)' 'an unknown word' 7f3a 8b2c --allow microcod
bad '--conf takes percent, as 1 or 0.5%, not "nan"' 'no number' 7f3a 8b2c --conf nan
bad '--conf: confidence is from 50 to 99.999 %, not 100' 'a confidence of 100' 7f3a 8b2c --conf 100
bad '--effect: the effect that matters is above 0' 'an effect of 0' 7f3a 8b2c --effect 0
bad 'unknown option --nonsense' 'an unknown option' 7f3a 8b2c --nonsense

# Runs that never ended count with what they have.
made b001 day=2027-02-01 ended=0
compare 7f3a b001
is "$rc" 0 'a run that was killed is compared'
like "$(flat)" 'b001, [^;]*, not ended, or killed; ' 'and the report says so'

# Real runs: nothing but what changes with each boot differs.
lib_images
mode=$(lib_modes | head -n 1)
for seed in 1 2; do
	"$H" run --machine vlab --modes "$mode" --boots 1 --samples 5 --iterations 100 --warmup 0 \
		--seed "$seed" --state "$S" -q >"$T/run" 2>&1 || bail "$(cat "$T/run")"
done
run "$H" compare last~1 last --state "$S"
is "$rc" 0 'two real runs are alike; one boot a side proves nothing'
is "$err" '' 'and nothing is refused'
unlike "$out" 'boots failed' 'all of their boots count'
lib_done
