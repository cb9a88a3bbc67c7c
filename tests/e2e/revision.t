#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness build --rev: a commit of somebody's repository, which is the same before and after.
# shellcheck disable=SC2154 # run sets out, err and rc
# shellcheck source=tests/lib.sh
. tests/lib.sh

# A recipe whose image is the tree's one file, so that what was built can be read.
export HARNESS_DATA=$T/data CALLS=$T/calls
mkdir -p "$HARNESS_DATA/firmware-images/xen"
cat >"$HARNESS_DATA/firmware-images/xen/recipe" <<'EOF'
#!/bin/bash
case $1 in
describe)
	printf 'version=4.19.1\nmodes=physical cluster mixed\n'
	printf 'commit=%s\ndirty=%d\n' "$(git -C "$2" rev-parse HEAD)" "$(git -C "$2" status --porcelain | wc -l)"
	printf 'srchash=%s\n' "$(git -C "$2" rev-parse 'HEAD^{tree}' | sha256sum | cut -d ' ' -f 1)"
	;;
prepare)
	mkdir -p "$3"
	cp "$2/word" "$3/word"
	;;
build)
	if [ -e "$CALLS.hang" ]; then
		: >"$CALLS.begun"
		sleep 300
	fi
	cat "$2/word" >"$4/xen"
	printf 'mode=%s\nversion=4.19.1\ncommit=abc\ndebug=n\n' "$3" >"$4/manifest"
	;;
esac
EOF
chmod +x "$HARNESS_DATA/firmware-images/xen/recipe"

# The repository: three commits, a tag, and a working tree with changes of each kind.
export GIT_CONFIG_GLOBAL=$T/gitconfig GIT_CONFIG_NOSYSTEM=1
mkdir "$T/hooks"
printf '#!/bin/sh\ntouch %q\n' "$T/hook-ran" >"$T/hooks/post-checkout"
chmod +x "$T/hooks/post-checkout"
git config --global user.name tester
git config --global user.email tester@localhost
R=$T/repo
git init -q "$R"
for word in one two three; do
	printf '%s\n' "$word" >"$R/word"
	git -C "$R" add word
	git -C "$R" commit -q -m "$word"
done
git -C "$R" tag second HEAD~1
git -C "$R" branch other HEAD~2
printf 'changed\n' >"$R/word"
printf 'new\n' >"$R/untracked"
printf 'staged\n' >"$R/staged"
git -C "$R" add staged
# Checkouts of ours are made in spite of these.
git config --global core.hooksPath "$T/hooks"
git config --global core.autocrlf true

snapshot() {
	(
		cd "$R" || exit
		find . -type f -printf '%p %T@ %i\n' -exec sha256sum {} + | sort
		find . -type d -printf '%p %T@\n' | sort
	)
}
snapshot >"$T/before"
same() {
	snapshot >"$T/after"
	cmp -s "$T/before" "$T/after"
	ok $? "$1: every file of the repository is as it was, index and refs too"
}
build() { run "$H" build --state "$T/state" --modes mixed -q --json "$@"; }
# holds WORD WHAT: the image that was told last
holds() {
	local sha

	[ "$rc" = 0 ] || note "$err"
	sha=$(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' <<<"$out")
	is "$(cat "$T/state/images/sha256/$sha/xen" 2>/dev/null)" "$1" "$2"
}

build --xen "$R" --rev second
holds two 'a tag is built'
like "$out" "\"commit\": \"$(git -C "$R" rev-parse second)\"" 'and its commit is told'
like "$out" '"dirty": false' 'a checkout is clean whatever the user has changed'
same tag
build --xen "$R" --rev HEAD
holds three 'HEAD is the commit, not the changed file'
build --xen "$R" --rev other
holds one 'a branch is built'
build --xen "$R" --rev "$(git -C "$R" rev-parse second)"
holds two 'a hash is built'
like "$out" '"result": "up to date"' 'and what was built before is not built again'
[ ! -e "$T/hook-ran" ]
ok $? "the user's hooks do not run"
same 'four builds'

# What `harness run` boots.
ref() { cat "$T/state/images/refs/xen/mixed.json"; }
now=$(ref)
build --xen "$R" --rev other --aside
holds one '--aside tells the image'
is "$(ref)" "$now" 'and leaves the mode with the one that it has'
build --xen "$R" --rev other
[ "$(ref)" != "$now" ]
ok $? 'which a build without it does not'

# As git leaves it for hooks and `rebase --exec`.
GIT_DIR=$T/nowhere GIT_INDEX_FILE=$T/index GIT_WORK_TREE=$T build --xen "$R" --rev second
holds two "another command's GIT_DIR does not count"

git -C "$R" worktree add -q "$T/linked" other 2>/dev/null
git clone -q --bare "$R" "$T/bare"
snapshot >"$T/before"
build --xen "$T/linked" --rev HEAD
holds one 'a linked work tree has a HEAD of its own'
build --xen "$T/bare" --rev second
holds two 'a bare repository will do'
same 'a linked work tree'

# The checkout is ours, and is mended.
echo garbage >"$T/state/build/xen/tree/.git/HEAD"
build --xen "$R" --rev other
holds one 'a checkout that is damaged is made anew'
tree=$T/state/build/xen/tree
: >"$tree/.git/index.lock"
mkdir "$tree/.git/rebase-apply"
echo left >"$tree/left"
rm "$tree/word"
build --xen "$R" --rev second
holds two 'what a killed git left does not stand in the way'
like "$out" '"dirty": false' 'nor do files that are left or lost'

# Killed in the middle.
: >"$CALLS.hang"
"$H" build --state "$T/state" --modes mixed -q --xen "$R" --rev HEAD --force >/dev/null 2>&1 &
builder=$!
for _ in $(seq 400); do [ -e "$CALLS.begun" ] && break; sleep 0.05; done
kill -9 "$builder"
wait "$builder" 2>/dev/null
rm "$CALLS.hang"
same 'kill -9'
build --xen "$R" --rev HEAD
holds three 'and the next build goes through'

build --xen "$R" --rev nosuch
is "$rc" 2 'a revision that there is not is an error of usage'
like "$err" 'no commit "nosuch"' 'which names it'
build --xen "$R" --rev --upload-pack=x
is "$rc" 2 'a revision is never an option of git'
mkdir "$T/plain"
build --xen "$T/plain" --rev HEAD
is "$rc" 2 'a folder that is no repository is an error of usage'
like "$err" 'not a git repository' 'which says so'
build --rev HEAD
like "$err" '--rev .*--xen' '--rev wants a repository'
same 'all of it'

lib_done
