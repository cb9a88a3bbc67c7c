#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Consoles by TCP, telnet, RFC 2217, serial device and command: on real peers (ser2net, conserver), and on
# peers that refuse, hang up, fall silent or lie.  Each fault has one clear line and a code.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
DRIVER=$(realpath "${BUILD:-build}/tests/tools/console_driver")
[ -x "$DRIVER" ] || bail "no $DRIVER: make e2e builds it"
PATH=$PATH:/usr/sbin
for p in ser2net conserver console socat ip; do
	command -v "$p" >/dev/null || bail "no $p: scripts/deps.sh check installs it"
done
lib_mark

ours=()
# shellcheck disable=SC2317
end_ours() {
	local p

	for p in "${ours[@]}"; do
		kill -CONT "$p" 2>/dev/null
		kill "$p" 2>/dev/null
	done
	wait 2>/dev/null
}
lib_at_exit end_ours
wait_for() {
	for _ in $(seq 200); do
		[ -e "$1" ] && return
		sleep 0.05
	done
	bail "no $1"
}
# listening PORT: wait until somebody listens there
listening() {
	for _ in $(seq 200); do
		grep -qi "^ *[0-9]*: 0100007F:$(printf %04X "$1") 00000000:0000 0A" /proc/net/tcp && return
		sleep 0.05
	done
	bail "nobody listens on port $1"
}

# target NAME LINE…: a machine with this [console]
target() {
	local name=$1
	shift
	{
		printf '[machine]\nmac = 02:00:00:00:00:01\n[bmc]\nhost = bmc.invalid\nuser = u\npassword_env = X\n'
		printf '[netboot]\nlisten = 10.0.0.1:8070\n[console]\n'
		printf '%s\n' "$@"
	} >"$T/$name.ini"
}
# tcp NAME DRIVER PORT LINE…
tcp() { target "$1" "driver = $2" 'host = 127.0.0.1' "port = $3" "${@:4}"; }
drive() {
	run timeout 60 "$DRIVER" "$T/$1.ini" "${@:2}"
	[ "$rc" = 0 ] || [ -n "$out" ] || note "$err"
}
fine() {
	is "$rc" 0 "$1"
	[ "$rc" = 0 ] || note "$out"
}
# Misbehaving servers, all at once: Python takes its time.  peer KIND: this one's port, $port
for kind in full hang-up slam later reset silent speed deaf; do
	python3 tests/tools/console_peer.py "$kind" "$T/port.$kind" 2>"$T/peer.$kind" &
	ours+=("$!")
done
peer() {
	wait_for "$T/port.$1"
	port=$(cat "$T/port.$1")
}
# line NAME: two serial devices, $T/NAME.machine (which types back what it reads) and $T/NAME.line
line() {
	socat "pty,raw,echo=0,link=$T/$1.machine" "pty,raw,echo=0,link=$T/$1.line" 2>/dev/null &
	line_pid=$!
	ours+=("$!")
	wait_for "$T/$1.machine"
	wait_for "$T/$1.line"
	python3 tests/tools/console_peer.py echo "$T/$1.machine" >"$T/$1.echo" 2>/dev/null &
	ours+=("$!")
	for _ in $(seq 200); do
		[ -s "$T/$1.echo" ] && return
		sleep 0.05
	done
	bail "no machine on $1"
}

# Every byte, and an end that can be waited for.
all=$(for i in $(seq 0 255); do printf '%%%02x' "$i"; done)
perl -e 'print map { chr } 0 .. 255' >"$T/all"
printf 'THE-END' >>"$T/all"
# echoes NAME WHAT
echoes() {
	drive "$1" open "send=$all" send=THE-END until=THE-END close
	fine "$2: opens, types, reads, closes"
	cmp -s "$T/err" "$T/all"
	ok $? "$2: every byte passes both ways"
}

# ser2net.
line ser
read -r raw tel com none < <(for _ in 1 2 3 4; do free_port tcp; done | tr '\n' ' ')
cat >"$T/ser2net.yaml" <<END
connection: &raw
  accepter: tcp,127.0.0.1,$raw
  connector: serialdev,$T/ser.line,9600n81,local
connection: &tel
  accepter: telnet,tcp,127.0.0.1,$tel
  connector: serialdev,$T/ser.line,9600n81,local
connection: &com
  accepter: telnet(rfc2217=true),tcp,127.0.0.1,$com
  connector: serialdev,$T/ser.line,9600n81,local
END
ser2net -n -c "$T/ser2net.yaml" -P "$T/ser2net.pid" >"$T/ser2net.log" 2>&1 &
ser2net=$!
ours+=("$ser2net")
for p in "$raw" "$tel" "$com"; do listening "$p"; done
tcp raw tcp "$raw"
tcp tel telnet "$tel"
tcp com rfc2217 "$com" 'speed = 57600'
echoes raw 'ser2net, tcp'
echoes tel 'ser2net, telnet'
echoes com 'ser2net, rfc2217'
"$DRIVER" "$T/com.ini" open sleep=60000 >"$T/held" 2>/dev/null &
held=$!
for _ in $(seq 100); do grep -q '^open .* ok' "$T/held" && break; sleep 0.05; done
like "$(stty -F "$T/ser.line" -a)" 'speed 57600 baud' 'rfc2217 has set the speed of the line'
drive com open
is "$rc" 3 'a line in use is a fault of the lab'
like "$out" '^open [0-9]+ E_CONSOLE .*(closed|reset) the connection at once, after ".*in use.*"' \
	'and is told with the words of the server'
kill "$held"
wait "$held" 2>/dev/null
tcp com rfc2217 "$tel" 'speed = 57600'
drive com open
like "$out" '^open [0-9]+ E_CONSOLE .*RFC 2217.*write driver = telnet' 'a server without RFC 2217 is told'

# A server that hangs although its host lives: only telnet can tell.  Meanwhile the tests below run.
timeout 60 "$DRIVER" "$T/tel.ini" open sleep=500 lost close >"$T/hung" 2>/dev/null &
hung=$!
for _ in $(seq 100); do grep -q '^sleep' "$T/hung" && break; sleep 0.05; done
kill -STOP "$ser2net"
# A host that is gone without a word: the interface of a network of its own goes down.
cat >"$T/gone.sh" <<'END'
ip link set lo up
python3 tests/tools/console_peer.py silent "$T/port.gone" &
peer=$!
for _ in $(seq 200); do [ -e "$T/port.gone" ] && break; sleep 0.05; done
sed "s/^port = .*/port = $(cat "$T/port.gone")/" "$T/raw.ini" >"$T/gone.ini"
"$DRIVER" "$T/gone.ini" open lost close >"$T/gone.out" 2>/dev/null &
driver=$!
for _ in $(seq 200); do grep -q '^open' "$T/gone.out" && break; sleep 0.05; done
ip link set lo down
wait "$driver"
kill "$peer"
END
space=(--net)
[ "$(id -u)" = 0 ] || space+=(--map-root-user)
env T="$T" DRIVER="$DRIVER" timeout 60 unshare "${space[@]}" bash "$T/gone.sh" &
gone=$!

# Servers that cannot be used.
tcp bad tcp "$none"
drive bad open
is "$rc" 3 'a closed port is a fault of the lab'
like "$out" "^open [0-9]{1,4} E_CONSOLE nothing listens at 127.0.0.1:$none" 'and told at once, with its address'
target bad 'driver = tcp' 'host = host.invalid' 'port = 7'
drive bad open
like "$out" '^open [0-9]+ E_CONSOLE .*host.invalid:7 has no address' 'a name without an address is told'
peer full
tcp bad tcp "$port"
drive bad deadline=1000 open
like "$out" "^open (9[0-9]{2}|[1-9][0-9]{3}) E_CONSOLE nothing answers at 127.0.0.1:$port within 1.0s" \
	'no answer to a connection is told as such, at the deadline'
peer hang-up
tcp bad tcp "$port"
drive bad open
like "$out" '^open [0-9]+ E_CONSOLE .*at once, after "Port already in use": is its line in use' \
	'a server that hangs up at once is told with its last words'
peer slam
tcp bad tcp "$port"
drive bad open
like "$out" '^open [0-9]+ E_CONSOLE .*reset the connection at once, after "Port already in use": is its line in use' \
	'and so is one that resets the connection with that'
peer later
tcp bad tcp "$port"
drive bad open until=hello lost open until=hello close
fine 'a connection that ends is lost, and can be opened again'
like "$out" '^lost [0-9]+ ok E_CONSOLE .*closed the connection' 'and the loss is told'
peer reset
tcp bad tcp "$port"
drive bad open until=hello lost close
like "$out" '^lost [0-9]+ ok E_CONSOLE .*reset the connection$' 'a reset is told'
peer silent
tcp bad telnet "$port"
drive bad open
like "$out" '^open [0-9]+ E_CONSOLE .*not in telnet: write driver = tcp' 'a raw port is no telnet port'
peer speed
tcp bad rfc2217 "$port"
drive bad open
like "$out" '^open [0-9]+ E_CONSOLE .*asked for 115200 baud and has 9600' 'a wrong speed is found'
peer deaf
tcp bad rfc2217 "$port"
drive bad open
like "$out" '^open [0-9]+ E_CONSOLE .*does not answer to the settings' 'settings without an answer too'

# A serial device.
line dev
device=$(realpath "$T/dev.line")
target tty 'driver = tty' "device = $T/dev.line" 'speed = 38400'
stty -F "$device" 1200 echo icrnl
before=$(stty -F "$device" -g)
echoes tty tty
is "$(stty -F "$device" -g)" "$before" 'tty: its settings are as they were'
# Nobody can open it from then on.
exec 7<>"$device"
"$DRIVER" "$T/tty.ini" open lost close >"$T/held" 2>/dev/null 7>&- &
held=$!
for _ in $(seq 100); do grep -q '^open .* ok' "$T/held" && break; sleep 0.05; done
like "$(stty -a <&7)" 'speed 38400 baud' 'tty: the speed is set meanwhile'
exec 7>&-
drive tty open
like "$out" '^open [0-9]+ E_CONSOLE .* is in use by another program.*fuser' 'tty: it is held alone'
kill "$line_pid"
wait "$held"
fine=$?
is "$fine" 0 'tty: a device that goes away is lost, and closes'
like "$(cat "$T/held")" '^lost [0-9]+ ok E_CONSOLE .*went away' 'and is told'
target tty 'driver = tty' "device = $T/nothing"
drive tty open
like "$out" '^open [0-9]+ E_CONSOLE cannot open .*No such file' 'tty: no device'
: >"$T/file"
target tty 'driver = tty' "device = $T/file"
drive tty open
like "$out" '^open [0-9]+ E_CONSOLE .*is no serial device' 'tty: a file is none'

# A command.
target com 'driver = command' 'command = exec cat'
echoes com command
target com 'driver = command' \
	'command = echo $HARNESS_MACHINE $HARNESS_HOST $HARNESS_PORT $HARNESS_USER $HARNESS_PASSWORD; exec sleep 50'
drive com open 'until=com bmc.invalid 623 u sesame' close
fine 'command: it has machine and BMC in its environment'
target com 'driver = command' 'command = echo no such console; exit 7'
drive com open
like "$out" '^open [0-9]+ E_CONSOLE .*\(status 7\), with "no such console"' 'command: one that ends is told, with its words'
target com 'driver = command' 'command = echo hello; sleep 1; kill -9 $$'
drive com open until=hello lost close
like "$out" '^lost [0-9]+ ok E_CONSOLE .*\(signal 9\)' 'command: its end is a loss'
target com 'driver = command' 'command = trap "" TERM; while sleep 0.1; do :; done'
drive com deadline=5000 open close
like "$out" '^close (9[0-9]{2}|[1-4][0-9]{3}) ok' 'command: one that will not end is killed'

# conserver, through its own client.
cport=$(free_port tcp)
line cons
cat >"$T/conserver.cf" <<END
config * { }
default * { rw *; }
access * { trusted 127.0.0.1; allowed 127.0.0.1; }
console box { master localhost; type device; device $T/cons.line; baud 9600; parity none; }
END
: >"$T/conserver.passwd"
echo '*any*:' >"$T/conserver.passwd"
conserver -C "$T/conserver.cf" -P "$T/conserver.passwd" -M 127.0.0.1 -p "$cport" -b 0 -U "$T" -u \
	>"$T/conserver.log" 2>&1 &
ours+=("$!")
listening "$cport"
target cons 'driver = command' "command = exec console -M 127.0.0.1 -p $cport -l tester -U box"
drive cons open send=through-conserver until=through-conserver close
fine 'conserver: opens, types, reads, closes'
[ "$rc" = 0 ] || note "$err $(cat "$T/conserver.log")"

wait "$hung"
ok $? 'a telnet server that hangs is lost'
like "$(cat "$T/hung")" '^lost (1[0-4]|[0-9])[0-9]{3} ok E_CONSOLE .*does not answer any more' 'within 15 s'
wait "$gone"
like "$(cat "$T/gone.out")" '^lost (1[0-4]|[0-9])[0-9]{3} ok E_CONSOLE' 'a host that is gone is lost within 15 s'
end_ours
ours=()
nothing_left 'no process is left of all that'
lib_done
