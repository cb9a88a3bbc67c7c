#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What was not measured is not compared: a mode that falls back, a mode that was never built, an image
# that is not ours, a wrong number of CPUs.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
mapfile -t modes < <(lib_modes)
mkdir "$T/targets"
quick=(--boots 1 --samples 3 --iterations 50 --warmup 0 --state "$S" --targets "$T/targets")

# A target like vlab with one setting changed: target NAME SED-SCRIPT
target() { sed "$2" targets/vlab.ini >"$T/targets/$1.ini"; }

# A mode that falls back.  Debian 13's hypervisor has no cluster mode to fall back from; there, physical
# is asked for by image and taken away by the command line.
target noremap 's/^interrupt_remapping *=.*/interrupt_remapping = no/'
if [[ " ${modes[*]} " == *" cluster "* ]]; then
	run "$H" run --machine noremap --modes mixed,cluster "${quick[@]}"
	bad=cluster
	reason='interrupt remapping'
else
	run "$H" run --machine vlab --modes mixed,physical --args x2apic-mode=mixed "${quick[@]}"
	bad=physical
	reason='mixed'
fi
is "$rc" 5 'a mode that falls back ends with the status of a failed measurement'
like "$err" "requested $bad|asked for $bad|$bad.*mixed" 'the message names both modes'
like "$err" "$reason" 'and the reason that the hypervisor gave'
is "$(sqlite3 "$S/harness.db" "select outcome || ' ' || effective from boot where mode='$bad'")" \
	'mode-mismatch mixed' 'it is stored as a mismatch, with the effective mode'
like "$out" "$bad.*mode-mismatch" 'the report lists the boot as left out'
like "$out" "^x mixed" 'the mode that was effective is reported'
unlike "$out" "^\\+ $bad" 'the other is not compared'
count=$(sqlite3 "$S/harness.db" "select count(*) from sample where boot in
	(select id from boot where outcome='mode-mismatch')")
is "$count" 3 'its samples are kept for the log'

# A mode that was not built.
rm -f "$S/images/refs/xen/physical.json"
run "$H" run --machine vlab --modes physical "${quick[@]}" --targets targets
is "$rc" 4 'an image that is missing ends with the status of images'
like "$err" 'harness build --image xen --modes physical' 'and the command that builds it'

# A mode that the tree does not have.
printf '{"skipped": "this tree has no such mode"}\n' >"$S/images/refs/xen/physical.json"
run "$H" run --machine vlab --modes mixed,physical "${quick[@]}" --targets targets
is "$rc" 0 'a mode that was skipped at build time does not fail the run'
like "$out" 'SKIPPED +physical.*this tree has no such mode' 'the report says SKIPPED and why'
run "$H" run --machine vlab --modes physical "${quick[@]}" --targets targets
is "$rc" 4 'a run of nothing but skipped modes has no image'
like "$err" 'this tree has no such mode' 'and says why'

# Another image boots, with a nonce that is not ours.
sha=$(sed -n 's/.*"sha256": *"\([0-9a-f]*\)".*/\1/p' "$S/images/refs/xen/mixed.json")
printf 'dummy\n' >"$T/dummy"
nonce=00112233445566778899aabbccddeeff
target foreign "s|^\\[lab\\].*|&\\nqemu_args = -kernel $S/images/sha256/$sha/xen -initrd $T/dummy -append com1=115200,8n1,console=com1|"
cat >"$T/append" <<EOF
com1=115200,8n1 console=com1 bootscrub=0 hp_nonce=$nonce hp_samples=3 hp_iters=50
EOF
# qemu_args is split at blanks, so the command line comes from the image's own default: none.  Use a
# wrapper file that QEMU reads.
cat >"$T/qemu.cfg" <<EOF
[machine]
  kernel = "$S/images/sha256/$sha/xen"
  initrd = "$T/dummy"
  append = "$(cat "$T/append")"
EOF
target foreign "s|^\\[lab\\].*|&\\nqemu_args = -readconfig $T/qemu.cfg|; s/^firmware *= *[0-9].*/firmware = 20s/; s/^retries *=.*//"
run "$H" run --machine foreign --modes mixed "${quick[@]}"
is "$rc" 5 'a nonce that does not match is no measurement'
like "$err" 'nonce|image' 'the message says that another image ran'
is "$(sqlite3 "$S/harness.db" "select distinct outcome from boot where run =
	(select max(id) from run)")" 'wrong-image' 'it is stored as the wrong image'
count=$(sqlite3 "$S/harness.db" "select count(*) from sample where boot in
	(select id from boot where outcome='wrong-image')")
is "$count" 0 'and has no samples'

# Fewer CPUs than the target file promises.
target cpus 's/^cpus *= *8.*/cpus = 4/'
sed -i '0,/^cpus *= *4/s//cpus = 8/' "$T/targets/cpus.ini"
run "$H" run --machine cpus --modes mixed "${quick[@]}"
is "$rc" 5 'a wrong number of CPUs is no measurement'
like "$err" '4.*8|8.*4' 'the message has both numbers'
lib_done
