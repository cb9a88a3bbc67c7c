#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness machine check on machines that are not in order: each part of the chain has its row, which says what
# to mend, and the machine is left as it was found.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_mark
# shellcheck source=tests/lab.sh
. tests/lab.sh
B=$T/targets/box.ini
sed -i 's/^done .*/done = 10s/; s/^cpus .*/cpus = 1/' "$B"
cp "$B" "$T/box.ini"

check() { run timeout 120 "$H" machine check box "$@"; }
tool() { ipmitool -I lanplus -C 3 -H 127.0.0.1 -p "$port" -U harness -f "$password_file" "$@"; }
flags() { tool raw 0x00 0x09 0x05 0x00 0x00; }
# with SED-EXPRESSION…: the target file as it was, with these changes
with() {
	cp "$T/box.ini" "$B"
	for x in "$@"; do sed -i "$x" "$B"; done
}
chassis=$HARNESS_STATE/labs/box/chassis

lab_up
check
is "$rc" 0 'a machine in order passes'
like "$out" '^  credentials +ok +user harness, privilege ADMINISTRATOR' 'its credentials'
like "$out" '^  privilege +ok +user harness as ADMINISTRATOR may set the boot device' 'its privilege'
like "$out" '^  boot device +ok +reads back as PXE once, legacy; put back to nothing' 'its boot override'
like "$out" '^  console +ok +sol opens, ' 'its console'
like "$out" '^  HTTP server +ok +http://10\.0\.2\.2:[0-9]+, as the virtual machine sees us' 'our HTTP server'
like "$out" '^  netboot +skipped +it boots the machine' 'a netboot is not tried unasked'
like "$out" '^ +harness machine check box --boot' 'and how to ask is said'
unlike "$out" 'WARN|FAIL' 'nothing else is wrong'
is "$(flags)" ' 01 05 00 00 00 00 00' 'the override is as it was'
is "$(tool chassis power status)" 'Chassis Power is off' 'and the power'
is "$(lab_tools)" '' 'and no ipmitool is left'
is "$(tool raw 0x06 0x4a 0x01)" ' 01 00 00' 'nor a console session'

tool chassis bootdev pxe >/dev/null
check --json
is "$(tr -d ' \n' <<<"$out" | grep -o '"check":"bootdevice","status":"ok","text":"[^"]*"')" \
	'"check":"bootdevice","status":"ok","text":"readsbackasPXEonce,legacy;putbacktoPXEonce,legacy"' \
	'an override that somebody has set is put back, and --json says so'
is "$(flags)" ' 01 05 00 04 00 00 00' 'it is there'
tool chassis bootdev none >/dev/null

# The user, the mode, the memory of the BMC.
with 's/^privilege .*/privilege = USER/'
check
is "$rc" 3 'a user without the privilege fails the check'
like "$out" '^  privilege +FAIL +user harness as USER may not set the boot device' 'in its row'
like "$out" '^ +set \[bmc\] privilege = OPERATOR' 'with what to do'
like "$out" '^  boot device +skipped +needs the privilege' 'and the boot device is not judged'
with 's/^privilege .*/privilege = OPERATOR/'
check
like "$out" '^  privilege +ok +user harness as OPERATOR' 'an operator may'
with 's/^firmware .*bios/firmware = uefi/'
check
is "$rc" 0 'a legacy override on a UEFI machine is a warning'
like "$out" '^  boot device +WARN +reads back as legacy PXE; the machine is UEFI' 'that says so'
like "$out" '^ +set \[bmc\] bootdev_options = efiboot' 'and what to set'
with
mv "$chassis" "$chassis.real"
# shellcheck disable=SC2016
printf '#!/bin/sh\ncase "$*" in *"get boot"*) echo boot:none; exit 0 ;; esac\nexec ./chassis.real "$@"\n' >"$chassis"
chmod +x "$chassis"
check
is "$rc" 3 'a BMC that forgets the override fails the check'
like "$out" '^  boot device +FAIL +BMC .* forgot the boot override twice .reads "No override".' 'in its row'
like "$out" '^ +try bootdev_raw, see targets/README.md' 'with what to try'
like "$out" '^  netboot +skipped +needs the boot device' 'and no netboot is tried'
mv "$chassis.real" "$chassis"

# Somebody has the console.
mkfifo "$T/keys"
exec 9<>"$T/keys"
script -qec "ipmitool -I lanplus -C 3 -H 127.0.0.1 -p $port -U harness -f $password_file sol activate" /dev/null \
	>"$T/other" 2>&1 <"$T/keys" &
other=$!
for _ in $(seq 300); do grep -q operational "$T/other" && break; sleep 0.1; done
grep -q operational "$T/other" || bail "no console: $(cat "$T/other")"
check --boot
is "$rc" 3 'a console that another session holds fails the check'
like "$out" '^  console +FAIL +SOL is held by another session \(user 2\)' 'that says whose it is'
like "$out" '^ +end it: harness machine recover box --sol' 'and how to end it'
like "$out" '^  netboot +skipped +needs the console' 'and the machine is not booted'
is "$(tool raw 0x06 0x4a 0x01)" ' 01 01 00' 'the other session is still there'
unlike "$(cat "$T/other")" 'closed by BMC|terminated' 'and has noticed nothing'
printf '~.' >&9
wait "$other"
exec 9>&-

# Our server.
perl -MIO::Socket::INET -e '
	my $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1) or die;
	$| = 1; print $s->sockport, "\n"; close STDOUT; sleep 300;' >"$T/taken" &
listener=$!
for _ in $(seq 300); do [ -s "$T/taken" ] && break; sleep 0.1; done
with "s/^listen .*/listen = 127.0.0.1:$(cat "$T/taken")/"
check
is "$rc" 3 'a port that is in use fails the check'
like "$out" '^  HTTP server +FAIL +cannot serve boot files on 127.0.0.1:[0-9]+: the port is in use; end what listens' \
	'in its row, with what to do'
kill "$listener"
wait "$listener" 2>/dev/null

# A netboot.
with
check --boot
is "$rc" 0 'a machine that netboots passes'
like "$out" '^  netboot +ok +asked for its script [0-9.]+m?s after power-on \(from 127.0.0.1\), had its file ' \
	'with how long its firmware took'
like "$out" '^the machine is ready' 'and is ready'
is "$(tool chassis power status)" 'Chassis Power is off' 'it is off again, as idle says'
is "$(flags)" ' 01 05 00 00 00 00 00' 'and no override is left'
with 's|^listen .*|&\nurl = http://10.0.2.2:1|' 's/^ipxe .*/ipxe = 4s/'
check --boot
is "$rc" 3 'a machine that cannot fetch a file fails the check'
like "$out" '^  netboot +FAIL +took its script .* and fetched no file: ' 'that says how far it came'
like "$out" '^ +can the machine reach http://10.0.2.2:1\?' 'and what to look at'
lab_down

# CPUs that never start.
with 's/^qemu_args .*/qemu_args = -S/; s/^firmware .*[0-9][sm]$/firmware = 2s/'
cp "$B" "$T/box.ini"
lab_up
check --boot
is "$rc" 3 'a machine that does not netboot fails the check'
like "$out" '^  netboot +FAIL +nobody asked for a script within 2.0s of power-on' 'after the deadline of its firmware'
like "$out" '^ +check DHCP .harness netboot config --machine box' 'with what to look at'
is "$(tool chassis power status)" 'Chassis Power is off' 'it is off again'
is "$(flags)" ' 01 05 00 00 00 00 00' 'and no override is left'
www=$(free_port tcp)
with "s/^listen .*/listen = 127.0.0.1:$www/; s/^firmware = 2s/firmware = 8s/"
while sleep 0.1; do
	curl -s --noproxy '*' -m 1 -o /dev/null "http://127.0.0.1:$www/ipxe?mac=02-00-00-00-00-99"
done 2>/dev/null &
stranger=$!
check --boot
kill "$stranger"
wait "$stranger" 2>/dev/null
like "$out" '^  netboot +FAIL +52:54:00:12:34:56 never asked for its script; 02:00:00:00:00:99 from 127.0.0.1 did' \
	'a machine that asks with another MAC address is told'
like "$out" '^ +if that is this machine, set \[machine\] mac' 'with what to do'
with 's/^firmware = 2s/firmware = 5m/'
"$H" machine check box --boot >"$T/out" 2>"$T/err" &
job=$!
for _ in $(seq 600); do grep -q 'waiting 5m' "$T/err" && break; sleep 0.1; done
kill -TERM "$job"
wait "$job"
is "$?" 130 'SIGTERM ends it with 130'
is "$(tool chassis power status)" 'Chassis Power is off' 'the machine is off then, too'
is "$(flags)" ' 01 05 00 00 00 00 00' 'and no override is left'
is "$(lab_tools)" '' 'nor an ipmitool'
lab_down

# The other drivers.
P=$T/peer
mkdir "$P"
tests/tools/redfish_peer.py "$P" >"$P/output" 2>&1 &
peer=$!
# shellcheck disable=SC2317
end_peer() { kill "$peer" 2>/dev/null; }
lib_at_exit end_peer
for _ in $(seq 600); do [ -s "$P/port" ] && break; sleep 0.05; done
[ -s "$P/port" ] || bail "the peer does not start: $(cat "$P/output")"
peer_url=https://127.0.0.1:$(cat "$P/port")
faults() { curl -sSf --noproxy '*' --cacert "$P/cert.pem" -d "$*" "$peer_url/begin" || bail 'the peer does not answer'; }
(umask 077 && echo sesame >"$T/password")
mac=02:$(od -An -N5 -tx1 /dev/urandom | tr ' ' ':' | sed 's/^://')
# machine FIRMWARE CONSOLE-LINES NETBOOT-LINES [BMC-LINES]
machine() {
	{
		printf '[machine]\nmac = %s\nfirmware = %s\n[bmc]\nreadings = 1\n' "$mac" "$1"
		printf '%b\n' "${4:-driver = redfish\nhost = 127.0.0.1\nuser = harness\nurl = $peer_url\nca_file = $P/cert.pem\npassword_file = $T/password}"
		printf '[console]\n%b\n[netboot]\n%b\n' "$2" "$3"
	} >"$B"
}
cat_console='driver = command\ncommand = cat'
faults
machine uefi "$cat_console" "listen = 127.0.0.1:$www\nurl = http://localhost:$www"
check
like "$out" '^  privilege +ok +user harness may set the boot device' 'Redfish: the privilege'
like "$out" '^  boot device +ok +reads back as Pxe once, UEFI; put back to nothing' 'Redfish: the override'
like "$out" '^  console +ok +command opens' 'a console by a command'
like "$out" "^  HTTP server +ok +http://localhost:$www leads to us" 'our HTTP server by its name'
is "$(grep -c '^PATCH .*"Disabled"' "$P/log")" 1 'Redfish: it was switched off again'
is "$(cat "$P/sessions")" 0 'Redfish: no session is left'
faults settings forget=9
check
like "$out" '^  boot device +FAIL +.*forgot the boot override twice' 'Redfish: a service that forgets'
faults forbidden
check
like "$out" '^  privilege +FAIL +.*no right to do this: the user may only look' 'Redfish: a user who may only look'
like "$out" '^ +give the user the role Operator' 'Redfish: with what to do'
faults login-401
machine uefi "driver = tcp\nhost = 127.0.0.1\nport = $www" "listen = 127.0.0.1:$www\nurl = http://127.0.0.1:1"
check
like "$out" '^  credentials +FAIL +.*rejects user "harness"' 'Redfish: a wrong password'
like "$out" '^  console +FAIL +.*127.0.0.1' 'a console server that is not there'
like "$out" "^  HTTP server +FAIL +the machine is told http://127.0.0.1:1, which does not lead to us .connection refused.: we listen on 127.0.0.1:$www" \
	'a port of somebody else'
printf '#!/bin/sh\n[ "$1" = get ] && echo off\n' >"$T/power"
chmod +x "$T/power"
machine bios "$cat_console" "listen = 127.0.0.1:$www\nurl = http://lab.invalid" "driver = command\ncommand = $T/power"
check
like "$out" '^  boot device +skipped +a power command can neither read it nor put it back' 'a power command: no override'
like "$out" '^  HTTP server +FAIL +.*"lab.invalid" has no address' 'a name without an address'
machine bios "$cat_console" "listen = 127.0.0.1:$www\nurl = http://192.0.2.1:8070" "driver = command\ncommand = $T/power"
check
like "$out" '^  HTTP server +WARN +http://192.0.2.1:8070 is no address of this host, and does not lead to us' \
	'an address of somebody else'
check --boot --offline
is "$rc" 2 '--boot and --offline are a usage error'
rm "$B"
nothing=$(lib_marked | grep -v redfish_peer || true)
is "$nothing" '' 'no process is left'
lib_done
