#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Whole runs over other consoles than SOL: the lab's serial line by raw TCP, by a command, and by telnet through
# ser2net as in front of a real machine.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
PATH=$PATH:/usr/sbin
mkdir "$T/targets"
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0 --state "$S" --targets "$T/targets")
ser2net=
# shellcheck disable=SC2317
cleanup() {
	[ -z "$ser2net" ] || kill "$ser2net" 2>/dev/null
	"$H" lab down vlab --force -q --state "$S" --targets "$T/targets" >/dev/null 2>&1
}
lib_at_exit cleanup

sed 's/^driver *= sol/driver = tcp/' targets/vlab.ini >"$T/targets/vlab.ini"
run "$H" run --machine vlab "${quick[@]}"
is "$rc" 0 'a run over the raw TCP port of the lab'
[ "$rc" = 0 ] || note "$err"
like "$out" 'mixed' 'has a report'
unlike "$err" 'console.* away|lost' 'and never lost its console'

sed 's/^driver *= sol/driver = command\ncommand = exec socat - TCP:$HARNESS_HOST:$HARNESS_PORT/' targets/vlab.ini \
	>"$T/targets/vlab.ini"
run "$H" run --machine vlab "${quick[@]}"
is "$rc" 0 'a run over a command'
[ "$rc" = 0 ] || note "$err"

# As a real machine: the target file knows nothing of the lab behind its BMC and its console server.
run "$H" lab up vlab --state "$S" --targets "$T/targets" --json
bmc=$(sed -n 's/.*"bmc_port": \([0-9]*\).*/\1/p' <<<"$out")
serial=$(sed -n 's/.*"serial_port": \([0-9]*\).*/\1/p' <<<"$out")
http=$(free_port tcp)
line=$(free_port tcp)
printf 'netboot %d\n' "$http" | socat -t 5 - "UNIX-CONNECT:$S/labs/vlab/control.sock" >/dev/null
cat >"$T/ser2net.yaml" <<END
connection: &box
  accepter: telnet,tcp,127.0.0.1,$line
  connector: tcp,127.0.0.1,$serial
END
ser2net -n -c "$T/ser2net.yaml" -P "$T/ser2net.pid" >"$T/ser2net.log" 2>&1 &
ser2net=$!
sed -n '1,/^\[lab\]/{/^\[lab\]/!p}' targets/vlab.ini |
	sed "s|^\\[bmc\\]|&\\nhost = 127.0.0.1\\nport = $bmc\\npassword_file = $S/labs/vlab/password|
		s|^driver *= sol|driver = telnet\\nhost = 127.0.0.1\\nport = $line|
		s|^listen.*|listen = 127.0.0.1:$http\\nurl = http://10.0.2.2:$http|" >"$T/targets/box.ini"
for _ in $(seq 100); do
	grep -qi ": 0100007F:$(printf %04X "$line") 00000000:0000 0A" /proc/net/tcp && break
	sleep 0.1
done
run "$H" run --machine box "${quick[@]}" --boots 2
is "$rc" 0 'a run over telnet, through ser2net'
[ "$rc" = 0 ] || note "$err $(cat "$T/ser2net.log")"
is "$(sqlite3 "$S/harness.db" "select group_concat(outcome) from (select outcome from boot where run =
	(select max(id) from run) order by id)")" 'ok,ok' 'both boots are good, on one session'
kill "$ser2net"
wait "$ser2net"
ser2net=
run "$H" run --machine box "${quick[@]}"
is "$rc" 3 'without ser2net it is a lab error'
like "$err" "box: stage console: nothing listens at 127.0.0.1:$line.*\\(E_CONSOLE\\)" 'named with machine, stage and address'
one_line 'no console server'
"$H" lab down vlab --state "$S" --targets "$T/targets" -q
nothing_left 'no process is left of all that'
lib_done
