#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A UEFI machine: no multiboot there, so iPXE starts one file that holds Xen, its configuration and a module.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark

run "$H" run --machine vuefi --modes mixed,physical --boots 1 --samples 4 --iterations 50 --warmup 1 --state "$S"
is "$rc" 0 'a run on a virtual UEFI machine ends with status 0'
[ "$rc" = 0 ] || note "$err"
for m in mixed physical; do
	like "$err" "boot +[12]/2 .* $m +ok .* 8 CPUs" "mode $m boots and is effective"
done
like "$out" 'firmware UEFI' 'the report says UEFI'
run "$H" show last --console 1 --state "$S"
like "$out" 'EFI loader' 'it was the UEFI loader'
id=$(sed -n 's/.* 0 BEGIN .* build=\([0-9a-f]*\) .*/\1/p' <<<"$out" | head -n 1)
run "$H" report --state "$S"
like "$out" "build-id $id" 'the report has the build-id of the file that ran'

# An image whose linker could not make such a file.
mode=$S/images/refs/xen/mixed.json
sha=$(sed -n 's/.*"sha256": *"\([0-9a-f]*\)".*/\1/p' "$mode")
mkdir -p "$S/images/tmp"
cp -r "$S/images/sha256/$sha" "$T/bios-only"
rm "$T/bios-only/xen.efi"
sed -i '/efi-build-id/d; /"xen.efi"/d; s/\("xen.config": "[0-9a-f]*"\),/\1/' "$T/bios-only/manifest.json"
address=$(cd "$T/bios-only" && sha256sum xen xen.config | sha256sum | cut -d ' ' -f 1)
mv "$T/bios-only" "$S/images/sha256/$address"
printf '{"sha256": "%s"}\n' "$address" >"$mode"
run "$H" run --machine vuefi --modes mixed --boots 1 --state "$S"
is "$rc" 4 'an image without a UEFI file is an image error on a UEFI machine'
like "$err" 'has no file for UEFI machines' 'and the message says so'
nothing_left 'no process is left'
lib_done
