#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness bisect, from a history to its commit, on simulated machines whose images say how fast they are.
# shellcheck disable=SC2154 # run sets out, err and rc
# shellcheck source=tests/lib.sh
. tests/lib.sh
B=${BUILD:-build}
[ -x "$B/tests/tools/sim_lab" ] || bail "no $B/tests/tools/sim_lab: make e2e builds it"
B=$(realpath "$B")
export GIT_CONFIG_GLOBAL=$T/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name tester
git config --global user.email tester@localhost
export GIT_AUTHOR_DATE=@1764500000 GIT_COMMITTER_DATE=@1764500000
git config --global advice.detachedHead false

# A recipe whose image is the tree's file `sim`; a tree with a file `broken` does not compile.
export HARNESS_DATA=$T/data CALLS=$T/calls
mkdir -p "$HARNESS_DATA/firmware-images/xen"
cat >"$HARNESS_DATA/firmware-images/xen/recipe" <<'EOR'
#!/bin/bash
case $1 in
describe)
	printf 'version=4.19.1\nmodes=physical cluster mixed\n'
	printf 'commit=%s\ndirty=0\n' "$(git -C "$2" rev-parse HEAD)"
	printf 'srchash=%s\n' "$(git -C "$2" rev-parse 'HEAD^{tree}' | sha256sum | cut -d ' ' -f 1)"
	;;
prepare)
	mkdir -p "$3"
	rm -f "$3/broken"
	cp "$2"/* "$3/"
	;;
build)
	echo built >>"$CALLS"
	if [ -e "$2/broken" ]; then
		echo 'xen/common/smp.c:12:3: error: expected ; before } token' >&2
		exit 1
	fi
	cp "$2/sim" "$4/xen"
	printf 'mode=%s\nversion=4.19.1\ncommit=abc\ndebug=n\n' "$3" >"$4/manifest"
	;;
esac
EOR
chmod +x "$HARNESS_DATA/firmware-images/xen/recipe"

# The machine: one for all scenarios, each of which has a state folder of its own.
L=$T/lab
mkdir -p "$L/targets"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1 \
	-addext subjectAltName=IP:127.0.0.1 -keyout "$L/key.pem" -out "$L/cert.pem" 2>/dev/null ||
	bail 'openssl makes no certificate'
printf 'sha256//%s' "$(openssl pkey -in "$L/key.pem" -pubout -outform der | openssl dgst -sha256 -binary | base64)" >"$L/pin"
printf 'sesame\n' >"$L/password"
chmod 600 "$L/password"
"$B/tests/tools/sim_lab" "$L" 1 "$(free_port tcp)" tests/data/console-cluster.txt fast 2>"$L/complaints" &
sim=$!
lab_stop() {
	kill "$sim" 2>/dev/null
	wait "$sim" 2>/dev/null
}
lib_at_exit lab_stop
for _ in $(seq 600); do [ -e "$L/ready" ] && break; sleep 0.05; done
[ -e "$L/ready" ] || bail "the simulated lab does not start: $(cat "$L/complaints")"
sed -i 's/^samples = .*/samples = 12/; s/^warmup = .*/warmup = 1/; s/^hypervisor = .*/hypervisor = 3s/
	s/^reading_gap = .*/reading_gap = 20ms/; s/^silence = .*/silence = 20ms/' "$L/targets/sim000.ini"

# commit DIR NS [NOISE]: another commit, with that speed; files of the tree stay.
commit() {
	printf 'sim ns=%s noise=%s\nnumber %s\n' "$2" "${3:-0.2}" "$(git -C "$1" rev-list --all --count 2>/dev/null)" >"$1/sim"
	git -C "$1" add -A
	git -C "$1" commit -q -m "${4:-tune it $(git -C "$1" rev-list --all --count 2>/dev/null)}"
}
nth() { git -C "$1" rev-list --reverse HEAD | sed -n "$(($2 + 1))p"; }

snapshot() {
	(
		cd "$1" || exit
		find . -type f -printf '%p %T@ %i\n' -exec sha256sum {} + | sort
		find . -type d -printf '%p %T@\n' | sort
		git --no-optional-locks status --porcelain
		git for-each-ref
	)
}
keep() { snapshot "$1" >"$T/before"; }
same() {
	snapshot "$1" >"$T/after"
	cmp -s "$T/before" "$T/after"
	ok $? "$2: the repository is the same, with its refs, index and files"
}

# Boots that are stored: all, or those that went well for each image, the most often booted first.
sql() { python3 -c 'import sqlite3,sys
for r in sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True).execute(sys.argv[2]): print(*r)' "$1/harness.db" "$2" 2>/dev/null; }
boots() { sql "$1" 'SELECT count(*) FROM boot'; }
good_boots() { sql "$1" "SELECT count(*) FROM boot WHERE outcome = 'ok'"; }
per_image() { sql "$1" "SELECT sha256, count(*) FROM boot JOIN image ON image.id = image WHERE outcome = 'ok' GROUP BY 1 ORDER BY 1"; }
bisect() { # STATE REPO OPTION…; in a subshell, which becomes it
	exec "$H" bisect --machine sim000 --targets "$L/targets" --mode cluster --state "$1" --xen "$2" "${@:3}"
}

run_bisect() {
	rc=0
	(bisect "$@") >"$T/out" 2>"$T/err" </dev/null || rc=$?
	out=$(cat "$T/out")
	err=$(cat "$T/err")
}

# 32 commits: the 23rd is slow, the 16th and 20th do not build, the 24th hangs.
R=$T/repo
git init -q "$R"
ns=100000
for i in $(seq 0 32); do
	[ "$i" = 23 ] && ns=110000
	case $i in 16 | 20) touch "$R/broken" ;; *) rm -f "$R/broken" ;; esac
	if [ "$i" = 24 ]; then
		printf 'sim hang\n' >"$R/sim"
		git -C "$R" add -A
		git -C "$R" commit -q -m 'hang at boot'
	else
		commit "$R" "$ns"
	fi
done
echo changed >"$R/sim"
echo new >"$R/untracked"
slow=$(nth "$R" 23)
first=$(nth "$R" 0)

keep "$R"
run_bisect "$T/s1" "$R" "$first" HEAD
is "$rc" 0 'one slow commit of 32 is found'
[ "$rc" = 0 ] || note "$err"
like "$out" "^$slow is the first bad commit$" 'it is named'
like "$out" '^  author  tester <tester@localhost>$' 'with its author'
like "$out" '^    tune it 23$' 'and its message'
like "$out" "x $(nth "$R" 22 | cut -c 1-12) cluster" 'the report holds it against the commit before'
like "$out" 'slower than .* by 10|slower .*10\.' 'and shows that it is slower'
like "$out" '^BAD is (9\.[0-9]*|10|10\.[0-9]*) % slower than GOOD' 'what is between GOOD and BAD is told'
like "$out" "^git bisect skip $(nth "$R" 16)$" 'the commit that does not build is skipped'
like "$out" '^# skip: does not build: .*expected ; before' 'with the error of the compiler'
like "$err" 'commits left, about [1-6] steps?: ' 'the steps that are left are told'
n=$(boots "$T/s1")
note "$n boots"
[ "$n" -le 33 ]
ok $? 'in at most 33 boots: 3 for each of the ends, 5 steps, and what is skipped and confirmed'
same "$R" 'found'
log=$(echo "$T"/s1/bisect/*/log)
git clone -q "$R" "$T/clone"
replayed=$(git -C "$T/clone" bisect replay "$log" 2>&1)
like "$replayed" "^$slow is the first bad commit$" 'git bisect replay takes the log and finds the same'
printed=$out
run_bisect "$T/s1" "$R" "$first" HEAD
is "$rc $(boots "$T/s1")" "0 $n" 'asked again it boots nothing'
is "$out" "$printed" 'and says the same'
run_bisect "$T/s1" "$R" --json "$first" HEAD
is "$(python3 -c 'import json,sys; d = json.load(sys.stdin); print(d["result"], d["first_bad"]["commit"], len(d["steps"]) > 5, bool(d["report"]))' <<<"$out")" \
	"found $slow True True" 'and as JSON'

# Killed at several places, in one state folder; then finished.
killed=0
lib_mark
for stop in 2 7 13 19 "$((n - 2))" "$((n - 1))"; do
	bisect "$T/s2" "$R" "$first" HEAD >"$T/killed.out" 2>"$T/killed.err" &
	pid=$!
	for _ in $(seq 1200); do
		now=$(boots "$T/s2")
		[ "${now:-0}" -ge "$stop" ] && break
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	kill -9 "$pid" 2>/dev/null && killed=$((killed + 1))
	wait "$pid" 2>/dev/null
done
unset HARNESS_TEST_MARK
[ "$killed" -ge 4 ]
ok $? 'a bisect was killed with -9 four times or more'
nothing_left 'and leaves no process'
same "$R" 'kill -9'
run_bisect "$T/s2" "$R" "$first" HEAD
is "$rc" 0 'it goes on to the end'
[ "$rc" = 0 ] || note "$err"
like "$out" "^$slow is the first bad commit$" 'with the same answer'
is "$(per_image "$T/s2")" "$(per_image "$T/s1")" 'and no boot was made twice'
is "$(grep '^git bisect' "$T"/s2/bisect/*/log)" "$(grep '^git bisect' "$log")" 'by the same decisions'

# Two at once.
bisect "$T/s3" "$R" "$first" HEAD >/dev/null 2>"$T/first.err" &
pid=$!
for _ in $(seq 600); do ls "$T"/s3/bisect/*/log >/dev/null 2>&1 && break; sleep 0.05; done
run_bisect "$T/s3" "$R" "$first" HEAD
is "$rc" 6 'the same bisect twice at a time is busy'
like "$err" 'E_BUSY' 'and says so'
one_line 'busy'
kill -INT "$pid"
wait "$pid"
is $? 130 'Ctrl-C ends it with 130'
same "$R" 'Ctrl-C'

# Faster is a change, too; and as fast is none.
F=$T/faster
git init -q "$F"
for i in 0 1 2 3 4 5; do commit "$F" "$((i < 3 ? 100000 : 90000))"; done
run_bisect "$T/s4" "$F" --effect 3% "$(nth "$F" 0)" HEAD
is "$rc" 0 'what became faster is found'
like "$out" "^$(nth "$F" 3) is the first bad commit$" 'too'
like "$out" '% faster than GOOD' 'and told as such'
n=$(boots "$T/s4")
run_bisect "$T/s4" "$F" "$(nth "$F" 3)" HEAD
is "$rc" 5 'GOOD and BAD of the same speed are no bisect'
like "$err" '^harness: bisect: GOOD and BAD do not differ by 2 %: .*E_BISECT' 'which is told with both numbers'
[ $(($(boots "$T/s4") - n)) -le 20 ]
ok $? 'after as many boots as it takes'
run_bisect "$T/s4" "$F" HEAD "$(nth "$F" 0)"
is "$rc" 2 'GOOD after BAD is an error of usage'
like "$err" 'not an ancestor' 'which says so'

# Nothing but skipped ones left.
for i in 6 7 8; do touch "$F/broken"; commit "$F" 80000; done
rm "$F/broken"
commit "$F" 80000
run_bisect "$T/s4" "$F" "$(nth "$F" 4)" HEAD
is "$rc" 5 'where only skipped commits are left it cannot tell'
for i in 6 7 8 9; do like "$out" "^  $(nth "$F" $i)" "candidate $i is listed"; done
unlike "$out" "^  $(nth "$F" 5)" 'and no other'
like "$(git -C "$F" bisect replay "$(grep -l "$(nth "$F" 8)" "$T"/s4/bisect/*/log)" 2>&1)" "only 'skip'ped commits left" 'git says the same'
git -C "$F" bisect reset >/dev/null 2>&1

# Side branches; the commit that brings the change is on one.
M=$T/merges
git init -q "$M"
commit "$M" 100000
git -C "$M" branch side
for i in 1 2 3; do
	echo "$i" >"$M/other"
	git -C "$M" add -A
	git -C "$M" commit -q -m "main $i"
done
main=$(git -C "$M" symbolic-ref --short HEAD)
git -C "$M" checkout -q side
commit "$M" 100000
commit "$M" 108000
culprit=$(git -C "$M" rev-parse HEAD)
commit "$M" 108000
git -C "$M" checkout -q "$main"
git -C "$M" merge -q -m 'merge side' side
for i in 4 5; do
	echo "$i" >"$M/other"
	git -C "$M" add -A
	git -C "$M" commit -q -m "main $i"
done
keep "$M"
run_bisect "$T/s5" "$M" "$(git -C "$M" rev-list --max-parents=0 HEAD)" HEAD
is "$rc" 0 'a history with merges is gone through'
[ "$rc" = 0 ] || note "$err"
like "$out" "^$culprit is the first bad commit$" 'to the commit on a side branch'
same "$M" 'merges'

# One right between the two, with noise: it gets all boots, and is skipped.
U=$T/undecided
git init -q "$U"
commit "$U" 100000 0.5
commit "$U" 102500 1.5
commit "$U" 105000 0.5
run_bisect "$T/s6" "$U" --max-boots 6 HEAD~2 HEAD
is "$rc" 5 'a commit that no boot decides is skipped'
like "$out" "^# skip: on neither side after all boots allowed: .*6 boots" 'after the last boot that it may have'
like "$out" "^  $(nth "$U" 1)" 'and stays a candidate'

# Two that do not boot, and the machine may be at fault: GOOD tells.
H1=$T/hangs
git init -q "$H1"
for i in 0 1 2 3 4 5 6 7 8; do
	if [ "$i" -ge 3 ] && [ "$i" -le 5 ]; then
		printf 'sim hang\n%s\n' "$i" >"$H1/sim"
		git -C "$H1" add -A
		git -C "$H1" commit -q -m 'hang at boot'
	else
		commit "$H1" "$((i < 7 ? 100000 : 110000))"
	fi
done
run_bisect "$T/s7" "$H1" "$(nth "$H1" 0)" "$(nth "$H1" 6)"
is "$rc" 5 'a history that does not change is no bisect'
bisect "$T/s7" "$H1" "$(nth "$H1" 0)" HEAD >"$T/broke.out" 2>"$T/broke.err" &
pid=$!
for _ in $(seq 1200); do grep -qs " commits left, about " "$T/broke.err" && break; sleep 0.02; done
: >"$L/hang"
wait "$pid"
rc=$?
is "$rc" 3 'a machine that breaks on the way ends a bisect as an error of the lab'
like "$(cat "$T/broke.err")" '^harness: GOOD \(.*\) does not boot any more, so the machine is at fault.*E_BROKEN' 'which tells that GOOD does not boot either'
rm "$L/hang"
run_bisect "$T/s7" "$H1" "$(nth "$H1" 0)" HEAD
unlike "$err" 'E_ENDS|E_BROKEN' 'mended, GOOD is not blamed for the boot that failed'
run_bisect "$T/s7" "$H1" --fresh "$(nth "$H1" 0)" HEAD
is "$rc" 0 'mended, and begun anew, it finds the commit'
[ "$rc" = 0 ] || note "$err"
like "$out" "^$(nth "$H1" 7) is the first bad commit$" 'which it is'

run_bisect "$T/s6" "$U" HEAD
is "$rc" 2 'one commit is an error of usage'
run_bisect "$T/s6" "$R" --boots 2 "$first" HEAD
is "$rc" 2 'two boots tell nothing'
run_bisect "$T/s6" "$R" "$(nth "$R" 1)" "$(nth "$R" 16)"
is "$rc" 4 'a BAD that does not build ends it'
like "$err" '^harness: BAD \(.*does not build: .*E_ENDS' 'and says why'
[ -s "$L/complaints" ] && note "$(cat "$L/complaints")"
lib_done
