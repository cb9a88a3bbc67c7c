#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Several machines in one process: really at once, and each on its own.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
D=$T/targets
mkdir "$D"
(umask 077 && echo sesame-not-this >"$T/password")

# virtual NAME LINE…: a small virtual machine; lines go into [machine]
virtual() {
	local name=$1

	shift
	sed "s|^cpus .*|cpus = 2|; s|^idle.*|&\\n$*|" targets/vlab.ini >"$D/$name.ini"
	"$H" machine show "$name" --targets "$D" >/dev/null || bail "machine $name"
}
# real NAME LINE…: a machine behind a BMC that does not answer
real() {
	local name=$1

	shift
	sed -n '1,/^\[lab\]/{/^\[lab\]/!p}' targets/vlab.ini |
		sed "s|^mac .*|mac = 02$(md5sum <<<"$T$name" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\).*/:\1:\2:\3:\4:\5/')|
			s|^listen.*|listen = 127.0.0.1:$port\nurl = http://10.0.2.2:1|
			s|^power-off .*|power-off = 2s|
			s|^\\[bmc\\]|&\\nhost = 127.0.0.1\\nport = $bmc\\npassword_file = $T/password|
			s|^idle.*|idle = leave\\nretries = 0\\n$*|" >"$D/$name.ini"
	"$H" machine show "$name" --targets "$D" >/dev/null || bail "machine $name"
}
port=$(free_port tcp)
bmc=$(free_port udp)
virtual one 'tags = pair lab'
virtual two 'tags = pair lab'
real busy 'tags = lab shut'
real deaf 'tags = lab'
real sick 'tags = lab shut'
common=(--state "$S" --targets "$D")
quick=(--modes mixed --boots 2 --samples 3 --iterations 50 --warmup 0 "${common[@]}")
mkdir -p "$S/locks"

# Mistakes: before anything is started.
usage() { # REGEX NAME ARGUMENT…
	local what=$1 name=$2

	shift 2
	run "$H" run "$@" "${quick[@]}"
	is "$rc" 2 "$name is a usage error"
	like "$err" "$what" 'and the line says what'
	one_line "$name"
}
usage '^harness: no machine has the tag "pairs": did you mean pair\? \(tags: lab, shut, pair\)' 'an unknown tag' --tag pairs
usage '^harness: run: --machine takes names separated by commas' 'an empty name' --machine one,,two
usage '^harness: no machine "twoo": did you mean two' 'an unknown machine among others' --machine one,twoo
usage '^harness: run: -o .*/r\.html is one file for 2 machines; put %m' 'one file for two reports' --tag pair -o "$T/r.html"
usage '^harness: run: --junit .* put %m' 'the same for JUnit' --tag pair --junit "$T/r.xml"
usage '^harness: run: the reports of 2 machines cannot be one file of this form' 'JSON of two machines' --tag pair --json
usage '^harness: run: cannot write /.*/no/one\.html: ' 'a folder that is not there' --tag pair -o "$T/no/%m.html"
echo 'tags = lab' >"$D/broken.ini"
usage '/broken.ini:1: key "tags" stands before' 'a bad file of a machine that is named' --machine one,broken
printf '[machine]\ntags = odd\nmac = 3\n' >"$D/broken.ini"
usage '/broken.ini:3: bad value "3" for mac' 'a bad file with the tag' --tag odd
run "$H" machine list --tag shut --targets "$D"
is "$(grep -o '^[a-z]*' <<<"$out" | xargs)" 'busy sick' 'machine list --tag names those with the tag'
like "$out" '^ +tags: lab shut' 'and shows the tags'
like "$err" '/broken.ini:3: .*; the machine is left out' 'a broken file without it is left out, and that is said'
run "$H" machine list --tag shut --json --targets "$D"
is "$(jq -r '.[].tags | join("+")' <<<"$out" | xargs)" 'lab+shut lab+shut' 'so does its JSON'
rm "$D/broken.ini"
is "$(ls "$S/locks")" '' 'nothing was locked by all these'
ok "$([ ! -e "$S/harness.db" ]; echo $?)" 'and no run was begun'

# All machines with a tag: two that measure, one in use, one in quarantine, one whose BMC is dead.
"$H" machine quarantine sick --why 'smells of smoke' "${common[@]}" >/dev/null || bail 'quarantine'
run flock -n "$S/locks/busy.lock" "$H" run --machine two --tag lab "${quick[@]}" --junit "$T/%m.xml"
is "$rc" 3 'the lab failed for some: that is the status'
like "$err" '^harness: busy is in use .*; --wait waits for it \(E_BUSY\)' 'one was in use'
like "$err" '^harness: sick is in quarantine since .*smells of smoke.*\(E_QUARANTINE\)' 'one in quarantine'
like "$err" '^harness: deaf: stage power-off: ' 'one did not answer'
is "$(grep -c ': boot 2/2 .* ok ' <<<"${err//:  boot/: boot}")" 2 'the others measured all the same'
is "$(grep -oE ' (one|two): run| (one|two): +boot 2/2' <<<"$err" | head -2 | grep -c run)" 2 \
	'both began before one had ended'
like "$err" '^2 of 5 machines ended well$' 'the summary counts'
tail=$(sed -n '/machines ended well/,$p' <<<"$err")
is "$(awk 'NR > 1 { print $1 }' <<<"$tail" | xargs)" 'two busy deaf one sick' 'and has a line for each machine'
like "$tail" '^  one +ok +harness show [0-9a-f]{4}' 'with its run'
like "$tail" '^  busy +busy +busy is in use' 'or what was the matter'
like "$tail" '^  deaf +lab +deaf: stage power-off: .*; harness show [0-9a-f]{4}' 'and where to look'
# Whole reports in the order in which the runs ended, the same as of each alone.
all=
for id in $(grep -oE ' run [0-9a-f]{4,}, 20' <<<"$out" | cut -d' ' -f3 | tr -d ,); do
	all=$all${all:+$'\n\n'}$("$H" report "$id" "${common[@]}")
done
is "$out" "$all" 'standard output has the whole reports, an empty line between two'
is "$(grep -c '^again .*--machine [a-z]* ' <<<"$out")" 3 'each says how to repeat it, alone'
is "$(grep -oE -- '--machine (one|two|deaf) ' <<<"$out" | sort -u | wc -l)" 3 'for its own machine'
files=("$T"/*.xml)
is "${files[*]##*/}" 'deaf.xml one.xml two.xml' '%m in a file name is the machine'
like "$(cat "$T/one.xml")" 'one' 'whose report is in it'
is "$("$H" runs "${common[@]}" | grep -c flush-all)" 3 'those that began have their runs in the store'
nothing_left 'nothing is left running'

# Statuses: all that failed agree, or the worst.
run flock -n "$S/locks/busy.lock" "$H" run --machine busy,sick "${quick[@]}"
is "$rc" 3 'busy and lab: lab'
is "$out" '' 'no report of what did not begin'
"$H" machine recover sick --keep-power "${common[@]}" >/dev/null 2>&1
rm -f "$S/quarantine/sick"
run flock -n "$S/locks/busy.lock" flock -n "$S/locks/sick.lock" "$H" run --tag shut "${quick[@]}"
is "$rc" 6 'both in use: busy'
like "$err" '^0 of 2 machines ended well$' 'as the summary says'

# One waits while another measures; Ctrl-C ends both.
flock -n -F "$S/locks/busy.lock" sleep 300 &
holder=$!
"$H" run --machine busy,one,two --wait "${quick[@]}" --boots 9 -v >"$T/o" 2>"$T/e" &
pid=$!
for _ in $(seq 900); do
	[ "$(grep -cE '(one|two): boot 1/9 mixed: firmware' "$T/e")" = 2 ] && break
	sleep 0.1
done
is "$(grep -cE '(one|two): boot 1/9 mixed: firmware' "$T/e")" 2 'two boot while one waits for its lock'
like "$(cat "$T/e")" 'busy is in use by .*; waiting for it' 'and says so'
kill -INT "$pid"
wait "$pid"
is "$?" 130 'Ctrl-C ends all'
kill "$holder"
is "$(grep -c '^  [a-z]* *interrupted ' "$T/e")" 3 'each is told to be interrupted'
is "$(cat "$T/o")" '' 'without pages of reports'
nothing_left 'and nothing is left behind'
is "$("$H" machine list "${common[@]}" | grep -c ' free ')" 5 'all machines are free again'
lib_done
