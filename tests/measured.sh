# shellcheck shell=bash disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests that measure commits of a repository, after tests/lib.sh and lib_images: a recipe that makes an image
# of the one file "word" of a tree, out of the real image that $S has for the mode.
#
#   good…            the real image, with bytes appended that it does not look at
#   slow…            the same of the image folder $MEASURED_SLOW
#   hang…            the real image, which loops at its first instruction
#   broken…          the build fails as a compiler does
#   only MODE        the tree has this mode alone
#   wait…            the build waits, after it has made $T/waits, until it is killed
#
#   $R, $B   the repository, on branch main, and its base, whose word is "good base"; its working tree is dirty
#   series NAME WORD…   commits with these words on the base, as a branch and as the mails $M/NAME-*.patch and
#                       $M/NAME.mbox
#   same NAME        a test that nothing in the repository has changed since the last snapshot
#   patch ARG…       harness patch on the machine "vlab", whose stages have short deadlines
export GIT_CONFIG_GLOBAL=$T/gitconfig GIT_CONFIG_NOSYSTEM=1 HARNESS_DATA=$T/data HARNESS_TARGETS=$T/targets
export MEASURED_IMAGES=$S/images MEASURED_WAITS=$T/waits
R=$T/repo M=$T/mail
mkdir -p "$T/data/firmware-images/xen" "$T/targets" "$M"
ln -s "$PWD/harness" "$T/data/harness"

cat >"$T/data/firmware-images/xen/recipe" <<'END'
#!/bin/bash
set -e
case $1 in
describe)
	modes='physical cluster mixed'
	read -r kind mode _ <"$2/word"
	[ "$kind" = only ] && modes=$mode
	printf 'version=4.17.5\nmodes=%s\ncommit=%s\ndirty=0\n' "$modes" "$(git -C "$2" rev-parse HEAD)"
	printf 'srchash=%s\n' "$(git -C "$2" rev-parse HEAD 'HEAD^{tree}' | sha256sum | cut -d ' ' -f 1)"
	;;
prepare)
	mkdir -p "$3"
	cp "$2/word" "$3/word"
	git -C "$2" rev-parse HEAD >"$3/commit"
	;;
build)
	word=$(cat "$2/word")
	case $word in
	broken*)
		printf 'xen/common/kernel.c:12:3: error: unknown type name "%s"\n' "$word" >&2
		exit 2
		;;
	wait*)
		: >"$MEASURED_WAITS"
		sleep 300
		;;
	esac
	sha=$(sed -n 's/.*"sha256": *"\([0-9a-f]*\)".*/\1/p' "$MEASURED_IMAGES/refs/xen/$3.json")
	from=$MEASURED_IMAGES/sha256/$sha
	[[ $word != slow* ]] || from=$MEASURED_SLOW
	cp "$from/xen" "$4/xen"
	# The ELF header has the entry's address at 24, the program headers' place at 28 and their size at 42.
	[[ $word != hang* ]] || python3 - "$4/xen" <<'PY'
import struct, sys
with open(sys.argv[1], "r+b") as f:
    head = f.read(52)
    entry, table = struct.unpack_from("<II", head, 24)
    size, count = struct.unpack_from("<HH", head, 42)
    for i in range(count):
        f.seek(table + i * size)
        kind, at, virtual, physical, length = struct.unpack("<5I", f.read(20))
        if kind == 1 and virtual <= entry < virtual + length:
            f.seek(at + entry - virtual)
            f.write(b"\xeb\xfe")
            break
    else:
        sys.exit("no segment holds the entry")
PY
	printf '%s\n' "$word" >>"$4/xen"
	id=$(sed -n 's/.*"build-id": *"\([0-9a-f]*\)".*/\1/p' "$from/manifest.json" | head -n 1)
	printf 'mode=%s\nversion=4.17.5\ncommit=%s\ndebug=n\nbuild-id=%s\nprobe=1.0\n' "$3" "$(cat "$2/commit")" "$id" >"$4/manifest"
	;;
esac
END
chmod +x "$T/data/firmware-images/xen/recipe"

# Short, for what hangs; long enough for a machine that is busy.
sed -e 's/^hypervisor  = .*/hypervisor  = 25s/' targets/vlab.ini >"$T/targets/vlab.ini"
sed -i 's/^idle .*/&\nretries     = 0/; s/^\[hypervisor\]/&\ndebug_keys  = none/' "$T/targets/vlab.ini"

git config --global user.name 'Änn Author'
git config --global user.email ann@example.org
git config --global init.defaultBranch main
git init -q "$R"
g() { git -C "$R" "$@"; }
word() {
	printf '%s\n' "$1" >"$R/word"
	g add word
	g commit -q -m "word: $1"
}
word 'good base'
B=$(g rev-parse HEAD)

series() {
	local name=$1 w

	shift
	g checkout -q -f -b "$name" "$B"
	for w; do
		word "$w"
	done
	g format-patch -q --thread --to='Xen <xen-devel@example.org>' -o "$M/$name" main
	g format-patch -q --thread --stdout main >"$M/$name.mbox"
	g checkout -q -f main
}
# When all series are made: what a user leaves lying about.
dirty() {
	printf 'changed\n' >"$R/word"
	printf 'new\n' >"$R/untracked"
	printf 'staged\n' >"$R/staged"
	g add staged
	snapshot >"$T/before"
}
# But for times of object files, see git/checkout.h.
snapshot() {
	(
		cd "$R" || exit
		find . -type f ! -path './.git/objects/*' -printf '%p %T@ %i\n' -exec sha256sum {} + | sort
		find ./.git/objects -type f -printf '%p %i\n' -exec sha256sum {} + | sort
		find . -type d -printf '%p %T@\n' | sort
		GIT_OPTIONAL_LOCKS=0 git status --porcelain=v2 --branch
		git for-each-ref
	)
}
same() {
	snapshot >"$T/after"
	cmp -s "$T/before" "$T/after"
	ok $? "$1: files, index, refs and status of the repository are as they were"
	diff "$T/before" "$T/after" | sed 's/^/# /'
}
patch() {
	run "$H" patch --machine vlab --xen "$R" --state "$S" --modes mixed --samples 4 --iterations 20 --warmup 1 \
		--seed 7 "$@"
}
