#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Install the Debian packages that harness needs, on Debian 12 or 13.
#
#   scripts/deps.sh run     to build harness and images and to run the virtual lab
#   scripts/deps.sh check   the same, and the tools of the tests
#   scripts/deps.sh list    print the names of all of them, a line each
#
# Nothing is asked of the network, and no privilege is needed, when all of them are there.
# The virtual lab wants x2APIC without KVM, which QEMU has since 9.0.  Debian 12 is older, so
# there (and only there) QEMU is taken from backports, pinned so that nothing else follows it.
set -euo pipefail

build=(gcc make scdoc pkg-config git ca-certificates libuv1-dev libmicrohttpd-dev libsqlite3-dev
	libgsl-dev libjansson-dev libinih-dev libzstd-dev zlib1g-dev nettle-dev
	libcurl4-openssl-dev)
images=(bison flex python3 dpkg-dev ccache xz-utils bzip2 patch perl binutils libc6-dev)
running=(ipmitool openipmi qemu-system-x86 ipxe-qemu ipxe seabios ovmf util-linux)
tests=(libcmocka-dev perl ministat shellcheck mandoc clang-format sqlite3 curl procps
	debootstrap openssl python3-jsonschema chromium fonts-dejavu-core
	ser2net conserver-server conserver-client socat iproute2
	dnsmasq-base isc-dhcp-server kea-dhcp4-server strace
	python3-aiosmtpd mutt)

# What may come from backports, and nothing else may.
from_backports=('qemu-*' seabios ipxe-qemu)
qemu_needed=9
tries=3
source_file=/etc/apt/sources.list.d/harness-backports.sources
pin_file=/etc/apt/preferences.d/harness-backports.pref

say() { printf 'deps: %s\n' "$*"; }
die() {
	printf 'deps: %s\n' "$*" >&2
	exit 1
}

# Print what is missing of the packages named, a line each; a QEMU that is too old is missing too.
missing() {
	local -A have=()
	local status name version

	while read -r status name version; do
		[[ $status == ii ]] || continue
		if [[ $name == qemu-system-x86 ]]; then
			version=${version#*:}
			((${version%%[!0-9]*} >= qemu_needed)) || continue
		fi
		have[$name]=1
	done < <(dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\n' "$@" 2>/dev/null)
	for name in "$@"; do
		[[ ${have[$name]:-} ]] || printf '%s\n' "$name"
	done
}

as_root() {
	if ((EUID == 0)); then
		"$@"
	else
		sudo -- "$@"
	fi
}

apt() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600 \
		-o Acquire::Retries=3 -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# Repeat a step that uses the network; WHAT is for the person who waits.
retry() {
	local what=$1 n
	shift
	for ((n = 1; ; n++)); do
		if "$@"; then
			return 0
		fi
		((n < tries)) || return 1
		say "$what failed (try $n of $tries): again in $((n * 5)) s" >&2
		sleep $((n * 5))
	done
}

# Without Error-Mode a list that could not be fetched is only a warning.
refresh() { apt -o APT::Update::Error-Mode=any update "$@"; }

codename() { sed -n 's/^VERSION_CODENAME=//p' /etc/os-release; }

# The archives that apt knows, a line each: codename, origin, address.
archives() {
	apt-get indextargets --format '$(CODENAME)|$(ORIGIN)|$(REPO_URI)' 'Created-By: Packages' |
		sort -u
}

put() { as_root tee "$1" >/dev/null; }

# Make backports of SUITE known to apt, at the address where this machine has SUITE itself from.
add_backports() {
	local suite=$1 uri keyring='' name

	if ! archives | grep -q "^$suite-backports|"; then
		uri=$(archives | sed -n "s/^$suite|Debian|//p" | head -n 1)
		[[ $uri ]] || die "apt has no archive of $suite: add one, or install QEMU >= $qemu_needed by hand"
		for name in gpg pgp; do
			name=/usr/share/keyrings/debian-archive-keyring.$name
			[[ -e $name ]] && keyring="Signed-By: $name"
		done
		say "QEMU >= $qemu_needed is in $suite-backports: adding $source_file"
		put "$source_file" <<-END
			# Written by the harness project's scripts/deps.sh; safe to remove.
			Types: deb
			URIs: ${uri%/}
			Suites: $suite-backports
			Components: main
			${keyring}
		END
		# A name of its own keeps the pin below away from backports that others set up.
		put "$pin_file" <<-END
			Package: *
			Pin: release n=$suite-backports
			Pin-Priority: -1

			Package: ${from_backports[*]}
			Pin: release n=$suite-backports
			Pin-Priority: 600
		END
		retry 'fetching the backports list' refresh -o Dir::Etc::sourcelist="$source_file" \
			-o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0 ||
			die "cannot fetch the list of $suite-backports: look at the lines above"
	elif [[ ! -e $pin_file ]]; then
		put "$pin_file" <<-END
			Package: ${from_backports[*]}
			Pin: release n=$suite-backports
			Pin-Priority: 600
		END
	fi
}

# The tests run servers of their own: that of the package is not to start, now or later.
services=(ser2net conserver-server isc-dhcp-server kea-dhcp4-server)
policy=/usr/sbin/policy-rc.d
guarded=

guard_services() {
	[[ -e $policy ]] && return
	guarded=1
	trap 'unguard_services' EXIT
	put "$policy" <<-'END'
		#!/bin/sh
		# Written by the harness project's scripts/deps.sh for as long as it installs; safe to remove.
		exit 101
	END
	as_root chmod 755 "$policy"
}

unguard_services() {
	local name

	if [[ $guarded ]]; then
		as_root rm -f "$policy"
		guarded=
	fi
	command -v systemctl >/dev/null || return 0
	for name in "${services[@]}"; do
		[[ " $* " != *" $name "* ]] || as_root systemctl disable "$name" >/dev/null 2>&1 || true
	done
}

install() {
	local want=("$@") suite

	command -v apt-get >/dev/null ||
		die "no apt-get here; install by your system's own means: ${want[*]}"
	if ((EUID != 0)) && ! command -v sudo >/dev/null; then
		die "not root and no sudo: as root, run: $0 $purpose"
	fi
	say "installing: ${want[*]}"
	retry 'apt-get update' refresh || say "going on with the package lists at hand" >&2
	suite=$(codename)
	if [[ $suite == bookworm && " ${want[*]} " == *' qemu-system-x86 '* ]]; then
		add_backports "$suite"
	fi
	apt install --no-install-recommends --simulate "${want[@]}" >/dev/null ||
		die "apt cannot install these packages: look at the lines above"
	retry 'downloading packages' apt install --no-install-recommends --download-only "${want[@]}" ||
		die "packages could not be downloaded: is the network, or the mirror, reachable?"
	guard_services
	apt install --no-install-recommends "${want[@]}" || die "installing failed: look at the lines above"
	unguard_services "${want[@]}"
}

purpose=${1:-}
case $purpose in
run) all=("${build[@]}" "${images[@]}" "${running[@]}") ;;
check | list) all=("${build[@]}" "${images[@]}" "${running[@]}" "${tests[@]}") ;;
*) die "usage: $0 run|check|list" ;;
esac
if [[ $purpose == list ]]; then
	printf '%s\n' "${all[@]}" | sort -u
	exit 0
fi

mapfile -t lacking < <(missing "${all[@]}")
((${#lacking[@]} == 0)) && exit 0
install "${lacking[@]}"
mapfile -t lacking < <(missing "${all[@]}")
((${#lacking[@]} == 0)) || die "still missing, or too old: ${lacking[*]}"
