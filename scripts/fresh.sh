#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Run a command on a copy of this checkout in a Debian that has nothing but its base system.
#
#   scripts/fresh.sh [-d DIR] [-k] bookworm|trixie [COMMAND [ARG…]]
#
#   COMMAND is `make check` by default and runs in the copy, as root, without standard input.
#   -d DIR  where the system is made (build/fresh/SUITE)
#   -k      keep a system that is there already, and the packages in it, and only renew the copy
#
# The mounts live in a namespace of their own, as do all processes: both are gone when the
# command ends, however it ends.  The system stays in DIR to be looked at.  Exit status: the
# command's.
set -euo pipefail

die() {
	printf 'fresh: %s\n' "$*" >&2
	exit 2
}

dir='' keep=
while getopts d:k option; do
	case $option in
	d) dir=$OPTARG ;;
	k) keep=1 ;;
	*) die "usage: $0 [-d DIR] [-k] bookworm|trixie [COMMAND [ARG…]]" ;;
	esac
done
shift $((OPTIND - 1))
suite=${1:-}
[[ $suite == bookworm || $suite == trixie ]] ||
	die "usage: $0 [-d DIR] [-k] bookworm|trixie [COMMAND [ARG…]]"
shift
(($# > 0)) || set -- make check

((EUID == 0)) || die 'only root can make and enter a system: run this as root'
for tool in debootstrap unshare git; do
	command -v "$tool" >/dev/null || die "$tool is missing: run scripts/deps.sh check"
done
top=$(cd "$(dirname "$0")/.." && pwd)
root=${dir:-$top/build/fresh/$suite}
mkdir -p "$root"
root=$(cd "$root" && pwd)
[[ $root != / ]] || die 'DIR must not be /'
git=(git -c safe.directory="$top" -C "$top")

# Where this machine itself has Debian from.
mirror() {
	apt-get indextargets --format '$(ORIGIN)|$(CODENAME)|$(REPO_URI)' 'Created-By: Packages' |
		sed -n "s/^Debian|$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)|//p" | sort -u |
		head -n 1
}

make_system() {
	local uri

	uri=$(mirror)
	[[ $uri ]] || die 'apt on this machine knows no Debian archive: run apt-get update'
	[[ -z $(ls -A "$root") || -e $root/.harness-fresh ]] ||
		die "$root holds something that is not ours: empty it, or give another -d DIR"
	find "$root" -mindepth 1 -xdev -delete
	touch "$root/.harness-fresh"
	debootstrap --variant=minbase "$suite" "$root" "$uri" >"$root.log" 2>&1 ||
		die "debootstrap failed; the end of $root.log: $(tail -n 3 "$root.log")"
	# How this machine reaches its archive (a proxy, a clock that is off), not what it installs.
	apt-config dump --format '%F "%v";%n' Acquire |
		grep -E '^Acquire::(https?|Check-[A-Za-z-]*|ForceIPv4)(::[A-Za-z0-9.:-]+)? "[^"]' \
			>"$root/etc/apt/apt.conf.d/90host" || true
}

# The commit, with its history, then whatever is not committed yet.
copy_checkout() {
	rm -rf "$root/src"
	git -c safe.directory='*' clone -q --no-hardlinks "$top" "$root/src"
	"${git[@]}" ls-files -z --deleted | (cd "$root/src" && xargs -0r rm -f --)
	"${git[@]}" ls-files -z --cached --others --exclude-standard |
		(cd "$top" && tar -c --null --no-recursion --ignore-failed-read -T - 2>/dev/null) |
		tar -x -C "$root/src"
}

if [[ ! $keep || ! -e $root/.harness-fresh ]]; then
	make_system
fi
copy_checkout
# So that apt reaches the archive as this machine does.
cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true

exec unshare --mount --pid --ipc --fork --kill-child bash -euc '
	root=$1
	shift
	mount -t proc proc "$root/proc"
	mount -t sysfs -o ro sysfs "$root/sys"
	mount -t tmpfs -o mode=755 tmpfs "$root/dev"
	mkdir "$root/dev/pts" "$root/dev/shm" "$root/dev/net"
	mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$root/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	for node in null:1:3 zero:1:5 full:1:7 random:1:8 urandom:1:9 tty:5:0 net/tun:10:200; do
		IFS=: read -r name major minor <<<"$node"
		mknod -m 666 "$root/dev/$name" c "$major" "$minor"
	done
	ln -s pts/ptmx "$root/dev/ptmx"
	ln -s /proc/self/fd "$root/dev/fd"
	ln -s /proc/self/fd/0 "$root/dev/stdin"
	ln -s /proc/self/fd/1 "$root/dev/stdout"
	ln -s /proc/self/fd/2 "$root/dev/stderr"
	chroot "$root" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root TERM=dumb CI=true \
		${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
		bash -c "cd /src && exec \"\$@\"" - "$@" </dev/null
' - "$root" "$@"
