# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# The verb `fetch` of recipe, which reads this file: how to get the distribution's Xen source.

warn() { printf 'xen: %s\n' "$*" >&2; }

# apt with lists, cache and sources of its own: needs no privilege and leaves the system's alone.
private_apt() {
	local tool=$1 as=()
	shift
	# As root apt would fetch as user _apt, who may not enter the cache folder.
	if ((EUID == 0)); then
		as=(-o APT::Sandbox::User=root)
	fi
	"$tool" -q -o Dir::State::lists="$cache/apt/lists" -o Dir::Cache="$cache/apt/cache" \
		-o Dir::Etc::sourcelist="$cache/apt/sources.list" -o Dir::Etc::sourceparts=- \
		-o Acquire::Retries=2 -o Acquire::http::Timeout=30 "${as[@]}" "$@"
}

# The archives that this machine installs from, as deb-src lines: the release itself, its
# updates and its security suite, but no backports and no other distribution's archives.
source_lines() {
	local codename=$1 suite=$2 keyring='' name
	for name in pgp gpg; do
		name=/usr/share/keyrings/debian-archive-keyring.$name
		[[ -e $name ]] && keyring="[signed-by=$name] "
	done
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(ORIGIN) $(CODENAME) $(REPO_URI) $(COMPONENT)' \
		'Created-By: Packages' |
		while read -r origin archive uri component; do
			[[ $origin == Debian && $component == main ]] || continue
			case $archive in
			"$codename" | "$codename-updates" | "$codename-security")
				printf 'deb-src %s%s %s main\n' "$keyring" "$uri" \
					"${archive/#$codename/$suite}"
				;;
			esac
		done | sort -u
}

# The version that the machine's own package lists would install; no network.  Empty if unknown.
candidate() {
	apt-cache policy xen-utils-common 2>/dev/null |
		sed -n 's/^ *Candidate: //p' | grep -v '^(none)$' || true
}

# Changes whenever the machine's own package lists do.
lists_print() {
	local lists=/var/lib/apt/lists
	eval "$(apt-config shell lists Dir::State::lists/d)"
	# shellcheck disable=SC2012 # only a fingerprint
	ls -l --time-style=+%s -- "$lists" 2>/dev/null | sha256sum | cut -c 1-16
}

# The folder of the unpacked source, in the first line of CACHEDIR/complete, stays good while
# suite and candidate (second line) stay; the third spares even asking apt for the candidate.
fetch() {
	local cache=$1 codename suite log version stamp prints
	local dir='' old_suite='' old_candidate='' old_prints='' new_candidate
	need apt-get apt-cache dpkg-source
	mkdir -p "$cache"
	cache=$(cd "$cache" && pwd)
	log=$cache/fetch.log
	stamp=$cache/complete

	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	suite=${HARNESS_XEN_SUITE:-$codename}
	prints=$(lists_print)
	if [[ -e $stamp ]]; then
		{ read -r dir && read -r old_suite old_candidate && read -r old_prints; } <"$stamp" || dir=
		[[ -d $dir && $old_suite == "$suite" ]] || dir=
		if [[ $dir && $old_prints == "$prints" ]]; then
			printf '%s\n' "$dir"
			return
		fi
	fi

	new_candidate=$(candidate)
	if [[ ! $dir || $old_candidate != "${new_candidate:--}" ]]; then
		if version=$(fetch_newest "$cache" "$codename" "$suite" "$log"); then
			dir=$cache/xen-$version
		elif [[ $dir ]]; then
			warn "no newer source package to be had (see $log); using ${dir##*/}"
			printf '%s\n' "$dir"
			return
		else
			die "cannot fetch Xen's source package of $suite: $(fetch_reason "$log")"
		fi
	fi
	printf '%s\n%s %s\n%s\n' "$dir" "$suite" "${new_candidate:--}" "$prints" >"$stamp.new"
	mv "$stamp.new" "$stamp"
	printf '%s\n' "$dir"
}

# The first thing that apt complained of, for a message of one line.
fetch_reason() {
	local line
	line=$(sed -n 's/^E: //p' "$1" 2>/dev/null | head -n 1)
	printf '%s (more in %s); a tree of your own will do: --xen DIR' "${line:-no reason given}" "$1"
}

# Fetch and unpack the newest version that can be had; print its number.  Archives at times list
# a version whose files they do not hold (yet), so older ones are tried too.
fetch_newest() {
	local cache=$1 codename=$2 suite=$3 log=$4 version versions new
	mkdir -p "$cache/apt/lists/partial" "$cache/apt/cache/archives/partial"
	source_lines "$codename" "$suite" >"$cache/apt/sources.list"
	: >"$log"
	if [[ ! -s $cache/apt/sources.list ]]; then
		printf 'E: apt knows no archive of Debian %s; run apt-get update as root\n' \
			"$codename" >>"$log"
		return 1
	fi
	printf 'xen: fetching the source package lists of %s\n' "$suite" >&2
	private_apt apt-get -o APT::Update::Error-Mode=any update >>"$log" 2>&1 ||
		warn "not all package lists could be fetched; going on with those at hand"
	versions=$(private_apt apt-cache showsrc --only-source xen 2>>"$log" |
		sed -n 's/^Version: //p' | awk '!seen[$0]++')
	if [[ ! $versions ]]; then
		printf 'E: %s has no source package xen\n' "$suite" >>"$log"
		return 1
	fi
	for version in $versions; do
		if [[ -d $cache/xen-$version ]]; then
			printf '%s' "$version"
			return
		fi
		printf 'xen: fetching xen %s\n' "$version" >&2
		new=$cache/new
		rm -rf "$new"
		mkdir "$new"
		if (cd "$new" && private_apt apt-get source --only-source "xen=$version" &&
			mv xen-*/ tree) >>"$log" 2>&1; then
			mv "$new/tree" "$cache/xen-$version"
			rm -rf "$new"
			printf '%s' "$version"
			return
		fi
		rm -rf "$new"
		warn "xen $version is listed but cannot be fetched"
	done
	return 1
}
