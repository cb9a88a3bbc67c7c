# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests that work on a lab of their own, after tests/lib.sh: a machine "box" in $T/targets like vlab,
# smaller, whose disk prints "sector-lives" on the serial port when it is booted.
#
#   lab FIELD       a field of `harness lab status --json`
#   lab_up          start it (with lab_options), and set $port, $password_file and $sim (ipmi_sim's pid)
#   bmc STEP…       tests/tools/bmc_driver on it, output in $out, console in $err, status in $rc
#   bmc_is_fine NAME  a test that the last bmc went through, and what it said if not
#   gone PID…       wait (5 s) until none of these processes runs
# $LAB_USER is the BMC's user.  All is ended at exit.
export HARNESS_STATE=$T/lab-state HARNESS_TARGETS=$T/targets HARNESS_DATA=$PWD
LAB_USER=harness
lab_options=()
DRIVER=$(realpath "${BUILD:-build}/tests/tools/bmc_driver")
[ -x "$DRIVER" ] || bail "no $DRIVER: make e2e builds it"

lab_down() { "$H" lab down box -q; }
lab_at_exit() { "$H" lab down box -q >/dev/null 2>&1; }
lib_at_exit lab_at_exit

# 16-bit code: each byte of the text to COM1 when its transmitter is empty, then halt.  Interrupts are
# off: from one of them the firmware prints the rest of its own text.
lab_sector() {
	{
		printf '\xfa\x31\xc0\x8e\xd8\xbe\x23\x7c\xfc\xac\x84\xc0\x74\x12\x88\xc3\xba\xfd\x03'
		printf '\xec\xa8\x20\x74\xfb\x88\xd8\xba\xf8\x03\xee\xeb\xe9\xf4\xeb\xfd'
		printf 'sector-lives\r\n\0'
	} >"$1"
	truncate -s 510 "$1"
	printf '\x55\xaa' >>"$1"
	truncate -s 4M "$1"
}

mkdir -p "$HARNESS_STATE" "$HARNESS_TARGETS"
lab_sector "$T/disk"
sed -e '/^\[lab\]/,$ { s/^cpus .*/cpus = 1/; s/^memory .*/memory = 256/; }' \
	targets/vlab.ini >"$T/targets/box.ini"
printf 'qemu_args = -drive file=%s,format=raw\n' "$T/disk" >>"$T/targets/box.ini"

lab() { "$H" lab status box --json | sed -n "s/^ *\"$1\": \"\{0,1\}\([^\",]*\).*/\1/p"; }

lab_up() {
	"$H" lab up box "${lab_options[@]}" >"$T/up" 2>&1 || bail "lab up: $(cat "$T/up")"
	port=$(lab bmc_port)
	password_file=$(lab password_file)
	# shellcheck disable=SC2034
	sim=$(pgrep -x -P "$(lab pid)" ipmi_sim)
}

bmc() { run timeout 120 "$DRIVER" 127.0.0.1 "$port" "$LAB_USER" "$password_file" "$@"; }

bmc_is_fine() {
	is "$rc" 0 "$1"
	[ "$rc" = 0 ] || note "$out
$(tr -d '\033' <<<"$err" | tail -n 12)"
}

gone() {
	local i p left

	for ((i = 0; i < 100; i++)); do
		left=0
		for p in "$@"; do
			# A zombie that its parent has not looked at is gone too.
			grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$p/status" && left=1
		done
		[ "$left" = 0 ] && return 0
		sleep 0.05
	done
	return 1
}

# ipmitool processes that speak to this lab.
lab_tools() { pgrep -f -- "ipmitool .* -p $port " || true; }
