#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness patch --check: mails that mailers and archives have damaged are mended where it is safe, and
# what cannot be applied ends with file and hunk, exit status 4.
# shellcheck disable=SC2154 # run sets out, err and rc
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/e2e/series.sh
. tests/e2e/series.sh

for way in kept dropped 'hard crlf'; do
	damaged "$way"
	like "$json" 'a wrapped line was joined' "$way: and it is said"
	unlike "$json" '"differs"' "$way: no blob id is against it"
done
for way in tabs-line tabs-text; do
	damaged "$way"
	like "$json" 'were made tabs again' "$way: and it is said"
	is "$(grep -c '"proof": "proven"' <<<"$json")" 5 "$way: each file that has an id is proven"
done


# Mails of an archive, whose fields are lost.
for way in headerless noheaders; do
	files=()
	for i in 1 2 3; do
		damage "$way" <"$(echo "$M"/files/v3-000$i-*)" >"$M/page$i"
		files+=("$M/page$i")
	done
	gives "$way" "${files[@]}"
	like "$json" 'Subject was missing' "$way: and it is said"
	like "$json" 'Date was missing: that of the base' "$way: the date is the base's"
done
one=$(field commit)
gives 'once more' "${files[@]}"
is "$(field commit)" "$one" 'the same commit, though nobody knows its date'

# What does not apply: on another base, where a merge cannot do it either.
g worktree add -q -b other "$T/other" main 2>/dev/null
sed -i 's/value_number_7 /nothing_7 /; s/foo(30)/qux(30)/' "$T/other/arch/flush.c"
git -C "$T/other" commit -q -a -m other
check --base other "$M/series"
is "$rc" 4 'a patch that does not apply ends with 4'
like "$err" 'patch 1/3 "\[x86\] flush.*arch/flush.c, hunk 1 of [12] .line 1?[0-9].*--base REV.*E_APPLY' \
	'and names patch, file, hunk, and what to do'
one_line 'a patch that does not apply'
is "$(git -C "$T/state/patch/tree" status --porcelain; git -C "$T/state/patch/tree" rev-parse HEAD)" \
	"$(g rev-parse other)" 'and the checkout is clean, at the base'

# A base whose file is another one near by: a merge does it, and no id can prove it.
git -C "$T/other" checkout -q -B near main
sed -i '10s/.*/another line/' "$T/other/arch/flush.c"
git -C "$T/other" commit -q -a -m near
check --base near "$M/series"
is "$rc" 0 'a base with other lines near by'
like "$out" 'not proven: arch/flush.c: the base has another file' 'which is told as not proven'
like "$out" 'applied by a three-way merge' 'and that it took a merge'

# Added lines that were wrapped, where no id tells whether there was a blank.
g format-patch -q --stdout -1 work~2 | damage dropped >"$M/wrapped"
check --json "$M/wrapped"
is "$(field tree)" "$(g rev-parse 'work~2^{tree}')" 'wrapped lines that ids prove'
sed -i '/^index /d' "$M/wrapped"
check "$M/wrapped"
is "$rc" 4 'wrapped lines that no id proves end with 4'
like "$err" 'arch/flush.c: line [0-9]+ of the mail.s text was wrapped, and nothing tells .*E_APPLY' \
	'and file and line are named'
one_line 'a wrapped line without an id'
is "$(git -C "$T/state/patch/tree" status --porcelain)" '' 'and the checkout is clean'
g format-patch -q --stdout -1 work~2 | damage kept | sed '/^index /d' >"$M/wrapped"
check --json "$M/wrapped"
is "$(field tree)" "$(g rev-parse 'work~2^{tree}')" 'lines that have kept their blank need no id'
g format-patch -q --stdout -1 work~2 | damage dropped >"$M/wrapped"
check --base near "$M/wrapped"
is "$rc" 4 'on another base the ids are no help'

# Damage with no single way to mend it.
damage hard <"$M/series" | sed 's/^@@ -\([0-9]*\),[0-9]* /@@ -\1,3 /' >"$M/damaged"
check "$M/damaged"
is "$rc" 4 'a damaged patch ends with 4'
like "$err" 'hunk [0-9]+ .line [0-9]+ of the mail.s text.: the mail is damaged.*E_APPLY' 'and names the hunk'
sed '/^ 	foo(29)/d' "$M/series" >"$M/damaged"
check "$M/damaged"
like "$err" 'arch/flush.c, hunk [12] .*lines are missing' 'so does a line that was lost'

# Files with CRLF inside keep it.
g worktree remove --force "$T/other"
(
	cd "$R" || exit
	git stash -q
	sed -i 's/^two\r/TWO\r/' arch/crlf.txt
	git commit -q -a -m crlf
	git stash pop -q
)
for way in '' qp base64; do
	# shellcheck disable=SC2086
	g format-patch -q --stdout -1 main | damage $way >"$M/crlf"
	check --base main~1 --json "$M/crlf"
	is "$(field tree)" "$(g rev-parse 'main^{tree}')" "lines of a file that end in CRLF ${way:+($way)}"
done

lib_done
