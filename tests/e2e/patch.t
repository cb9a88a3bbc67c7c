#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness patch: base and patched built aside, booted in turns, compared, and the report put where it is wanted;
# what cannot work is refused before anything is built.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/measured.sh
. tests/measured.sh
series noop 'good first' 'good second'
series one 'good one'
dirty
refs=$(cat "$S/images/refs/xen/mixed.json")
cp -r "$M" "$T/mail-before"

# refused STATUS REGEX NAME ARG…
refused() {
	local status=$1 regex=$2 name=$3

	shift 3
	patch "$@"
	is "$rc" "$status" "$name: status $status"
	like "$err" "$regex" "$name: it says why"
	one_line "$name"
}
run "$H" patch --xen "$R" --state "$S" "$M/one.mbox"
is "$rc" 2 'without a machine: status 2'
like "$err" '^harness: patch: --machine NAME ' 'and it is asked for'
refused 2 'nosuch' 'a machine that there is not' --machine nosuch "$M/one.mbox"
refused 2 '^harness: patch: --boots takes a number' 'an option of the run' --boots 0 "$M/one.mbox"
refused 2 '^harness: patch: cannot write .*/missing/x' 'a report that cannot be written' --junit "$T/missing/x" "$M/one.mbox"
refused 2 'unknown mode|no mode|"fast"' 'a mode that there is not' --modes fast "$M/one.mbox"
refused 2 '--in-message goes with --attach' 'half an option' --in-message "$M/one.mbox"
refused 2 '--attach wants the series in files' '--attach to standard input' --attach -
refused 2 'more than one mail' '--attach to an mbox of two patches' --attach "$M/noop.mbox"
refused 2 'no commit "nosuch"' '--note of a revision that there is not' --note nosuch "$M/one.mbox"
refused 2 'needs --from' '--reply without a sender' --reply --answer "$T/x" "$M/one.mbox"
refused 2 'one\.mbox is the mail that is answered' '--reply in place of the series' --reply --from 'A <a@example.org>' \
	--answer "$M/one.mbox" "$M/one.mbox"
refused 2 '--answer FILE or --send' '--reply to nowhere' --reply --from 'A <a@example.org>' "$M/one.mbox"
refused 2 'wants? .*ADDRESS|not .*address|address' '--reply from no address' --reply --from nobody --answer "$T/x" "$M/one.mbox"
refused 2 '--mail N goes with' 'the number of a mail of no file' --reply --mail 2 --from 'A <a@example.org>' \
	--answer "$T/x" "$M/one.mbox"
sed 's/^\[machine\]/&\ntags = both/' "$T/targets/vlab.ini" >"$T/targets/vtwo.ini"
sed -i 's/^mac .*/mac = 52:54:00:12:34:57/' "$T/targets/vtwo.ini"
refused 2 'reports of 2 machines cannot go to one place' 'one patch for two machines' --machine vtwo --attach "$M/one.mbox"
[ ! -e "$S/build/xen/tree" ]
ok $? 'none of these has built anything'
same 'all that was refused'
rm -r "$T/targets/vtwo.ini"

# A series that does nothing.
patch --boots 3 --attach --note one --reply --from 'Bob <bob@example.org>' --answer "$T/answer" --junit "$T/junit.xml" \
	"$M"/noop/*
[ "$rc" -le 1 ]
ok $? 'a series that does nothing is measured'
[ "$rc" -le 1 ] || note "$err"
report=$out
flat=$(tr -s '\\\n ' ' ' <<<"$out")
uuid=$(sqlite3 "$S/harness.db" 'select uuid from run')
like "$err" '^series +v1, 2 patches' 'what was found is said'
like "$err" '^  2/2  word: good second' 'patch by patch'
like "$err" "^base +4\\.17\\.5, commit ${B:0:12}: mixed built in " 'base is built'
like "$err" '^patched +4\.17\.5, commit [0-9a-f]{12}: mixed built in ' 'and patched'
like "$report" '^x base mixed' 'base is the reference'
like "$report" '^\+ patched mixed' 'and patched is compared with it'
like "$report" 'patched mixed.*(no difference|faster|slower|noise)|(no difference|faster|slower).* base mixed' 'with a verdict'
like "$flat" "commit ${B:0:12}, HEAD" 'the report says what base is'
like "$flat" 'base \+ 2 patches of Änn Author <ann@example.org>' 'and patched'
like "$flat" '"word: good first"' 'by the title of the series'
like "$flat" "Message-ID $(sed -n 's/^Message-I[Dd]: //p' "$M"/noop/0001-*)" 'and its Message-ID'
like "$flat" 'harness run .*--build base=[0-9a-f]+.* --build patched=[0-9a-f]+' 'how to measure that again, too'
is "$(sqlite3 "$S/harness.db" "select count(*) from boot where outcome = 'ok'")" 6 'each side was booted as often as asked'
is "$(sqlite3 "$S/harness.db" "select count(distinct build || '/' || block) from boot")" 6 'once a block'
is "$(cat "$S/images/refs/xen/mixed.json")" "$refs" 'what harness run boots is as before'
is "$(wc -l <"$T/junit.xml" | tr -d ' ' | grep -c '[1-9]')" 1 'the report is in the file of --junit as well'

# Where it went.
first=$(echo "$M"/noop/0001-*)
"$H" report --state "$S" --format mail >"$T/mail.txt"
is "$(sed '1,/^---$/d' "$first" | sed -n "1,/^end of the harness report\$/p" | sed '1d;$d')" "$(cat "$T/mail.txt")" \
	'the report is below the --- of the first patch'
cmp -s "$M"/noop/0002-* "$T"/mail-before/noop/0002-*
ok $? 'the second one is as it was'
out=$(
	python3 - "$T/answer" <<'END'
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
print(m["in-reply-to"], m["subject"], m["to"])
END
)
is "$out" "$(sed -n 's/^Message-I[Dd]: //p' "$first") Re: [PATCH 1/2] word: good first Änn Author <ann@example.org>" \
	'the answer is one to the first patch'
like "$(g notes --ref=harness show one)" "^harness report of run $uuid" 'the note is there'
g update-ref -d refs/notes/harness
sed -n '/^# branch/,$p' "$T/before" >"$T/refs"
snapshot | sed -n '/^# branch/,$p' | cmp -s - "$T/refs"
ok $? 'and nothing else has changed in status and refs'

# Once more, from patches of which one holds the report by now, and with a place for it that is gone in the end.
cp -r "$M/noop" "$T/gone"
gone=$(echo "$T"/gone/0001-*)
(
	for _ in $(seq 1200); do
		[ "$(sqlite3 "$S/harness.db" 'select count(*) from run' 2>/dev/null)" = 2 ] && break
		sleep 0.1
	done
	printf 'nothing\n' >"$gone"
) &
patch --boots 1 --json -o "$T/report.json" --attach "$T"/gone/*
wait $!
like "$err" "^base .* mixed up to date" 'what was built before is not built again'
like "$err" "^patched .* mixed up to date" 'a report in a patch changes nothing of what it does'
is "$rc" 2 'a patch that is gone in the end: status 2'
one_line 'a patch that is gone'
like "$err" "^harness: $gone: .*E_ATTACH" 'which is named'
uuid=$(sqlite3 "$S/harness.db" 'select uuid from run order by id desc limit 1')
like "$err" "the run is stored.*: harness attach $uuid --state '$S' --patch '$gone'\$" 'with the command that does it again'
cp "$first" "$gone"
eval "$(sed -n 's/.*: harness \(attach .*\)/"$H" \1/p' <<<"$err")" 2>/dev/null
is "$(grep '^harness report of run' "$gone")" "harness report of run $uuid" 'and does it, in place of the earlier one'
is "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["kind"])' "$T/report.json")" sides \
	'the report was written all the same'
nothing_left 'no process is left'
lib_done
