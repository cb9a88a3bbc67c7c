#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# harness machine: list, show, and what check says without touching a machine.
# shellcheck disable=SC2154 # run sets out, err and rc
# shellcheck source=tests/lib.sh
. tests/lib.sh
export HOME=$T/home XDG_CONFIG_HOME=
D=$T/targets
mkdir -p "$HOME" "$D"

real() { # LINE…: a real machine lab3 with more lines in [bmc]
	printf '%s\n' '[machine]' 'mac = 02:00:00:00:00:01' 'firmware = bios' '[netboot]' \
		'listen = 10.0.0.1:8070' '[bmc]' 'host = bmc.example' 'user = u' "$@" >"$D/lab3.ini"
}
check() { run "$H" machine check lab3 --targets "$D" --offline "$@"; }

run "$H" machine check --offline epyc9754
is "$rc" 0 'the shipped server is accepted'
like "$out" '^  CPUs +ok +512 must come online' 'with its CPUs'
like "$out" '^  boot device +ok +UEFI' 'and its firmware'
like "$out" "^  password +WARN +$HOME/.config/harness/epyc9754.password" 'and a warning: no password yet'
like "$out" '^  command line +ok +[0-9]+ bytes, fits' 'its command line fits'
run "$H" machine check --offline vlab
is "$rc" 0 'the virtual lab is accepted'
unlike "$out" 'WARN|FAIL' 'without a warning'

run "$H" machine check --offline epyc975
is "$rc" 2 'an unknown machine is usage'
like "$err" '^harness: no machine "epyc975": did you mean epyc9754\? \(machines: epyc9754, vlab, vuefi; looked in ' \
	'with the nearest name and where it looked'

real 'pasword_file = x'
check
is "$rc:$err" "2:harness: $D/lab3.ini:9: unknown key \"pasword_file\" in [bmc] (did you mean \"password_file\"?)" \
	'a mistake in a target file is one line, with file and line'

real 'password_file = pw'
printf 'hunter2\n' >"$D/pw"
chmod 644 "$D/pw"
check
is "$rc" 3 'a password file that others can read fails the check'
like "$out" "chmod 600 $D/pw" 'with what to do'
chmod 600 "$D/pw"
check
is "$rc" 0 'and passes when they cannot'
like "$out" '^  CPUs +WARN' 'a missing CPU count is a warning'

real 'password_env = LAB3_PASSWORD'
check
like "$out" 'password +WARN +[$]LAB3_PASSWORD is not set' 'an unset variable is a warning'
LAB3_PASSWORD=hunter2 check --json
like "$out" '"ready": true' '--json tells the same'
unlike "$out$err" hunter2 'and no password'

real "password_command = touch '$T/ran'; echo hunter2"
check
is "$rc:$(test -e "$T/ran"; echo $?)" 0:1 'a password command is not run by the check'
run "$H" machine show lab3 --targets "$D"
unlike "$out" hunter2 'nor shown'

{
	printf '[hypervisor]\nargs = a\n'
	for _ in 1 2 3 4; do printf '  %0120d\n' 0; done
} >"$T/args"
real 'password_env = X' "$(cat "$T/args")"
check
is "$rc" 3 'a command line that iPXE would cut fails the check'
like "$out" '^  command line +FAIL' 'in its row'

real 'password_env = X'
run env PATH="$T/none" "$H" machine check lab3 --targets "$D" --offline
is "$rc" 3 'a missing tool fails the check'
like "$out" 'tools +FAIL +not installed: ipmitool' 'and is named'

printf 'nonsense\n' >"$D/broken.ini"
run "$H" machine list --targets "$D"
is "$rc" 0 'a broken file does not spoil the list'
like "$out" '^broken +BROKEN .*broken.ini:1: ' 'but is marked'
like "$out" '^lab3 +real ' 'and the others are there'
run "$H" machine list --json --targets "$D"
is "$(grep -c '"name"' <<<"$out")" 2 '--json lists the same'
run "$H" machine list --targets "$T/none"
is "$rc" 2 'a folder that is not there is usage'

lib_done
