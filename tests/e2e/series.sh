# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For the tests of harness patch: a repository with a series on a branch, its mails, and what is asked
# of them.  After tests/lib.sh.
#
#   $R, $B, $W, $C   the repository, its base, and the series' last tree and commit (branch work)
#   $M               a folder of mails: series (an mbox), cover (with its cover letter), files/
# shellcheck disable=SC2034,SC2154 # for, and from, the tests
export GIT_CONFIG_GLOBAL=$T/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name 'Jürgen Prüfer'
git config --global user.email tester@localhost
git config --global init.defaultBranch main
R=$T/repo M=$T/mail
git init -q "$R"
mkdir -p "$R/arch" "$M"
g() { git -C "$R" "$@"; }

# What damages can hit: lines longer than mails are, tabs, a file without a last line end.
{
	printf 'obj-y := %s.o\n' smp apic flush
	printf 'all: ; \techo\t"x"\n'
	for i in $(seq 20); do
		printf '\t$(CC) -o $@ a long line of recipe %d that mailers would wrap since it is long\n' "$i"
	done
} >"$R/Makefile"
for i in $(seq 60); do
	printf '    if ( value_number_%d ) /* a comment that makes this line longer than 72 */ do_this();\n' "$i"
	printf '\tfoo(%d);\t/* bar */\n' "$i"
done >"$R/arch/flush.c"
printf 'no end' >"$R/arch/tail"
printf 'moved\n%.0s' $(seq 30) >"$R/arch/old.c"
printf 'one\r\ntwo\r\nthree\r\n' >"$R/arch/crlf.txt"
g add .
g commit -q -m base
B=$(g rev-parse HEAD)
g checkout -q -b work
sed -i 's/value_number_7 /value_number_7 + something_else - another_thing_to_add_here /
	s/^\tfoo(30);/\tfoo(30 + 1);\n\t\tbar(30);/' "$R/arch/flush.c"
g commit -q -a -m '[x86] flush: do it in another way

From here on a line begins as an envelope does.
>From is not the same.'
sed -i 's/^obj-y := apic.o/&\nobj-y := new.o/; s/recipe 9 that/recipe nine that somebody changed and/' "$R/Makefile"
{
	printf 'int f(void)\n{\n'
	printf '\treturn a_function_with_a_long_name(first_argument, second_argument, third_argument);\n}\n'
} >"$R/arch/new.c"
printf 'still no end' >"$R/arch/tail"
g add .
g commit -q -m 'x86: a new file, a tail without an end'
g mv arch/old.c arch/renamed.c
chmod +x "$R/Makefile"
printf 'added\n' >>"$R/arch/renamed.c"
g commit -q -a -m 'x86: rename, and a mode'
W=$(g rev-parse 'HEAD^{tree}') C=$(g rev-parse HEAD)
g checkout -q main
printf 'changed\n' >>"$R/arch/tail"
: >"$R/untracked"

# But for times of object files: git renews that of one which it would have written anew.
snapshot() {
	(
		cd "$R" || exit
		find . -type f ! -path './.git/objects/*' -printf '%p %T@ %i\n' -exec sha256sum {} + | sort
		find ./.git/objects -type f -printf '%p %i\n' -exec sha256sum {} + | sort
		find . -type d -printf '%p %T@\n' | sort
	)
}
g format-patch -q -o "$M/files" -v3 --cover-letter --base=main main..work
cat "$M"/files/v3-000[123]-* >"$M/series"
cat "$M"/files/* >"$M/cover"

damage() { python3 tests/e2e/damage.py "$@" || bail 'damage.py fails'; }
check() { run "$H" patch --check --state "$T/state" --xen "$R" "$@"; }
field() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))[sys.argv[2]])' "$T/out" "$1"; }
# gives NAME FILE…: the series applies and has the author's tree
gives() {
	local name=$1

	shift
	check --json "$@"
	[ "$rc" = 0 ] || note "$err"
	is "$(field tree 2>/dev/null)" "$W" "$name: the tree is the author's"
	json=$out
}
# damaged "WAYS" [FILE]
damaged() {
	# shellcheck disable=SC2086 # words
	damage $1 <"${2:-$M/series}" >"$M/damaged"
	gives "$1" "$M/damaged"
}
messages() { git -C "$T/state/patch/tree" log -3 --reverse --format=%an%ae%ad%B; }

same() {
	snapshot >"$T/after"
	cmp -s "$T/before" "$T/after"
	ok $? 'every file of the repository is as it was, index and refs too'
	diff "$T/before" "$T/after" | sed 's/^/# /'
}
