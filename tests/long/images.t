#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The real recipe on real trees; takes many minutes, so only `make check-long` runs it.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_mark
mkdir -p "$T/a" "$T/b/deeper"

build() { run "$H" build --image xen "$@"; }
addresses() { find "$1/images/sha256" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort; }

# The same inputs from another folder, with an empty compiler cache each.
build --modes mixed --state "$T/a"
is "$rc" 0 'an image is built from the distribution'"'"'s source'
build --modes mixed --state "$T/b/deeper"
is "$rc" 0 'and again in another folder'
is "$(addresses "$T/b/deeper")" "$(addresses "$T/a")" 'the same inputs give the same bytes'
start=$(date +%s%N)
build --modes mixed --state "$T/a"
like "$out" 'mixed.*up to date' 'a build whose inputs are unchanged is none'
note "it took $((($(date +%s%N) - start) / 1000000)) ms"

# A tree of the user's: in git, dirty, and never written to.
src=$(find "$T/a/cache/xen" -mindepth 1 -maxdepth 1 -type d -name 'xen-*' | head -n 1)
cp -a "$src" "$T/tree"
git -C "$T/tree" init -q
git -C "$T/tree" -c user.name=t -c user.email=t@example.org add -A
git -C "$T/tree" -c user.name=t -c user.email=t@example.org commit -qm start
echo '/* changed */' >>"$T/tree/xen/common/kernel.c"
before=$(git -C "$T/tree" status --porcelain=v2 --branch; find "$T/tree" -path "$T/tree/.git" -prune -o -type f -printf '%p %s %T@\n' |
	sort | sha256sum)
build --modes mixed --state "$T/a" --xen "$T/tree"
is "$rc" 0 'a dirty git tree is built'
after=$(git -C "$T/tree" status --porcelain=v2 --branch; find "$T/tree" -path "$T/tree/.git" -prune -o -type f -printf '%p %s %T@\n' |
	sort | sha256sum)
is "$after" "$before" 'and not written to'
is "$(addresses "$T/a" | wc -l)" 2 'it gives another image'

# Its commit, which is another image again, in two places.
build --modes mixed --state "$T/a" --xen "$T/tree" --rev HEAD --json
is "$rc" 0 'a commit of the dirty tree is built'
first=$(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' <<<"$out")
build --modes mixed --state "$T/b" --xen "$T/tree" --rev HEAD --json
is "$(sed -n 's/.*"sha256": "\([0-9a-f]*\)".*/\1/p' <<<"$out")" "$first" 'and gives the same bytes everywhere'
is "$(addresses "$T/a" | wc -l)" 3 'which are not those of the changed tree'

# A tree without a mode, and one that does not compile.
sed -i '/^config X2APIC_CLUSTER$/,/^$/d' "$T/tree/xen/arch/x86/Kconfig"
build --modes cluster --state "$T/a" --xen "$T/tree"
is "$rc" 4 'a mode that the tree lacks cannot be had alone'
like "$err$out" 'cluster' 'and is named'
echo 'int broken = ;' >>"$T/tree/xen/common/kernel.c"
stored=$(addresses "$T/a")
build --modes mixed --state "$T/a" --xen "$T/tree"
is "$rc" 4 'a tree that does not compile fails the build'
like "$err" 'common/kernel\.c:[0-9]+:[0-9]+: error: expected expression' 'with the first error of the compiler'
is "$(addresses "$T/a")" "$stored" 'and nothing is stored'
nothing_left 'no process is left of all that'
lib_done
