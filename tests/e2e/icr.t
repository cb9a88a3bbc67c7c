#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What no clock can blur: the number of IPIs that a flush sends, from QEMU's trace of APIC registers.  One for
# each of the other CPUs in physical mode, one for each of their clusters in cluster and mixed mode.  Two boots
# with different numbers of calls are subtracted, which takes away what the boot itself sends.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
few=100
many=1100

lab_down() { "$H" lab down --state "$S" -q >/dev/null 2>&1; }
lib_at_exit lab_down
run "$H" lab up --trace --state "$S" --json
is "$rc" 0 'the lab comes up with its trace'
like "$out" '"trace": true' 'and says so'

# writes MODE ITERATIONS: to the ICR (register 0x30) in one boot
writes() {
	"$H" run --machine vlab --modes "$1" --boots 1 --samples 1 --warmup 0 --iterations "$2" --state "$S" -q \
		>"$T/report" 2>"$T/err" || return 1
	grep -c 'register 0x30' "$("$H" lab status --state "$S" --json | sed -n 's/.*"trace_file": "\(.*\)".*/\1/p')"
}

cpus=8
while read -r mode; do
	a=$(writes "$mode" "$few")
	b=$(writes "$mode" "$many")
	targets=$(sqlite3 "$S/harness.db" "select json_extract(facts, '\$.target_cpus') || ' ' ||
		json_extract(facts, '\$.clusters') from boot order by id desc limit 1")
	case $mode in
	physical) want=$((cpus - 1)) ;;
	*) want=1 ;;
	esac
	# In thousandths of a write a flush: stray IPIs of the boot differ by a few dozen of thousands.
	milli=$(((${b:-0} - ${a:-0}) * 1000 / (many - few)))
	got=$(((milli + 500) / 1000))
	is "$got" "$want" "$mode: $want ICR writes a flush"
	off=$((milli - want * 1000))
	[ "${off#-}" -lt 100 ]
	ok $? "$mode: and not nearly another number ($milli thousandths; $a and $b writes)"
	is "$targets" "$((cpus - 1)) 1" "$mode: the probe counts the same targets and clusters"
done < <(lib_modes)
lib_done
