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
is "$rc" 3 'a server whose password file is missing is not ready'
like "$out" "^  password +FAIL +$HOME/.config/harness/epyc9754.password: No such file" 'and it says which'
like "$out" '^ +write the password into it: install -m 600' 'and what to do'
mkdir -p "$HOME/.config/harness"
(umask 077 && echo hunter2 >"$HOME/.config/harness/epyc9754.password")
run "$H" machine check --offline epyc9754
is "$rc" 0 'the shipped server is accepted'
like "$out" '^  CPUs +ok +512 must come online' 'with its CPUs'
like "$out" '^  boot device +ok +UEFI' 'and its firmware'
like "$out" "^  password +ok +in $HOME/.config/harness/epyc9754.password" 'and its password file'
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

# On a virtual machine of its own: switching, its console, quarantine and recovery.
lib_mark
# shellcheck source=tests/lab.sh
. tests/lab.sh
sed -i 's/^power-off .*/power-off = 6s/; s/^console  *= 10s/console = 4s/; s/^done .*/done = 6s/' "$T/targets/box.ini"
m() { run timeout 100 "$H" machine "$@"; }
tool() { ipmitool -I lanplus -C 3 -H 127.0.0.1 -p "$port" -U harness -f "$password_file" "$@"; }

m power box
is "$rc" 3 'a virtual machine whose lab does not run has no power'
like "$err" 'box: its virtual lab does not run; harness lab up box starts it \(E_LAB\)' 'and the error says how to get it'
lab_up
m power box
is "$rc:$out" '0:box  power off' 'power reads the state'
m power box on
is "$rc:$out" '0:box  power on' 'and switches'
m power box cycle --json
is "$rc:$(tr -d ' \n' <<<"$out")" '0:{"machine":"box","action":"cycle","power":"on"}' 'cycle ends on, --json tells it'
m power box reset
is "$rc:$(tool chassis power status)" '0:Chassis Power is on' 'so does reset'
m power box off
is "$rc:$(tool chassis power status)" '0:Chassis Power is off' 'off is off'
m power box of
is "$rc" 2 'any other word is a usage error'
m powr box
like "$err" 'did you mean "power"' 'the nearest verb is offered'

mkfifo "$T/keys"
"$H" machine console box --log "$T/log" >"$T/console" 2>"$T/console.err" <"$T/keys" &
console=$!
exec 9>"$T/keys"
for _ in $(seq 100); do
	"$H" machine list | grep -q 'in use by harness machine console (.* pid '"$console" && break
	sleep 0.1
done
like "$("$H" machine list)" '^box +virtual +in use' 'the list shows who uses a machine'
is "$("$H" machine list --json | grep -c '"in_use": true')" 1 'so does its JSON'
m power box
is "$rc" 6 'a machine whose console is open is in use'
like "$err" 'box is in use by harness machine console \(.*, pid '"$console"', since ' 'by name'
m check box
is "$rc" 0 'check asks it nothing then'
like "$out" '^  BMC answers +skipped +box is in use' 'and says so'
# The console may not be open yet: the machine is started until it is heard.
for _ in $(seq 20); do
	tool chassis power cycle >/dev/null 2>&1 || tool chassis power on >/dev/null
	for _ in $(seq 40); do grep -q sector-lives "$T/console" && break 2; sleep 0.1; done
done
like "$(tr -d '\0\033' <"$T/console")" sector-lives 'the console prints what the machine says'
exec 9>&-
wait "$console"
is "$?" 0 'until the end of its input'
cmp "$T/log" "$T/console" >/dev/null
ok $? 'and its log has the same bytes'
is "$(cat "$HARNESS_STATE/locks/box.lock")" '' 'the lock is free'
is "$(lab_tools)" '' 'no ipmitool is left'

exec 9<>"$T/keys"
timeout 60 script -qec "$H machine console box" "$T/typed" >"$T/script" <"$T/keys" &
script=$!
for _ in $(seq 300); do grep -q 'console is open' "$T/script" && break; sleep 0.1; done
printf '~.' >&9
wait "$script"
is "$?" 0 'on a terminal ~. ends it'
exec 9>&-
like "$(cat "$T/script")" 'box: console is open; ~\. ' 'as it says'
mkfifo "$T/keys2"
"$H" machine console box >"$T/console" 2>&1 <"$T/keys2" &
console=$!
exec 9>"$T/keys2"
for _ in $(seq 100); do [ -n "$(lab_tools)" ] && break; sleep 0.1; done
kill -TERM "$console"
wait "$console"
is "$?" 130 'SIGTERM ends it with 130'
exec 9>&-
is "$(lab_tools)" '' 'and leaves no ipmitool'
m console box --log "$T/none/log"
is "$rc" 2 'a log that cannot be written is a usage error'

m quarantine box
is "$rc" 2 'a quarantine has a reason'
m quarantine box --why 'smells of smoke'
is "$rc" 0 'and then it is on'
like "$("$H" machine list)" '^box +virtual +quarantined' 'the list shows it'
like "$("$H" machine list)" '^ +since 20.*Z \(.* on .*\): smells of smoke' 'with its reason'
like "$("$H" machine list --json)" '"why": "smells of smoke"' 'so does its JSON'
run "$H" run --machine box
is "$rc" 3 'no run begins there'
like "$err" '^harness: box is in quarantine since .*: smells of smoke; harness machine recover box lifts it \(E_QUARANTINE\)' \
	'and the error says what to do'
m check box
is "$rc" 3 'check fails'
like "$out" '^  quarantine +FAIL +since .*smells of smoke' 'for that reason'
m power box on
is "$rc" 0 'who looks after the machine may switch it'
like "$err" 'box is in quarantine' 'and is told'

# Somebody else's console, who is gone without a word.
stale() {
	local who

	exec 9<>"$T/keys2"
	script -qec "ipmitool -I lanplus -C 3 -H 127.0.0.1 -p $port -U harness -f $password_file sol activate" \
		/dev/null >"$T/stale" 2>&1 <"$T/keys2" &
	who=$!
	for _ in $(seq 100); do grep -q operational "$T/stale" && break; sleep 0.1; done
	grep -q operational "$T/stale" || bail "no console: $(cat "$T/stale")"
	# shellcheck disable=SC2046 # several words
	kill -KILL $(lab_tools)
	wait "$who" 2>/dev/null
	exec 9>&-
}
stale
m recover box --sol
is "$rc" 0 'recover --sol ends a stale console'
like "$out" '^  console +ok' 'and says so'
is "$(tool chassis power status)" 'Chassis Power is on' 'the power stays'
like "$("$H" machine list)" '^box +virtual +quarantined' 'and the quarantine'
stale
m recover box
is "$rc" 0 'recover goes through'
like "$out" '^  power +ok +off, 2 readings agree' 'it brings the machine to its idle state'
like "$out" '^  quarantine +ok +lifted; since .*smells of smoke' 'and lifts the quarantine'
like "$("$H" machine list)" '^box +virtual +free' 'the machine is free'
is "$(tool chassis power status)" 'Chassis Power is off' 'and off'
m power box on
m recover box --keep-power --json
is "$rc:$(grep -c '"status": "ok"' <<<"$out")" 0:4 '--keep-power switches nothing, --json tells the steps'
is "$(tool chassis power status)" 'Chassis Power is on' 'it is still on'
kill -STOP "$sim"
m quarantine box --why 'BMC hangs'
m recover box
is "$rc" 3 'a machine that cannot be recovered'
like "$out" '^  console +FAIL' 'says at which step'
kill -CONT "$sim"
like "$("$H" machine list)" '^box +virtual +quarantined' 'and stays in quarantine'
m recover box
is "$rc" 0 'until it can'
lab_down
nothing_left 'no process is left'
lib_done
