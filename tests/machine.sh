# shellcheck shell=bash disable=SC2154,SC2120
# SPDX-License-Identifier: GPL-3.0-or-later
# For tests that want a machine which boots only as far as they say, after tests/lib.sh: "box" in $T/targets, played
# by tests/tools/machine_peer.py, which explains its steps and quirks.
#
#   machine LINE…   the target file, as it is written here, with these lines of it changed ("ipxe = 1s")
#   plan STEP…      what it does after power-on
#   quirks LINE…    what is wrong with its power
#   boots           a run of one boot; output in $out and $err, status in $rc
#   boot FIELD      of the last boot in the store
#   is_off NAME     a test that the machine is off, and typed NAME KEYS one of what was typed on its console
# Every deadline is a minute, unless a test changes that of the stage that is to hang.
M=$T/box
# Of its own: a MAC address is locked on the whole host.
MAC=02$(md5sum <<<"$T" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\).*/:\1:\2:\3:\4:\5/')
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0)
export HARNESS_STATE=$S HARNESS_TARGETS=$T/targets
command -v socat >/dev/null || bail 'no socat: scripts/deps.sh check installs it'

machine() {
	local line at stage

	{
		printf '[machine]\nmac = %s\nfirmware = bios\ncpus = 8\nretries = 0\n' "$MAC"
		printf '[bmc]\ndriver = command\ncommand = ./power\nreadings = 1\nreading_gap = 100ms\nsettle = 0\n'
		printf '[console]\ndriver = tcp\nhost = 127.0.0.1\nport = %s\nsilence = 0\n' "$(cat "$M/port")"
		printf '[netboot]\nlisten = 127.0.0.1:%s\nurl = http://127.0.0.1:%s\n' "$machine_http" "$machine_http"
		printf '[hypervisor]\ndebug_keys = d\n[deadlines]\n'
		for stage in acquire power-off boot-device console power-on firmware ipxe load hypervisor probe done; do
			printf '%s = 1m\n' "$stage"
		done
	} >"$T/targets/box.ini"
	# The last line with this key: "firmware" is also one of [machine], which nobody changes.
	for line; do
		at=$(grep -n "^${line%% *} = " "$T/targets/box.ini" | tail -n 1 | cut -d: -f1)
		[ -n "$at" ] || bail "no line for $line"
		sed -i "${at}s|.*|$line|" "$T/targets/box.ini"
	done
}

plan() {
	printf '%s\n' "$@" >"$M/plan.new"
	mv "$M/plan.new" "$M/plan"
}
quirks() {
	printf '%s\n' "$@" >"$M/quirks.new"
	mv "$M/quirks.new" "$M/quirks"
}

power() { "$T/targets/power" "$1"; }
boots() {
	rm -f "$M/typed"
	run "$H" run --machine box "${quick[@]}" "$@"
}
sql() { sqlite3 "$S/harness.db" "$1"; }
boot() { sql "select $1 from boot where id = (select max(id) from boot)"; }
is_off() { is "$(power get)" off "$1"; }
typed() { is "$(cat "$M/typed" 2>/dev/null)" "$2" "$1"; }

machine_at_exit() { kill "$machine_peer" 2>/dev/null && wait "$machine_peer" 2>/dev/null; }
mkdir "$M" "$T/targets"
machine_http=$(free_port tcp)
python3 tests/tools/machine_peer.py "$M" "http://127.0.0.1:$machine_http" "$MAC" 2>"$M/log" &
machine_peer=$!
lib_at_exit machine_at_exit
cat >"$T/targets/power" <<SH
#!/bin/sh
echo "\$1" | socat -t 120 - UNIX-CONNECT:$M/power.sock >"$M/reply.\$\$"
{ read -r status; cat; } <"$M/reply.\$\$"
rm "$M/reply.\$\$"
exit "\${status:-1}"
SH
chmod +x "$T/targets/power"
for _ in $(seq 200); do [ -s "$M/port" ] && break; sleep 0.05; done
[ -s "$M/port" ] || bail "the machine does not run: $(cat "$M/log")"
machine
