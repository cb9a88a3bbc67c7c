# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests that build real Xen, after tests/lib.sh and lib_images: the release that `make images` built, in git.
#
#   tree DIR      make that repository, on branch main, and give $S the compiler cache, so that what was compiled
#                 before is not compiled again
#   slower DIR    commit in it that each flush is three
export GIT_CONFIG_GLOBAL=$T/gitconfig GIT_CONFIG_NOSYSTEM=1
git config --global user.name 'Änn Author'
git config --global user.email ann@example.org
git config --global init.defaultBranch main

tree() {
	local from source

	from=$(realpath "${HARNESS_IMAGES:-build/state}")
	source=$(find "$from/cache/xen" -mindepth 1 -maxdepth 1 -type d -name 'xen-*' | head -n 1)
	[ -n "$source" ] || bail "no source of Xen in $from/cache/xen: make images"
	mkdir -p "$S/cache"
	cp -a "$from/cache/ccache" "$S/cache/ccache" || bail 'cannot copy the compiler cache'
	cp -a "$source" "$1" || bail 'cannot copy the source'
	git -C "$1" init -q
	git -C "$1" add -A
	git -C "$1" commit -q -m 'xen: the release'
}

# A known share of what a flush takes.  A known time would not do: an emulator that has to share its processor goes
# past the end of each wait by what others take.
slower() {
	python3 - "$1/xen/arch/x86/smp.c" <<'END' || bail 'flush_area_mask() is not as it was'
import sys
path = sys.argv[1]
text = open(path).read()
head = "void flush_area_mask(const cpumask_t *mask, const void *va, unsigned int flags)\n"
assert text.count(head) == 1
at = text.index(head)
end = text.index("\n}\n", at) + 3
once = text[at:end].replace("void flush_area_mask(", "static void flush_area_mask_once(", 1)
thrice = head + """{
    unsigned int i;

    for ( i = 0; i < 3; i++ )
        flush_area_mask_once(mask, va, flags);
}
"""
open(path, "w").write(text[:at] + once + "\n" + thrice + text[end:])
END
	git -C "$1" commit -q -a -m 'x86/smp: flush three times'
}
