#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A machine that runs something else than was sent, a console that replays what is past, and boots that are not what
# was asked for: none of their timings is ever data.
# shellcheck disable=SC2154,SC2119 # run sets out, err and rc; boots takes options, or none
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/machine.sh
. tests/machine.sh
samples() { sql "select count(*) from sample where boot = (select max(id) from boot)"; }
# From old reports come timings below 2 ms, from reports of the boot itself 5 ms.
no_old_data() { is "$(sql "select count(*) from sample where ns < 2000000 and boot > $old_id")" 0 "$1"; }

# fails STATUS OUTCOME REGEX WHAT
fails() {
	is "$rc" "$1" "$4: exit status $1"
	like "$err" "^harness: box: stage $3" 'and one line that says so'
	one_line "$4"
	is "$(boot outcome),$(samples)" "$2,0" "stored as $2, without a sample"
	is_off 'the machine is off'
}
# counts WHAT [FLAG]: the run is good, with its own three timings, flagged so
counts() {
	is "$rc" 0 "$1: the report counts"
	[ "$rc" = 0 ] || note "$err
$("$H" show last --events)"
	is "$(boot outcome),$(samples)" 'ok,3' 'with its own timings'
	[ -z "${2:-}" ] || like "$(boot flags)" "$2" 'and the boot is flagged'
	no_old_data 'and no others'
}

# An old boot, as its console showed it; and its report alone.
plan script 'load xen dummy' banner 'report ns=1000000'
boots
is "$rc" 0 'a boot to be replayed'
[ "$rc" = 0 ] || note "$err $(cat "$M/log")"
"$H" show last --console 1 >"$T/old"
grep -a HPP1 "$T/old" >"$T/records"
old=$(boot nonce)
old_id=$(boot id)

# The machine's own disk: another system, another hypervisor.
machine 'firmware = 1s'
plan 'say Booting from Hard Disk...' 'say GRUB loading.' 'say debian login:'
boots
fails 3 lab 'firmware: nothing more within 1\.0s: the machine booted another system \("debian login:"\), so .*; last console line: "debian login:" \(E_BOOTDEV\)' \
	'another system, from the disk'
typed 'nobody has typed at its prompt' ''
plan 'banner placeholder com1=115200 console=com1' 'say debian login:'
boots
fails 5 wrong-image 'firmware: .*not started with our command line.*\(E_NONCE\)' 'another hypervisor, from the disk'
typed 'nobody has typed at its prompt' ''

# An old nonce: what was sent is loaded, and something else is started or reports.
machine
plan script 'load xen dummy' "banner com1=115200,8n1 hp_nonce=$old" "report nonce=$old ns=1000000"
boots
fails 5 wrong-image "hypervisor: the only report on the console is of another boot \\(nonce ${old:0:8}…, not [0-9a-f]{8}…\\) \\(E_NONCE\\)" \
	'the nonce of another boot'
plan script 'load xen dummy' banner "report nonce=$old ns=1000000 to=7" 'await : hypervisor$' script
boots -v
fails 5 crash 'hypervisor: the machine restarted before the report was complete \(E_CRASH\)' \
	'our command line, and only a report of another boot'
plan script 'load xen' "banner com1=115200,8n1 hp_nonce=$old" 'load dummy'
machine 'hypervisor = 1s'
boots
fails 5 wrong-image 'hypervisor: .*not started with our command line.*\(E_NONCE\)' 'an image that was started with an old command line'
typed 'which is not asked anything' ''
machine

# A console server that replays the old boot: whole, or its report, before this boot and in its middle.
plan "file $T/old" script 'load xen dummy' banner report
boots
counts 'an old boot, replayed before this one' "report of another boot left out \\(nonce ${old:0:8}"
plan script "file $T/records" 'load xen dummy' banner report
boots
counts 'an old report, replayed while iPXE runs' 'report of another boot left out'
plan script 'load xen dummy' banner "file $T/records" report
boots
counts 'an old report, replayed while the hypervisor starts' 'report of another boot left out'
plan script 'load xen dummy' banner 'report to=4' "file $T/records" 'report from=4'
boots
counts 'an old report, replayed in the middle of the new one' 'report of another boot left out'
plan script 'load xen dummy' banner 'report to=7' "file $T/records" 'report from=7'
boots
counts 'an old report, replayed between the two passes'
plan script 'load xen dummy' banner 'report to=4' "file $T/old" 'report from=4'
boots
fails 5 crash '(hypervisor|probe): console replayed or machine restarted before the report was complete.*\(E_RESET\)' \
	'an old boot, replayed whole in the middle of the report'
no_old_data 'and none of it is data'

# Only the replay, from a machine that never comes as far.
machine 'firmware = 1s'
plan "file $T/old"
boots
fails 5 wrong-image 'firmware: the only report on the console is of another boot.*\(E_NONCE\)' 'an old boot, and none of ours'
typed 'nobody types at a replay' ''
machine 'load = 1s'
plan "file $T/old" script 'part xen'
boots
is "$rc,$(samples)" '5,0' 'an old boot, and an iPXE that hangs: no data'
typed 'and nobody types at it' ''
machine

# iPXE loops.
plan script 'repeat 9'
boots
fails 3 lab 'ipxe: iPXE fetched the boot script 4 times without loading the image \(E_LOOP\)' 'an iPXE that starts again and again'
plan script 'load dummy' 'repeat 9'
boots
fails 3 lab 'load: iPXE fetched the boot script 4 times without loading the image \(E_LOOP\)' \
	'an iPXE that starts again in the middle of the image'
plan script 'load xen dummy' 'await : hypervisor$' 'repeat 9'
boots -v
fails 5 crash 'hypervisor: the machine restarted before the report was complete \(E_CRASH\)' \
	'a machine that starts again with the image'
plan script 'load xen dummy' failed
boots
fails 4 image '(load|hypervisor): iPXE could not load the image: Exec format error \(E_LOAD\)' 'an iPXE that gives up'
plan script 'load dummy' 'repeat 2' 'load xen' banner report
boots
is "$rc" 0 'an iPXE that comes through in the end is fine'
[ "$rc" = 0 ] || note "$err
$("$H" show last --events)"

# Another mode, another number of CPUs: kept, marked, and in no number that anybody sees.
# mixed is good three times, the other is not what was asked for.
apart() {
	plan script 'load xen dummy' banner "report ns=1000000 $1"
	machine
	boots
	is "$rc" 5 "$3: a failed measurement"
	like "$err" "^harness: box: stage .*$2" 'and one line that says so'
	one_line "$3"
	id=$(sql 'select short from run order by id desc limit 1')
	is "$(boot outcome),$(samples)" "$4,3" 'its timings are kept, marked'
	is_off 'the machine is off'
	like "$("$H" show "$id" --samples)" '1000000' 'show has them'
	like "$out" "left out +boot 1, mixed: $4" 'the report says what is left out, and why'
	for form in text html verdicts; do
		run "$H" report "$id" --format "$form"
		unlike "$out" '1000000' "and none of them is in the report as $form"
	done
	run "$H" report "$id" --format csv
	is "$(tail -n +2 <<<"$out" | cut -d, -f15 | tr -d '\r' | sort | uniq -c | xargs)" '3 0' 'a list of all timings says that none is used'
}
apart apic=x2apic_phys '.*asked for mixed, the hypervisor runs physical.*\(E_MODE\)' 'another mode' mode-mismatch
apart online=4 '.*4 CPUs online, the target file expects 8.*\(E_CPUS\)' 'another number of CPUs' cpu-mismatch
plan script 'load xen dummy' banner 'report ns=5000000'
boots --boots 3
is "$rc" 0 'a good run beside them'
good=$(sql 'select short from run order by id desc limit 1')
run "$H" compare "$id" "$good"
is "$rc" 2 'they are not compared with another run'
like "$err" "nothing to compare, for want of boots that count: \"${id:0:4} mixed\" has 0" 'and compare says why'
# The real thing: iPXE fetches a file that it cannot boot, and gives up.
sha=$(sed -n 's/.*"sha256": *"\([0-9a-f]*\)".*/\1/p' "$S/images/refs/xen/mixed.json")
mkdir "$T/image"
cp "$S/images/sha256/$sha"/* "$T/image"
was=$(sha256sum <"$T/image/xen" | cut -d' ' -f1)
# Too long for iPXE to take it for a boot sector of the network.
head -c 3000000 /dev/zero >"$T/image/xen"
new=$(cd "$T/image" && sha256sum xen xen.config xen.efi | sha256sum | cut -d' ' -f1)
sed -i "s/$was/$(sha256sum <"$T/image/xen" | cut -d' ' -f1)/; s/$sha/$new/" "$T/image/manifest.json"
mv "$T/image" "$S/images/sha256/$new"
printf '{"sha256": "%s"}' "$new" >"$S/images/refs/xen/mixed.json"
sed 's/^idle.*/&\nretries = 0/' targets/vlab.ini >"$T/targets/real.ini"
run "$H" run --machine real "${quick[@]}"
is "$rc" 4 'a file that iPXE cannot boot: a fault of the image'
like "$err" '^harness: real: stage (load|hypervisor): iPXE could not load the image: .*\(E_LOAD\)' 'in the words of iPXE'
is "$(sql "select count(*) from event where detail like '%: begin xen%' and run = (select max(id) from run)")" 3 \
	'after three tries'
kill "$machine_peer" && wait "$machine_peer" 2>/dev/null
nothing_left 'no process is left of all that'
lib_done
