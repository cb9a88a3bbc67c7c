#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# 256 machines on one controller, their consoles at 115200 baud and all at once: nothing is lost or late.
# Memory and processor time are those of the program as it is shipped, not of a sanitized one.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
B=${BUILD:-build}
[ -x "$B/tests/tools/sim_lab" ] || bail "no $B/tests/tools/sim_lab: make e2e builds it"
images=${HARNESS_IMAGES:-build/state}
[ -d "$images/images/refs/xen" ] || bail "no images in $images: make images"
N=256

# load HARNESS OPTION…: figures in $out, and each as ${of[KEY]}
declare -A of
load() {
	run timeout 600 tests/bench/load.py "$1" "$B/tests/tools/sim_lab" tests/data/console-cluster.txt "$images" "${@:2}"
	of=()
	while read -r key value; do of[$key]=$value; done <<<"$out"
	[ "$rc" = 0 ] || note "$out$err"
}
value() { printf '%s' "${of[$1]:-none}"; }
below() {
	awk -v a="$(value "$1")" -v b="$2" 'BEGIN { exit !(a ~ /^[0-9.]+$/ && a < b) }'
	ok $? "$3"
}
nothing_lost() {
	is "$(value status)" 0 "$1: the run ends well"
	is "$(value complete)" "$(value boots)" "$1: every boot is complete"
	is "$(value samples) $(value wrong)" "$(($(value boots) * ${2:-453})) 0" "$1: every sample is stored as it was measured"
	is "$(value consoles_wrong)" 0 "$1: every console log is whole, to the byte"
	is "$(value gaps) $(value retries)" '0 0' "$1: no console was lost, no boot was tried again"
	is "$(value failed) $(value dropped) $(value reopened)" '0 0 0' "$1: no machine met a closed door"
	is "$(value sessions)" 0 "$1: no session is left on a BMC"
}

# A soft limit for half of them, as many systems have it.
ulimit -Sn 1024
load "$B/harness" --machines $N
nothing_lost "$N machines"
is "$(value boots) $(value together)" "$N $N" 'all consoles ran at the same time'
is "$(value stalled)" 0 'no serial line had to wait for its reader'
below late_ms 10000 'the last byte of each is seen before a buffer on its way could overflow'
below measure_cpu_share_percent 100 'under one core while the consoles run'
below cpu_share_percent 100 'and over the whole run'
below rss_kib $((128 << 10)) 'under 128 MiB'
note "$(grep -E '^(late_ms|sim_late_ms|silences|wall_s|cpu_|measure_cpu|rss|files)' <<<"$out")"

# From boot to boot by the machines' own restart, and with sanitizers.
load "$H" --machines 16 --boots 3 --samples 60 --between restart --keep "$T/lab"
nothing_lost 'machines that restart' 63

# Stopped for longer than the end of a report is waited for, with the end of it unread.
load "$H" --samples 150 --machines 1 --pause 4
nothing_lost 'a controller that was held up' 153

# Too few descriptors are told before any machine is touched.
run bash -c "ulimit -n 100; exec '$H' run --tag sim --targets '$T/lab/targets' --state '$T/lab/state' --modes cluster"
is "$rc" 3 'a hard limit that is too low is an error of the lab'
like "$err" '^harness: this takes 256 open files at once, and this process may have 100: raise the limit .*E_FILES' 'which says what to do'
lib_done
