#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Power by a program of the lab, and the way to it when IPMI is broken: whole runs on the virtual lab, with
# a program that speaks to the lab's BMC.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets" "$T/bin"
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0 --state "$S" --targets "$T/targets")

# machine NAME LINE…: like vlab, with these lines in [bmc]
machine() {
	local name=$1

	shift
	sed "/^driver *= ipmi/d" targets/vlab.ini >"$T/targets/$name.ini"
	for line; do sed -i "s|^\\[bmc\\]|&\\n$line|" "$T/targets/$name.ini"; done
}
events() { sqlite3 "$S/harness.db" "select what || ': ' || detail from event"; }

cat >"$T/targets/switch" <<'EOF2'
#!/bin/bash
D=$(dirname "$0")
echo "$*" >>"$D/calls"
[ "$1" = vlab ] || exit 9
ipmi() {
	IPMI_PASSWORD=$HARNESS_PASSWORD ipmitool -I lanplus -C 3 -H "$HARNESS_HOST" -p "$HARNESS_PORT" \
		-U "$HARNESS_USER" -E "$@"
}
case $2 in
get)
	state=$(ipmi chassis power status) || exit 1
	echo "${state##* }"
	;;
on | off | cycle | reset) ipmi chassis power "$2" >/dev/null ;;
bootdev-pxe) ipmi chassis bootdev pxe >/dev/null ;;
*) exit 3 ;;
esac
EOF2
chmod +x "$T/targets/switch"

machine plain 'driver = command' 'command = ./switch vlab'
run "$H" machine check plain --offline --targets "$T/targets"
is "$rc" 0 'a machine with a program for power passes the check'
like "$out" "power command +ok +$T/targets/./switch" 'which names the program'
"$H" lab up plain --state "$S" --targets "$T/targets" --json >"$T/up" || bail "lab up: $(cat "$T/up")"
port=$(sed -n 's/.*"bmc_port": \([0-9]*\).*/\1/p' "$T/up")
ipmitool -I lanplus -C 3 -H 127.0.0.1 -p "$port" -U harness -f "$S/labs/plain/password" chassis power on >/dev/null
run "$H" run --machine plain "${quick[@]}" -v
is "$rc" 0 'a run whose power is switched by a program is good'
[ "$rc" = 0 ] || note "$err"
is "$(sed 's/^vlab //' "$T/targets/calls" | sort -u | tr '\n' ' ')" 'bootdev-pxe get off on ' \
	'the program was asked for each verb'
unlike "$out$err$(sqlite3 "$S/harness.db" .dump)" "$(cat "$S/labs/plain/password")" \
	'the password is in no output and not in the database'
run "$H" lab down plain --state "$S" --targets "$T/targets"

# IPMI that is broken for power alone: the console still needs it.
cat >"$T/bin/ipmitool" <<EOF2
#!/bin/bash
for word; do last=\$word; done
[ "\$last" = shell ] && { echo 'Error: the shell is broken on purpose' >&2; exit 1; }
PATH=$PATH exec ipmitool "\$@"
EOF2
chmod +x "$T/bin/ipmitool"
: >"$T/targets/calls"
machine broken 'driver = ipmi' 'fallback = command' 'command = ./switch vlab'
run env PATH="$T/bin:$PATH" "$H" run --machine broken "${quick[@]}"
is "$rc" 0 'a run whose IPMI is broken falls back to the program, and is good'
[ "$rc" = 0 ] || note "$err"
like "$(events)" '^power: reading by ipmi failed: .*broken on purpose.*; trying command' 'the step is an event of the run'
like "$(events)" '^boot-device: network boot by ipmi failed: .*; trying command' 'so is that of the boot device'
like "$(events)" '^boot-device: network boot by command' 'and who did it'
run "$H" lab down broken --state "$S" --targets "$T/targets"

# Both are broken.
printf '#!/bin/sh\necho the outlet is on fire >&2\nexit 7\n' >"$T/targets/switch"
run env PATH="$T/bin:$PATH" "$H" run --machine broken "${quick[@]}"
is "$rc" 3 'when the fallback fails too it is a fault of the lab'
like "$err" 'broken: stage power-off: ipmi: .*broken on purpose.*; command: .*status 7: the outlet is on fire.*\(E_BMC\)' \
	'that names both'
one_line 'both broken'
run "$H" lab down broken --state "$S" --targets "$T/targets"
nothing_left 'no process is left'
lib_done
