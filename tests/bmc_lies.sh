# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests whose BMC misbehaves, after tests/lib.sh: whole runs on the virtual lab, with tests/tools/bmc_between.py
# in the place of ipmi_sim and a chassis program that lies.
#
#   $F             the folder of rules (bmc_between.py), lies and what was seen
#   machine NAME SED…   a target like vlab, small, with cipher suite 1, changed by these sed scripts; its lab is up
#   lie TEXT       from now on the chassis does this (bash) with what it is asked for (get power, set power 0, …):
#                  `return 0` when it is done, `exit 1` to fail, else the true chassis answers.  There: truth WORD…
#                  asks that; times NAME counts its calls: 1, 2, …
#   hits VERB NETFN CMD   how often such a rule was used
#   truth          the chassis does not lie, and no rule is left
#   rules TEXT     for bmc_between.py
#   ipmi NAME WORD…   ipmitool on its BMC
#   disk_on NAME   it is on, and runs a system of another kind from its disk, which says "lab3 login:" all the time
#   go NAME [OPTION…]   a run of one boot: $rc, $out, $err
#   boot FIELD     of the last boot; events of the last run, one a line: WHAT: DETAIL
#   run_id         of the last run
F=$T/faults
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0)
lib_machines=()
export HARNESS_STATE=$S HARNESS_TARGETS=$T/targets

lie() { printf 'lie() {\n%s\nreturn 1\n}\n' "$1" >"$F/lie.new" && mv "$F/lie.new" "$F/lie"; }
rules() { printf '%s\n' "$1" >"$F/rules.new" && mv "$F/rules.new" "$F/rules"; }
hits() { grep -cx "$(printf '%s %d %#x' "$@")" "$F/hits"; }
truth() {
	rm -f "$F"/lie "$F"/rules "$F"/release "$F"/n.* "$F"/serial "$F"/hits "$F"/asked
	: >"$F/asked"
}

lies_at_exit() {
	local m

	for m in "${lib_machines[@]}"; do
		"$H" lab down "$m" --force -q >/dev/null 2>&1
	done
}
lib_at_exit lies_at_exit

mkdir -p "$T/bin" "$F" "$T/targets"
cat >"$T/bin/ipmi_sim" <<EOF2
#!/bin/sh
exec python3 $PWD/tests/tools/bmc_between.py $(command -v ipmi_sim) $PWD/tests/tools/chassis_lies.sh $F "\$@"
EOF2
chmod +x "$T/bin/ipmi_sim"
truth

# 16-bit code: each byte of the text to COM1 when its transmitter is empty, a pause, and again.
{
	printf '\xfa\x31\xc0\x8e\xd8\xbe\x2d\x7c\xfc\xac\x84\xc0\x74\x12\x88\xc3\xba\xfd\x03'
	printf '\xec\xa8\x20\x74\xfb\x88\xd8\xba\xf8\x03\xee\xeb\xe9'
	printf '\xb9\x00\x00\xba\x40\x00\xe2\xfe\x4a\x75\xfb\xeb\xd8'
	printf '\r\nlab3 login: \r\n\0'
} >"$T/disk"
truncate -s 510 "$T/disk"
printf '\x55\xaa' >>"$T/disk"
truncate -s 4M "$T/disk"

machine() {
	local name=$1 s

	shift
	sed -e 's/^cipher .*/cipher = 1/; s/^idle.*/&\nretries = 0/' targets/vlab.ini >"$T/targets/$name.ini"
	printf 'qemu_args = -drive file=%s,format=raw\n' "$T/disk" >>"$T/targets/$name.ini"
	for s; do
		sed -i "$s" "$T/targets/$name.ini"
	done
	lab_again "$name"
}

# Its lab, new.
lab_again() {
	"$H" lab down "$1" --force -q >/dev/null 2>&1
	lib_machines+=("$1")
	PATH="$T/bin:$PATH" "$H" lab up "$1" --json >"$T/up" 2>&1 || bail "lab up: $(cat "$T/up")"
	port=$(sed -n 's/.*"bmc_port": \([0-9]*\).*/\1/p' "$T/up")
}

go() {
	local name=$1

	shift
	run "$H" run --machine "$name" "${quick[@]}" "$@"
}

ipmi() {
	local name=$1

	shift
	ipmitool -I lanplus -C 1 -H 127.0.0.1 -p "$port" -U harness -f "$S/labs/$name/password" "$@"
}

disk_on() {
	: >"$F/serial"
	ipmi "$1" chassis power on >/dev/null || bail "no power"
	for _ in $(seq 600); do
		grep -qs 'login:' "$F/serial" && return
		sleep 0.1
	done
	bail 'the disk does not boot'
}

# exact NAME: the samples of the last boot are what left the machine's serial port.
exact() {
	is "$(sql "select group_concat(ns, ' ') from (select ns from sample where boot = (select max(id) from boot)
		order by place)")" \
		"$(tr -d '\000' <"$F/serial" | sed -n 's/.*HPP1 [0-9a-f]* \([0-9]*\) S .* ns=\([0-9]*\) .*/\1 \2/p' |
			sort -n -u | cut -d' ' -f2 | tr '\n' ' ' | sed 's/ $//')" "$1"
}

sql() { sqlite3 "$S/harness.db" "$1"; }
run_id() { sql 'select max(id) from run'; }
boot() { sql "select $1 from boot where id = (select max(id) from boot)"; }
events() { sql "select what || ': ' || detail from event where run = $(run_id) order by place"; }
