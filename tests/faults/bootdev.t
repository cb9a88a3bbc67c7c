#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A boot override that the BMC forgets, ignores, or sets in the wrong mode: it is repaired where that is possible,
# else the boot fails with the reason.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
# shellcheck source=tests/bmc_lies.sh
. tests/bmc_lies.sh
DRIVER=$(realpath "${BUILD:-build}/tests/tools/bmc_driver")
bmc() {
	run env HARNESS_DATA="$PWD" timeout 120 "$DRIVER" 127.0.0.1 "$port" harness "$S/labs/box/password" cipher=1 "$@"
}
machine box

# ipmi_sim reads it as it sets it; the second reading is ours.
lie 'case $* in "get boot") [ "$(times boot)" = 2 ] && { truth get boot; truth set boot none; return 0; } ;; esac'
go box
is "$rc" 0 'an override that is forgotten between its setting and power-on is set again, and the run is good'
[ "$rc" = 0 ] || note "$err"
like "$(events)" '^boot-device: BMC lost the boot override \(reads "No override"\): set again$' 'and an event tells of it'
is "$(grep -E 'boot|power 1' "$F/asked" | tail -n 3 | tr '\n' ' ')" 'set boot pxe get boot set power 1 ' \
	'the machine is told to go on when the override has been read back'
is "$(events | grep -c '^power: on sent')" 1 'once'

truth
lie 'case $* in "set boot pxe") return 0 ;; esac'
go box
is "$rc" 3 'an override that is never there is a lab error'
like "$err" 'box: stage boot-device: BMC .* forgot the boot override twice \(reads "No override"\).*bootdev_raw.*\(E_BOOTDEV\)' \
	'of the boot device, with what was read and what to try'
one_line 'an override that is never there'
unlike "$(cat "$F/asked")" 'set power 1' 'and the machine was not turned on'

truth
rules 'answer 0 8 0xcc'
go box
is "$rc" 3 'an override that is refused is a lab error'
like "$err" 'box: stage boot-device: BMC .*"chassis bootdev pxe" failed: .*\(E_BOOTDEV\)' 'with the reason of the BMC'
one_line 'an override that is refused'

# It reads back well, and the machine boots what it always boots.
truth
lie 'case $* in "set boot pxe") truth set boot none; return 0 ;; "get boot") echo boot:pxe; return 0 ;; esac'
# On a busy host the disk may take longer.
for deadline in 20 60 180; do
	sed -i "s/^firmware *= *[0-9][0-9]*s/firmware = ${deadline}s/" "$T/targets/box.ini"
	: >"$F/serial"
	go box
	[ "$(grep -ac 'login:' "$F/serial")" -gt 5 ] && break
done
is "$rc" 3 'an override that is ignored is a lab error'
like "$err" 'box: stage firmware: nothing more within [^:]*: the machine booted another system \("lab3 login: "\), so its firmware ignored the boot override; check its boot order.*bootdev_options.*\(E_BOOTDEV\)' \
	'that names the system which has booted instead'
one_line 'an override that is ignored'
is "$(truth && ipmi box chassis power status)" 'Chassis Power is off' 'and the machine is off'

# Modes.  ipmi_sim forgets them; with this rule it is a BMC that keeps them.
rules 'keep-flags'
bmc firmware=uefi net
is "$rc" 0 'an override in legacy mode for a UEFI machine is repaired'
like "$err" 'boot-device: reads back as legacy, the machine is UEFI: set again with bootdev_options = efiboot' \
	'which is told with the key to set'
like "$(ipmi box chassis bootparam get 5)" 'BIOS EFI boot' 'and it is UEFI then'
bmc firmware=bios net
is "$rc" 0 'a BIOS machine gets it in legacy mode'
like "$(ipmi box chassis bootparam get 5)" 'legacy' 'as it should'
unlike "$err" 'UEFI' 'and nobody minds'
rules 'keep-flags 0xdf'
bmc firmware=uefi net
is "$rc" 3 'a BMC that sets legacy mode whatever it is asked for is a lab error'
like "$out" '^net [0-9]+ E_BOOTDEV BMC .* keeps the boot override in legacy mode, although bootdev_options = efiboot' \
	'of the boot device, with the mode'
sed 's/^cipher .*/cipher = 1/; s/^idle.*/&\nretries = 0/; /^bootdev_options/d' targets/vuefi.ini >"$T/targets/efi.ini"
lab_again efi
go efi
like "$err" 'efi: stage boot-device: BMC .* legacy mode, although bootdev_options = efiboot.*\(E_BOOTDEV\)' \
	'also of a run, before the machine is turned on'
one_line 'legacy mode'

# A BMC that takes back no more than "valid", as IPMI says that it may after a minute.
port=$(sed -n 's/^ *"bmc_port": \([0-9]*\).*/\1/p' < <("$H" lab status box --json))
rules 'keep-flags
fade 1'
bmc net keep
is "$rc" 0 'an override that is not valid any more is set again'
[ "$rc" = 0 ] || note "$out $err"
like "$err" 'BMC lost the boot override \(reads "Force PXE", not valid\): set again' 'and told'
like "$(ipmi box chassis bootparam get 5)" 'Boot Flag Valid' 'and it is valid then'
lies_at_exit
nothing_left 'no process is left'
lib_done
