#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness patch --check: a series in each form that git, mailers and archives keep it in becomes the
# tree that its author has, and the user's repository is the same before and after.
# shellcheck disable=SC2154 # run sets out, err and rc
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/e2e/series.sh
. tests/e2e/series.sh
snapshot >"$T/before"

gives 'git format-patch' "$M/series"
first=$(field commit)
g log -3 --reverse --format=%an%ae%ad%B work >"$T/wanted"
messages >"$T/got"
cmp -s "$T/wanted" "$T/got"
ok $? 'authors, dates and messages are the same, too'
like "$json" '"version": 3' 'the version is told'
like "$json" '"cover": null' 'there is no cover letter'
unlike "$json" 'mended|"differs"|other base' 'nothing was mended, and ids say nothing against it'
is "$(grep -c '"proof": "proven"' <<<"$json")" 5 'each file that has an id is proven'
is "$(grep -c '"proof": "no id"' <<<"$json")" 1 'a mode alone has no id that could prove it'
gives 'several files' "$M"/files/v3-000[123]-*
is "$(field commit)" "$first" 'the same series on the same base is the same commit'
rm -rf "$T/state"
gives 'cover letter first' "$M/cover"
is "$(field commit)" "$first" 'also in another checkout'
like "$json" '"subject": "\[PATCH v3 0/3\]' 'the cover letter is told'
like "$json" '"base_from": "base-commit"' 'the base is that of the mails'
"$H" patch --check --state "$T/state" --xen "$R" - <"$M/series" >"$T/out" 2>"$T/err"
ok $? 'standard input'
like "$(cat "$T/out")" 'proven by blob id: 3 of 3 files' 'the text tells what is proven'

for way in qp base64 base64-crlf 'qp crlf' mboxrd attached 'alternative crlf' reversed masked trailer stripped \
	'unsigned cut'; do
	damaged "$way"
done

g format-patch -q --stdout --abbrev=6 -1 work~2 >"$M/short"
check --json "$M/short"
like "$out" '"proof": "no id"' 'an id of 6 digits is no proof'
g format-patch -q --stdout --abbrev=7 -1 work~2 >"$M/short"
check --json "$M/short"
like "$out" '"proof": "proven"' 'one of 7 is'

g format-patch -q --stdout -1 work~2 | damage nofrom >"$M/one"
check --json "$M/one"
is "$(field tree)" "$(g rev-parse 'work~2^{tree}')" 'one mail without a From_ line'

# Replies, another version, the same mail twice.
{
	printf 'From x@localhost Mon Nov 30 10:00:00 2026\nFrom: X <x@localhost>\nDate: Mon, 30 Nov 2026 10:00:00 +0000\n'
	printf 'Subject: Re: [PATCH v3 2/3] x86: a new file\n\n> diff --git a/x b/x\n> --- a/x\nNo.\n\n'
	cat "$M/series" "$M/cover"
	sed 's/^\(Subject: \[PATCH\) v3/\1 v2/' "$M/series"
} >"$M/thread"
gives 'a whole thread' "$M/thread"
is "$(field commit)" "$first" 'what does not belong to it is left out'
like "$json" 'left out: 1 reply without a patch' 'the reply is told'
like "$json" 'left out: 3 patches of older versions; v3 is taken' 'the older version is told'
like "$json" 'left out: 2/3 a second time' 'what was there twice is told'

rm -f "$M/gap"
cat "$M"/files/v3-000[13]-* >"$M/gap"
check "$M/gap"
is "$rc" 2 'a missing patch is an error of usage'
like "$err" 'patch 2/3 is missing .*E_MAIL' 'which names it'
one_line 'a missing patch'
printf 'Hello\n' >"$M/none"
check "$M/none"
is "$rc" 2 'so is a file without a patch'
check "$M/nosuch"
is "$rc" 2 'and a file that there is not'
check --base nosuch "$M/series"
is "$rc" 2 'and a base that there is not'
like "$err" 'no commit "nosuch"' 'which is named'

# Two at a time share the checkout, one after the other.
"$H" patch --check --state "$T/state" --xen "$R" --base "$B" --json "$M/series" >"$T/a" 2>/dev/null &
"$H" patch --check --state "$T/state" --xen "$R" --base "$B" --json "$M/series" >"$T/b" 2>/dev/null
wait
cmp -s "$T/a" "$T/b"
ok $? 'two at a time give the same'
like "$(cat "$T/a")" "\"tree\": \"$W\"" 'and the right thing'

# Killed in the middle.
"$H" patch --check --state "$T/state" --xen "$R" "$M/series" >/dev/null 2>&1 &
pid=$!
for _ in $(seq 400); do [ -e "$T/state/patch/tree/.git/rebase-apply" ] && break; kill -0 $pid || break; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
gives 'after kill -9' "$M/series"
same
is "$(g rev-parse work)" "$C" 'and its branches'
lib_done
