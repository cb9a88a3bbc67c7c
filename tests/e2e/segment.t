#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A lab segment: real DHCP servers with the configuration that we print, and a BIOS and a UEFI machine (QEMU)
# on taps that netboot by it.  All of it in a network of its own.
cd "$(dirname "$0")/../.." || exit 1
PATH=$PATH:/usr/sbin:/sbin
if [ -z "${SEGMENT_NETWORK:-}" ]; then
	space=(--net)
	[ "$(id -u)" = 0 ] || space+=(--map-root-user)
	export SEGMENT_NETWORK=1
	exec unshare "${space[@]}" bash tests/e2e/segment.t
fi
# shellcheck source=tests/lib.sh
. tests/lib.sh || exit 1
for p in dnsmasq dhcpd kea-dhcp4 ser2net socat curl ip ss nsenter qemu-system-x86_64; do
	command -v "$p" >/dev/null || bail "no $p: scripts/deps.sh check installs it"
done
[ -c /dev/net/tun ] || bail 'no /dev/net/tun'
lib_images
lib_mark
BOOT=10.77.0.1 # the controller
BIOS=52:54:00:00:00:b1 UEFI=52:54:00:00:00:e1 OTHER=52:54:00:00:00:01

ours=()
# shellcheck disable=SC2317
end_ours() {
	local p

	for p in "$T"/bios.pid "$T"/uefi.pid; do
		[ ! -s "$p" ] || kill "$(cat "$p")" 2>/dev/null
	done
	for p in "${ours[@]}"; do
		kill "$p" 2>/dev/null
	done
	wait 2>/dev/null
}
lib_at_exit end_ours
# until_true SECONDS COMMAND…
until_true() {
	local end=$((SECONDS + $1))

	while ! "${@:2}"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}
end() {
	kill "$1"
	wait "$1" 2>/dev/null
}

# space NAME: a network of its own; the process that holds it is $NAME
space() {
	unshare --net sleep infinity &
	ours+=("$!")
	printf -v "$1" %s "$!"
	until_true 30 is_apart "$!" || bail "no network for $1"
}
is_apart() {
	local net

	net=$(readlink "/proc/$1/ns/net") && [ "$net" != "$(readlink /proc/self/ns/net)" ]
}
# in_space PID COMMAND…
in_space() { nsenter --net="/proc/$1/ns/net" "${@:2}"; }
# cable PID ADDRESS: from eth0 there to the segment
cable() {
	{
		ip link add "to-$1" type veth peer name eth0 netns "$1" && ip link set "to-$1" master lab up &&
			in_space "$1" ip addr add "$2/24" dev eth0 && in_space "$1" ip link set eth0 up
	} || bail "no cable to $1"
}
# The segment: the controller's bridge, a tap for each machine, a cable to who asks, one to another server.
ip link set lo up
{ ip link add lab type bridge forward_delay 0 && ip addr add "$BOOT/24" dev lab && ip link set lab up; } ||
	bail 'no bridge'
for m in bios uefi; do
	{ ip tuntap add "tap-$m" mode tap && ip link set "tap-$m" master lab up; } || bail "no tap for $m"
done
asker='' server=''
space asker
space server
cable "$asker" 10.77.0.3
cable "$server" 10.77.0.2

# The machines.  Each has a loop that turns it on and off, and its serial line behind ser2net.
machine_args() {
	args=(qemu-system-x86_64 -nodefaults -no-user-config -display none -no-reboot
		-machine 'q35,graphics=off,kernel-irqchip=split' -accel 'tcg,thread=single' -cpu max -m 512 -smp 2
		-device 'intel-iommu,intremap=on,eim=on' -chardev "serial,id=s0,path=$T/$1.machine"
		-serial chardev:s0 -netdev "tap,id=n0,ifname=tap-$1,script=no,downscript=no")
	if [ "$1" = bios ]; then
		args+=(-device "e1000,netdev=n0,mac=$BIOS,bootindex=1"
			-drive "if=none,id=d0,format=raw,file=$T/disk" -device 'ide-hd,drive=d0,bootindex=2')
	else
		# Without a ROM: what asks first is the firmware's own PXE.
		cp /usr/share/OVMF/OVMF_VARS_4M.fd "$T/vars" || return
		args+=(-drive 'if=pflash,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.fd'
			-drive "if=pflash,format=raw,file=$T/vars"
			-device "virtio-net-pci,netdev=n0,mac=$UEFI,bootindex=1,romfile=")
	fi
}
machine_loop() {
	local verb

	while read -r verb; do
		if [ "$verb" = on ]; then
			machine_args "$1"
			"${args[@]}" >>"$T/$1.qemu" 2>&1 </dev/null &
			printf '%d\n' "$!" >"$T/$1.pid.new"
			mv "$T/$1.pid.new" "$T/$1.pid"
		else
			kill "$(cat "$T/$1.pid")" 2>/dev/null
			wait
		fi
	done <>"$T/$1.verbs"
}
cat >"$T/power" <<-SCRIPT
	#!/bin/bash
	# power NAME VERB
	cd '$T' || exit 1
	alive() {
		[ -s "\$1.pid" ] && grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/\$(cat "\$1.pid")/status"
	}
	tell() { echo "\$2" >"\$1.verbs"; }
	case \$2 in
	get) if alive "\$1"; then echo on; else echo off; fi ;;
	on) alive "\$1" || { tell "\$1" on; until alive "\$1"; do sleep 0.05; done; } ;;
	off) alive "\$1" && { tell "\$1" off; while alive "\$1"; do sleep 0.05; done; }; exit 0 ;;
	bootdev-pxe) ;;
	*) exit 3 ;;
	esac
SCRIPT
chmod 755 "$T/power"
# 16-bit code that prints its text on the serial port and halts: what the firmware goes on to.
{
	printf '\xfa\x31\xc0\x8e\xd8\xbe\x23\x7c\xfc\xac\x84\xc0\x74\x12\x88\xc3\xba\xfd\x03'
	printf '\xec\xa8\x20\x74\xfb\x88\xd8\xba\xf8\x03\xee\xeb\xe9\xf4\xeb\xfd'
	printf 'sector-lives\r\n\0'
} >"$T/disk"
truncate -s 510 "$T/disk"
printf '\x55\xaa' >>"$T/disk"
truncate -s 4M "$T/disk"
mkdir "$T/targets"
n=0
for m in bios uefi; do
	n=$((n + 1))
	socat "pty,raw,echo=0,link=$T/$m.machine" "pty,raw,echo=0,link=$T/$m.line" 2>/dev/null &
	ours+=("$!")
	{ until_true 30 test -e "$T/$m.machine" && until_true 30 test -e "$T/$m.line"; } || bail "no serial line"
	# Held open here, the line stays when neither a machine nor a console is at its ends.
	# shellcheck disable=SC2034
	exec {keep}<>"$T/$m.machine" {keep}<>"$T/$m.line"
	mkfifo "$T/$m.verbs"
	machine_loop "$m" &
	ours+=("$!")
	mac=$BIOS
	[ "$m" = bios ] || mac=$UEFI
	printf 'connection: &%s\n  accepter: tcp,127.0.0.1,%d\n  connector: serialdev,%s,115200n81,local\n' \
		"$m" "$((7000 + n))" "$T/$m.line" >>"$T/ser2net.yaml"
	printf '%s\n' '[machine]' "mac = $mac" "firmware = $m" 'cpus = 2' 'retries = 3' '[bmc]' 'driver = command' \
		"command = $T/power $m" 'readings = 1' 'reading_gap = 0' 'settle = 0' '[console]' 'driver = tcp' \
		'host = 127.0.0.1' "port = $((7000 + n))" 'silence = 100ms' '[netboot]' \
		"listen = $BOOT:$((8070 + n))" '[measure]' 'samples = 3' 'iterations = 50' 'warmup = 0' \
		'[deadlines]' 'firmware = 3m' >"$T/targets/$m.ini"
done
ser2net -n -c "$T/ser2net.yaml" -P "$T/ser2net.pidfile" >"$T/ser2net.log" 2>&1 &
ours+=("$!")
listening() { ss -Hltn "sport = :$1" | grep -q .; }
{ until_true 30 listening 7001 && until_true 30 listening 7002; } || bail "no ser2net: $(cat "$T/ser2net.log")"

# config NAME OPTION…: what we print, into $T/NAME
config() {
	run "$H" netboot config --targets "$T/targets" -o "$T/$1" "${@:2}"
	is "$rc" 0 "$1: there is a configuration"
	is "$err" '' "$1: and nothing to be warned of"
}
# In a network of an ordinary user nobody else can be turned into.
as=()
[ "$(awk '{ print $3 }' /proc/self/uid_map)" != 1 ] || as=(--user=root --group=root)
# dhcp NAME [PID]: dnsmasq with it, in the network of PID; its process is $dhcp
dhcp() {
	local at=()

	[ -z "${2:-}" ] || at=(nsenter --net="/proc/$2/ns/net")
	"${at[@]}" dnsmasq --keep-in-foreground --conf-file="$T/$1" --log-dhcp --log-facility="$T/$1.log" \
		--dhcp-leasefile="$T/$1.leases" --pid-file= "${as[@]}" &
	dhcp=$!
	ours+=("$dhcp")
}
# ask PID …: the program that asks, there
ask() { in_space "$1" timeout 100 python3 tests/tools/dhcp_ask.py "${@:2}" 2>&1; }
# boot: both machines boot and measure, both at a time; booted NAME MACHINE: it did
boot() {
	local m

	for m in bios uefi; do
		"$H" run --machine "$m" --modes mixed --boots 1 --state "$S" --targets "$T/targets" \
			>"$T/$m.report" 2>"$T/$m.said" </dev/null &
		printf -v "run_$m" %d "$!"
	done
}
booted() {
	local run=run_$2 status

	wait "${!run}"
	status=$?
	is "$status" 0 "$1: a run on the $2 machine is good"
	[ "$status" = 0 ] || note "$(cat "$T/$2.said" "$T/$2.qemu"; tail -n 60 "$T/$1.log")"
	like "$(cat "$T/$2.said")" 'mixed +ok .* 2 CPUs' "$1: $2 booted what it was sent"
	like "$(cat "$T/$2.report")" '^x +3 ' "$1: its report has the samples"
	[ "$2" != uefi ] || like "$(cat "$T/$1.log")" "sent /usr/lib/ipxe/snponly.efi to" \
		"$1: UEFI's own PXE got its first stage by TFTP"
}
# Existing servers with what we print for them, on a cable of their own.  Copies of the programs: a system may
# confine these to their own folders, by their path.
other_servers() {
	local answers space2='' asker2=''

	answers=$(printf '%s\n' "ours bios address $BOOT undionly.kpxe" "ours uefi7 address $BOOT snponly.efi" \
		"ours uefi9 address $BOOT snponly.efi" 'ours http16 address - -' \
		"ours ipxe-bios address $BOOT http://$BOOT:8071/ipxe?mac=$BIOS" \
		"ours ipxe-uefi address $BOOT http://$BOOT:8071/ipxe?mac=$BIOS" 'ours system address - -'
		printf 'other %s address - -\n' bios uefi7 uefi9 http16 ipxe-bios ipxe-uefi system)
	space space2
	space asker2
	ip link add eth0 netns "$space2" type veth peer name eth0 netns "$asker2" || bail 'no cable'
	in_space "$asker2" ip link set eth0 up
	in_space "$space2" ip link set eth0 up
	in_space "$space2" ip addr add 10.78.0.1/24 dev eth0
	mkdir "$T/servers"
	cp "$(command -v dhcpd)" "$(command -v kea-dhcp4)" "$T/servers" || bail 'no copies'

	config dhcpd --format dhcpd
	: >"$T/dhcpd.leases"
	printf '%s\n' 'ping-check false;' 'subnet 10.78.0.0 netmask 255.255.255.0 { range 10.78.0.100 10.78.0.150; }' \
		"include \"$T/dhcpd\";" >"$T/dhcpd.conf"
	run "$T/servers/dhcpd" -t -cf "$T/dhcpd.conf" -lf "$T/dhcpd.leases"
	is "$rc" 0 'dhcpd: the syntax is right'
	nsenter --net="/proc/$space2/ns/net" "$T/servers/dhcpd" -4 -f -cf "$T/dhcpd.conf" -lf "$T/dhcpd.leases" -pf "$T/dhcpd.pidfile" eth0 \
		>"$T/dhcpd.log" 2>&1 &
	ours+=("$!")
	is "$(ask "$asker2" eth0 "$BIOS" "$OTHER")" "$answers" 'dhcpd: our machine gets its files, others an address as before'
	end "$!"

	config kea --format kea
	printf '{ "Dhcp4": { "interfaces-config": { "interfaces": [ "eth0" ] },
		"multi-threading": { "enable-multi-threading": false },
		"lease-database": { "type": "memfile", "persist": false },
		"client-classes": [ <?include "%s"?> ],
		"subnet4": [ { "id": 1, "subnet": "10.78.0.0/24", "pools": [ { "pool": "10.78.0.100-10.78.0.150" } ] } ] } }' \
		"$T/kea" >"$T/kea.conf"
	export KEA_PIDFILE_DIR=$T KEA_LOCKFILE_DIR=$T
	run in_space "$space2" "$T/servers/kea-dhcp4" -t "$T/kea.conf"
	is "$rc" 0 'kea: the syntax is right'
	nsenter --net="/proc/$space2/ns/net" "$T/servers/kea-dhcp4" -c "$T/kea.conf" >"$T/kea.log" 2>&1 &
	ours+=("$!")
	is "$(ask "$asker2" eth0 "$BIOS" "$OTHER")" "$answers" 'kea: our machine gets its files, others an address as before'
	end "$!"
}

# With no run of its own under way, nobody listens where its iPXE asks.
goes_on() {
	local reader

	: >"$T/idle"
	socat -u TCP:127.0.0.1:7001 "OPEN:$T/idle" &
	reader=$!
	ours+=("$reader")
	"$T/power" bios on
	until_true 300 grep -aqs sector-lives "$T/idle"
	ok "$?" 'with no run under way, BIOS goes on to the disk'
	like "$(tr -d '\0\033' <"$T/idle")" "^Filename: http://$BOOT:8071/ipxe" 'after it has asked'
	"$T/power" bios off
	end "$reader"
}

# refused WHAT OPTION…: one line that says so, and nothing printed
refused() {
	run "$H" netboot "${@:2}"
	is "$rc$out" 2 "refused: ${*:2}"
	like "$err" "$1" 'and it says why'
	one_line "${*:2}"
}
refused 'netboot --help' con
refused '--interface NAME' config --targets "$T/targets" --range 10.77.0.100,10.77.0.150
refused 'no IPv4 address on this host' config --targets "$T/targets" --format dnsmasq-proxy --interface tap-bios
refused 'no format "isc"' config --format isc
refused 'vlab is a virtual machine' config --format kea --targets targets --machine vlab
refused 'no machine "box"' config --format kea --targets "$T/targets" --machine bios,box
run "$H" netboot config --targets "$T/targets" --machine uefi --interface eth9 --range 10.0.0.1,10.0.0.2 --tftp-root "$T"
is "$rc" 0 'a configuration for another host can be made'
like "$err" '^harness: warning: this host has no interface eth9' 'with a warning of what is not here'
like "$err" "^harness: warning: $T/undionly.kpxe is missing here" 'also of the files'
unlike "$out" "$BIOS" 'and without machines that were not named'

# dnsmasq as the only server.
config dnsmasq --interface lab --range 10.77.0.100,10.77.0.150,1h
like "$(dnsmasq --test --conf-file="$T/dnsmasq" 2>&1)" 'syntax check OK' 'dnsmasq: the syntax is right'
dhcp dnsmasq
is "$(ask "$asker" eth0 "$BIOS" "$OTHER")" "ours bios address $BOOT undionly.kpxe
ours uefi7 address $BOOT snponly.efi
ours uefi9 address $BOOT snponly.efi
ours http16 address - -
ours ipxe-bios address $BOOT http://$BOOT:8071/ipxe?mac=$BIOS
ours ipxe-uefi address $BOOT http://$BOOT:8071/ipxe?mac=$BIOS
ours system address - -
$(printf 'other %s nothing\n' bios uefi7 uefi9 http16 ipxe-bios ipxe-uefi system)" \
	'dnsmasq: each kind of firmware of ours gets its file, other machines get no answer'
is "$(ss -Hlun | awk '{ print $4 }' | grep -v '%lab:69$' | sort)" "0.0.0.0%lab:67
$BOOT:69" 'dnsmasq: it listens on the segment only, for DHCP and TFTP'
is "$(ss -Hltn | awk '{ print $4 }' | sort)" "127.0.0.1:7001
127.0.0.1:7002" 'dnsmasq: and has no DNS'
for f in undionly.kpxe snponly.efi; do
	in_space "$asker" curl -s --max-time 60 -o "$T/tftp" "tftp://$BOOT/$f"
	cmp -s "$T/tftp" "/usr/lib/ipxe/$f"
	ok $? "dnsmasq: $f comes whole by TFTP"
done
boot
other_servers
booted dnsmasq bios
goes_on
booted dnsmasq uefi
end "$dhcp"

# proxyDHCP, beside a server that gives addresses and knows nothing of us.
printf '%s\n' port=0 interface=eth0 bind-interfaces dhcp-range=10.77.0.50,10.77.0.90,1h >"$T/existing"
dhcp existing "$server"
until_true 60 grep -qs 'sockets bound' "$T/existing.log" || bail "no other server: $(cat "$T/existing.log")"
config dnsmasq-proxy --format dnsmasq-proxy --interface lab
like "$(dnsmasq --test --conf-file="$T/dnsmasq-proxy" 2>&1)" 'syntax check OK' 'proxy: the syntax is right'
dhcp dnsmasq-proxy
is "$(ask "$asker" --service 10.77.0.3 "$BOOT" "$BIOS" 0)" "address $BOOT undionly.kpxe" \
	'proxy: BIOS gets its first stage in the second step'
boot
booted dnsmasq-proxy bios
booted dnsmasq-proxy uefi
like "$(cat "$T/existing.log")" "DHCPACK\(eth0\) 10.77.0.[5-9][0-9] $UEFI" 'proxy: the address came from the other server'
unlike "$(cat "$T/dnsmasq-proxy.log")" 'DHCP(OFFER|ACK)\(' 'proxy: and none from us'

end_ours
ours=()
nothing_left 'no process is left of all that'
lib_done
