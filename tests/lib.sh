# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the end-to-end tests share: TAP, a folder of their own, the program under test.
#
#   $H        the program (HARNESS_BIN or build/harness)
#   $T        an empty folder, removed at the end
#   $S        a state folder in it that holds the images (HARNESS_IMAGES or build/state), linked, not
#             copied; made by lib_images
# A test ends with lib_done.
set -u
H=$(realpath "${HARNESS_BIN:-build/harness}")
T=$(mktemp -d "${TMPDIR:-/tmp}/harness-test-XXXXXX")
S=$T/state
lib_n=0
lib_failed=0
lib_cleanups=()
unset HARNESS_STATE HARNESS_TARGETS

lib_exit() {
	local c

	for c in "${lib_cleanups[@]}"; do
		"$c"
	done
	rm -rf "$T"
}
trap lib_exit EXIT
trap 'exit 1' INT TERM HUP

# A function to call at the end, whatever happens.
lib_at_exit() { lib_cleanups=("$1" "${lib_cleanups[@]}"); }

# ok STATUS NAME
ok() {
	lib_n=$((lib_n + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' "$lib_n" "$2"
	else
		printf 'not ok %d - %s\n' "$lib_n" "$2"
		lib_failed=1
	fi
	return 0
}

# Lines for a person, after a failure.
note() { sed 's/^/# /' <<<"$1"; }

# is GOT WANTED NAME
is() {
	local same=0

	[ "$1" = "$2" ] || same=1
	ok "$same" "$3"
	[ "$same" = 0 ] || note "got: $1
wanted: $2"
}

# like TEXT REGEX NAME: grep -E finds it in a line of the text
like() {
	local rc=0

	grep -Eq -- "$2" <<<"$1" || rc=1
	ok "$rc" "$3"
	[ "$rc" = 0 ] || note "no line matches /$2/ in:
$1"
}

unlike() {
	local rc=0

	grep -Eq -- "$2" <<<"$1" && rc=1
	ok "$rc" "$3"
	[ "$rc" = 0 ] || note "a line matches /$2/ in:
$1"
}

# run COMMAND…: its output in $out and $err, its status in $rc
run() {
	rc=0
	"$@" >"$T/out" 2>"$T/err" </dev/null || rc=$?
	out=$(tr -d '\0' <"$T/out")
	err=$(tr -d '\0' <"$T/err")
}

# one_line NAME: the command that ran said what failed, and in one line
one_line() { is "$(grep -c '^harness: ' <<<"$err")" 1 "$1: one line says it"; }

bail() {
	printf 'Bail out! %s\n' "$1"
	exit 1
}

# Everything that is started from here on carries a mark; this lists what of it still runs.
lib_mark() { export HARNESS_TEST_MARK=$T; }
lib_marked() {
	local p

	for p in /proc/[0-9]*; do
		[ "${p#/proc/}" = "$$" ] && continue
		tr '\0' '\n' 2>/dev/null <"$p/environ" | grep -qx "HARNESS_TEST_MARK=$T" || continue
		# What is still ending is not left behind: the caller asks again.
		printf '%s %s\n' "${p#/proc/}" "$(tr '\0' ' ' 2>/dev/null <"$p/cmdline")"
	done | grep -vE '(^[0-9]+ $|/proc|grep -qx|^[0-9]+ (tr|grep|bash tests|/bin/bash [^ ]*\.t) )'
}

# nothing_left NAME: within 5 s nothing that carries the mark runs
nothing_left() {
	local left=

	for _ in $(seq 50); do
		left=$(lib_marked)
		[ -z "$left" ] && break
		sleep 0.1
	done
	is "$left" '' "$1"
}

# A TCP or UDP port of 127.0.0.1 that was free a moment ago.
free_port() {
	python3 -c 'import socket,sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM if sys.argv[1] == "udp" else socket.SOCK_STREAM)
s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' "$1"
}

# The images that the Makefile built once: links, so that nothing is copied and nothing is changed.
lib_images() {
	local from=${HARNESS_IMAGES:-build/state}

	[ -d "$from/images/refs/xen" ] || bail "no images in $from: make images"
	mkdir -p "$S"
	cp -al "$(realpath "$from")/images" "$S/images" 2>/dev/null ||
		cp -a "$(realpath "$from")/images" "$S/images" || bail "cannot copy the images"
	# What tests write to is a copy: a link would change it for all.
	rm -rf "$S/images/refs"
	cp -a "$(realpath "$from")/images/refs" "$S/images/refs" || bail "cannot copy the images"
}

# Modes that the images have, in the order of reports.
lib_modes() {
	local m

	for m in mixed physical cluster; do
		grep -q skipped "$S/images/refs/xen/$m.json" || printf '%s\n' "$m"
	done
}

lib_done() {
	printf '1..%d\n' "$lib_n"
	exit "$lib_failed"
}
