#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness build against a recipe that misbehaves on demand: what real trees do only by accident.
# shellcheck disable=SC2154,SC2317 # run sets out, err and rc; until_true calls gone
# shellcheck source=tests/lib.sh
. tests/lib.sh

# FAKE says what goes wrong; $CALLS gets a line a verb, $CALLS.pid the process that hangs.
D=$T/data
export HARNESS_DATA=$D CALLS=$T/calls
mkdir -p "$D/firmware-images/xen"
cat >"$D/firmware-images/xen/recipe" <<'EOF'
#!/bin/bash
echo "$1 ${3:-}" >>"$CALLS"
case $1 in
fetch)
	mkdir -p "$2/tree"
	echo noise
	echo "$2/tree"
	;;
describe)
	[ "$FAKE" != nodescribe ] || { echo 'xen: not a Xen source tree' >&2; exit 1; }
	printf 'version=4.19.1\ncommit=abc\ndirty=0\n'
	if [ "$FAKE" = nocluster ]; then
		printf 'modes=physical mixed\nskip.cluster=Xen 4.20.0 has no CONFIG_X2APIC_CLUSTER\n'
	else
		printf 'modes=physical cluster mixed\n'
	fi
	printf 'srchash=%064d\n' "${FAKE_SOURCE:-1}"
	;;
prepare)
	mkdir -p "$3"
	echo half >"$3/half"
	;;
build)
	mode=$3 out=$4
	printf 'objects=3\n  CC      a.o\n  CC      b.o\n  AS      c.o\n'
	case $FAKE:$mode in
	error:cluster)
		echo "In file included from x.h:1:" >&2
		echo "arch/x86/smp.c:12:3: error: 'foo' undeclared" >&2
		echo "arch/x86/smp.c:13:3: error: a later one" >&2
		echo 'make: *** [Rules.mk:1: smp.o] Error 1' >&2
		exit 2
		;;
	hang:*)
		sleep 300 &
		echo $! >"$CALLS.pid"
		wait
		;;
	slow:*) sleep 2 ;;
	silent:*) exit 0 ;;
	flood:*) head -c 3000000 /dev/zero | tr '\0' x ;;
	esac
	echo "xen $mode" >"$out/xen"
	[ "$FAKE" != nomain ] || rm "$out/xen"
	debug=n
	[ "$FAKE" != debug ] || debug=y
	printf 'mode=%s\nversion=4.19.1\ncommit=abc\ndebug=%s\n' "$mode" "$debug" >"$out/manifest"
	;;
esac
EOF
chmod +x "$D/firmware-images/xen/recipe"

build() { # FAKE STATE ARGUMENT…
	: >"$CALLS"
	FAKE=$1 run "$H" build --state "$T/$2" "${@:3}"
}
images() { find "$T/$1/images/sha256" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l; }
leftovers() { find "$T/$1/images/tmp" "$T/$1/build/xen/work" -mindepth 1 2>/dev/null; }

# Wait until a command succeeds; 20 s at most.
until_true() {
	local i

	for ((i = 0; i < 200; i++)); do
		"$@" && return 0
		sleep 0.1
	done
	return 1
}
gone() { ! kill -0 "$1" 2>/dev/null; }

build ok s1 --modes all
is "$rc" 0 'three modes are built'
is "$(awk '{print $1}' <<<"$out" | xargs)" 'mode mixed physical cluster' 'in the order of reports'
like "$out" '^cluster +4\.19\.1 +[0-9a-f]{12} .* built in ' 'the table tells version, address and time'
like "$err" 'xen: cluster 3/3: +building' 'progress names the mode'
is "$(images s1)" 3 'three images are stored'
is "$(leftovers s1)" '' 'no work is left over'

build ok s1 --modes all
is "$rc:$(grep -c '^build' "$CALLS"):$(grep -c '^prepare' "$CALLS")" 0:0:0 \
	'nothing is built again from the same inputs'
is "$(grep -c 'up to date$' <<<"$out")" 3 'and the table says so'

FAKE_SOURCE=2 build ok s1 --modes cluster
is "$rc:$(grep -c '^build' "$CALLS")" 0:1 'another source is built'
build ok s1 --modes cluster --force
is "$(grep -c '^build' "$CALLS")" 1 '--force builds what is up to date'

echo damage >>"$(echo "$T"/s1/images/sha256/*/xen | cut -d ' ' -f 1)"
build ok s1 --modes all
is "$rc:$(grep -c '^build' "$CALLS")" 0:1 'a damaged image is built again, and only that'

build ok s1 --modes mixed --json
is "$(tr -d ' \n' <<<"$out" | grep -c '"mode":"mixed","result":"uptodate"')" 1 '--json tells the same'

build error s2 --modes all
is "$rc" 4 'a compile error is an image failure'
like "$err" "^harness: xen build of mode cluster failed: arch/x86/smp.c:12:3: error: 'foo' undeclared; log: " \
	'with the first error'
log=$(sed -n 's/.*log: \(.*\) (E_BUILD)$/\1/p' <<<"$err")
like "$(cat "$log")" 'a later one' 'and a log that holds the rest'
is "$(images s2):$(test -e "$T/s2/images/refs/xen/cluster.json"; echo $?)" 2:1 \
	'the finished modes are kept and the broken one is not'
is "$(leftovers s2)" '' 'nothing is half stored'

for fake in silent nomain nodescribe; do
	build $fake s3 --modes mixed
	is "$rc:$(images s3):$(leftovers s3)" 4:0: "recipe that is $fake: image failure, nothing stored"
done
like "$err" 'not a Xen source tree' 'its own words are passed on'

build flood s3 --modes mixed
is "$rc" 0 'a line of 3 MB is no harm'

build debug s4 --modes mixed
is "$rc:$(images s4)" 4:0 'a debug build is refused'
like "$err" 'debug=y.*--allow-debug' 'with the way round it'
build debug s4 --modes mixed --allow-debug
is "$rc:$(images s4)" 0:1 '--allow-debug keeps it'

build nocluster s5 --modes all
is "$rc" 0 'a mode that the tree lacks is no failure'
like "$out" '^cluster .*SKIPPED: Xen 4.20.0 has no CONFIG_X2APIC_CLUSTER' 'but reported with its reason'
like "$(cat "$T/s5/images/refs/xen/cluster.json")" 'skipped.*4.20.0' 'and recorded'
build nocluster s5 --modes cluster
is "$rc" 4 'unless nothing else was asked for'
like "$err" 'mode cluster: Xen 4.20.0 has no' 'with the reason'

run "$H" build --state "$T/s6" --xen "$T/none"
is "$rc" 2 'a missing source folder is usage'
like "$err" "$T/none: no such folder" 'and named'

interrupt() { # SIGNAL
	: >"$CALLS"
	rm -f "$CALLS.pid"
	# In a script a background command would ignore SIGINT.
	FAKE=hang env --default-signal=INT "$H" build --state "$T/s7" --modes mixed >"$T/out" 2>"$T/err" &
	harness=$!
	until_true test -s "$CALLS.pid" || bail 'the recipe did not start'
	hung=$(cat "$CALLS.pid")
	kill -"$1" "$harness"
	rc=0
	wait "$harness" 2>/dev/null || rc=$?
}
for sig in INT TERM; do
	interrupt $sig
	is "$rc" 130 "SIG$sig: exit status"
	like "$(cat "$T/err")" '^harness: interrupted' "SIG$sig: one line"
	until_true gone "$hung"
	ok $? "SIG$sig: the recipe's processes have ended"
	is "$(images s7):$(leftovers s7)" 0: "SIG$sig: nothing is left over"
done

interrupt KILL
until_true gone "$hung"
ok $? "SIGKILL: the recipe's processes have ended"
build ok s7 --modes mixed
is "$rc:$(images s7):$(leftovers s7)" 0:1: 'the next build cleans up and succeeds'

: >"$CALLS"
FAKE=slow "$H" build --state "$T/s8" --modes mixed >"$T/first" 2>&1 &
first=$!
until_true grep -q '^build' "$CALLS" || bail 'the first build did not start'
FAKE=slow run "$H" build --state "$T/s8" --modes mixed
is "$rc" 0 'a second build waits for the first'
like "$err" "waiting for another build \(process $first\)" 'and says for whom'
like "$out" 'up to date' 'then finds its work done'
wait "$first"
ok $? 'the first is not disturbed'

FAKE=slow run script -qec "'$H' build --state '$T/s9' --modes mixed" /dev/null
like "$out" $'\r''xen mixed 1/1  3 objects, linking' 'on a terminal there is a live line'

lib_done
