#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where passwords and tokens are not to be seen: each program that is started during whole runs is recorded with
# its arguments and its environment, and whatever is written is searched.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
export HARNESS_DATA=$PWD
# A traced process cannot look for leaks.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
command -v strace >/dev/null || bail 'no strace: scripts/deps.sh check'
mkdir "$T/targets"
cp targets/vlab.ini "$T/targets"
common=(--state "$S" --targets "$T/targets")
quick=(--modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0 "${common[@]}" -vv)
trace=(strace -f -q -v -s 65536 -e trace=execve -e signal=none)

# A scheduler that is asked, too.
printf '#!/bin/sh\nexit 0\n' >"$T/sched"
chmod +x "$T/sched"

# A machine that is not virtual has its MAC address for itself on this host.
mac() { md5sum <<<"$T$1" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\).*/02:\1:\2:\3:\4:\5/'; }

# until_line FILE REGEX
until_line() {
	for _ in $(seq 600); do grep -Eqs -- "$2" "$1" && return 0; sleep 0.1; done
	return 1
}
seen() { tests/tools/secret_look.py execs "$1" "$2"; }
# told FILE NAME: the secret in FILE is in nothing that was written or printed
told() {
	local f

	for f in "$S"/harness.db*; do
		is "$(grep -ca -F -f "$1" "$f")" 0 "$2: not in ${f##*/}"
	done
	is "$(grep -rla -F -f "$1" "$S" --exclude-dir=images --exclude=password --exclude=lan.conf)" '' "$2: in no file of the state folder"
	is "$(grep -la -F -f "$1" "$T"/*.out "$T"/*.err "$T"/report.*)" '' "$2: in no output, no log and no report"
}
# reports RUN
reports() {
	local format

	for format in text mail html json csv verdicts junit; do
		"$H" report "$1" --format "$format" "${common[@]}" >"$T/report.$1.$format" 2>&1
	done
	{
		"$H" show "$1" "${common[@]}"
		"$H" show "$1" --json "${common[@]}"
		"$H" show "$1" --events "${common[@]}"
		"$H" show "$1" --console 1 "${common[@]}"
		"$H" machine list --json "${common[@]}"
		"$H" machine show vlab --json "${common[@]}"
		sqlite3 "$S/harness.db" .dump
	} >"$T/report.$1.rest" 2>&1
}

# A whole run, with a lab that it starts itself: its BMC's password is made for it.
"${trace[@]}" -o "$T/trace.lab" "$H" run --machine vlab "${quick[@]}" --lock "exec:$T/sched" \
	--html "$T/report.html" --junit "$T/report.xml" >"$T/lab.out" 2>"$T/lab.err" &
first=$!
until_line "$T/lab.err" 'mixed: firmware'
# The machine stands still while we look around.
sup=$("$H" lab status --json "${common[@]}" | sed -n 's/^ *"pid": \([0-9]*\).*/\1/p')
for _ in $(seq 600); do qemu=$(pgrep -P "$sup" qemu) && break; sleep 0.05; done
kill -STOP "$qemu"
(umask 077 && cat "$S/labs/vlab/password" >"$T/secret.lab")
[ "$(wc -c <"$T/secret.lab")" -ge 16 ]
ok $? 'the lab has a password'
page=$(sed -n 's/.*bootfile=\(http:[^ ]*\)?mac=.*/\1/p' "$S/labs/vlab/qemu.log" | tail -n 1 | sed 's/10\.0\.2\.2/127.0.0.1/')
curl -s --noproxy '*' --interface 127.0.0.2 "$page?mac=52:54:00:12:34:56" >"$T/page"
pid=$(pgrep -f "^$H run --machine vlab .*$T" | head -n 1)
is "$(tests/tools/secret_look.py memory "$T/secret.lab" "$pid")" looked 'a core dump of ours would not hold it'
kill -CONT "$qemu"
wait "$first"
is "$?" 0 'a whole run is good'
[ "$(wc -l <"$T/lab.err")" -gt 10 ] || note "$(cat "$T/lab.err")"
is "$(seen "$T/secret.lab" "$T/trace.lab")" "env ipmitool IPMI_PASSWORD
calls" 'each ipmitool has the password in its environment, and no other program has, nor has it any in an argument'
for p in qemu-system-x86_64 ipmi_sim sched ipmitool; do
	grep -q "execve(\"[^\"]*$p\"" "$T/trace.lab"
	ok $? "$p was seen being started"
done
reports last
told "$T/secret.lab" 'password of the lab'
# The token of the boot's files, which whoever knows it can read while the boot runs.
sed -n 's|^kernel .*http://[^/]*/b/\([^/ ]*\)/.*|\1|p' "$T/page" | head -n 1 >"$T/secret.token"
[ "$(wc -c <"$T/secret.token")" -gt 16 ]
ok $? 'the boot had a token'
[ -s "$T/secret.token" ] || note "$(head -n 20 "$T/page")"
is "$(grep -la -F -f "$T/secret.token" "$T"/lab.out "$T"/lab.err "$T"/report.last.{text,mail,html,json,csv,verdicts,junit} "$T/report.html" \
	"$T/report.xml")" '' 'which is in no log and no report'

# A machine whose power is a program, with a password that comes from our environment, a file or a command.
cat >"$T/pdu" <<'SH'
#!/bin/sh
[ "$HARNESS_PASSWORD" ] || exit 4
case $1 in
get) echo off ;;
on) : >"$0.on"; while [ -e "$0.on" ]; do sleep 0.1; done; echo broken >&2; exit 1 ;;
esac
SH
chmod +x "$T/pdu"
head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$T/secret.pdu"
chmod 600 "$T/secret.pdu"
pdu() { # NAME LINE CONSOLE-LINES
	sed '/^\[lab\]/,$d' targets/vlab.ini | sed "/^cipher\|^privilege/d; s|^mac .*|mac = $(mac "$1")|
		s|^driver *= ipmi|driver = command\nhost = 127.0.0.1\ncommand = $T/pdu\n$2|
		s|^driver *= sol|$3|; s|^idle.*|&\nretries = 0|
		s|^listen .*|listen = 127.0.0.1:$(free_port tcp)\nurl = http://127.0.0.1:1|" >"$T/targets/$1.ini"
	"$H" machine show "$1" "${common[@]}" >/dev/null || bail "machine $1"
}
pdu envy 'password_env = HARNESS_TEST_WORD' 'driver = command\ncommand = exec sleep 1000'
env HARNESS_TEST_WORD="$(cat "$T/secret.pdu")" "${trace[@]}" -o "$T/trace.envy" "$H" run --machine envy "${quick[@]}" \
	--lock "exec:$T/sched" >"$T/envy.out" 2>"$T/envy.err" &
first=$!
until_line "$T/envy.err" 'mixed: power-on'
for _ in $(seq 600); do [ -e "$T/pdu.on" ] && break; sleep 0.1; done
pid=$(pgrep -f "^$H run --machine envy .*$T" | head -n 1)
is "$(tests/tools/secret_look.py memory "$T/secret.pdu" "$pid")" looked 'a core dump of ours does not hold it, nor what was our environment'
rm -f "$T/pdu.on"
wait "$first"
is "$?" 3 'a run with a power program that fails is over'
like "$(cat "$T/envy.err")" 'envy: stage power-on: .*broken' 'for that reason'
# The first line is that of the program itself, as the user's shell starts it.
sed -i 1d "$T/trace.envy"
is "$(seen "$T/secret.pdu" "$T/trace.envy")" "env pdu HARNESS_PASSWORD
env sh HARNESS_PASSWORD
env sleep HARNESS_PASSWORD
calls" 'power and console programs have the password in their environment, by its own name, and nobody else has'
grep -q 'execve("[^"]*sched"' "$T/trace.envy"
ok $? 'also not the scheduler'
sed -i 's/^on).*/on) echo broken >\&2; exit 1 ;;/' "$T/pdu"
pdu filed "password_file = $T/secret.pdu" 'driver = tcp\nhost = 127.0.0.1\nport = 9'
pdu asked "password_command = cat $T/secret.pdu" 'driver = tcp\nhost = 127.0.0.1\nport = 9'
for name in filed asked; do
	"${trace[@]}" -o "$T/trace.$name" "$H" run --machine "$name" "${quick[@]}" >"$T/$name.out" 2>"$T/$name.err"
	is "$?" 3 "$name: the run is over"
	is "$(seen "$T/secret.pdu" "$T/trace.$name")" "env pdu HARNESS_PASSWORD
calls" "$name: the power program alone has the password"
done
reports last
told "$T/secret.pdu" 'password of the program'

# Redfish, by session and by basic authentication.
head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$T/secret.redfish"
chmod 600 "$T/secret.redfish"
P=$T/peer
mkdir "$P"
python3 -c 'import os, sys; os.execv(sys.argv[1], sys.argv[1:3] + [open(sys.argv[3]).read()])' \
	tests/tools/redfish_peer.py "$P" "$T/secret.redfish" >"$P/output" 2>&1 &
peer=$!
# shellcheck disable=SC2317
end_peer() { kill "$peer" 2>/dev/null && wait "$peer" 2>/dev/null; }
lib_at_exit end_peer
for _ in $(seq 600); do [ -s "$P/port" ] && break; sleep 0.05; done
[ -s "$P/port" ] || bail "the peer does not start: $(cat "$P/output")"
for auth in session basic; do
	sed '/^\[lab\]/,$d' targets/vlab.ini | sed "/^cipher\|^privilege/d; s|^mac .*|mac = $(mac "$auth")|
		s|^driver *= ipmi|driver = redfish\nhost = 127.0.0.1\nurl = https://127.0.0.1:$(cat "$P/port")\nauth = $auth\nca_file = $P/cert.pem\npassword_file = $T/secret.redfish|
		s|^driver *= sol|driver = tcp\nhost = 127.0.0.1\nport = 9|; s|^idle.*|&\nretries = 0|
		s|^listen .*|listen = 127.0.0.1:$(free_port tcp)\nurl = http://127.0.0.1:1|" >"$T/targets/$auth.ini"
	"${trace[@]}" -o "$T/trace.$auth" "$H" run --machine "$auth" "${quick[@]}" >"$T/$auth.out" 2>"$T/$auth.err"
	is "$?" 3 "$auth: the run is over"
	[ "$auth" = basic ] || cp "$P/token" "$T/secret.session"
	like "$(cat "$T/$auth.err")" "$auth: stage console: " "$auth: after Redfish has done its part"
	is "$(seen "$T/secret.redfish" "$T/trace.$auth")" calls "$auth: no other program has the password"
done
is "$(cat "$P/sessions")" 0 'no session is left'
reports last
reports last~1
mv "$T/report.last~1.text" "$T/report.session.text"
mv "$T/report.last~1.rest" "$T/report.session.rest"
told "$T/secret.redfish" 'password of Redfish'
for name in text rest; do
	is "$(grep -c -F -f "$T/secret.session" "$T/session.out" "$T/session.err" "$T/report.session.$name" | grep -v ':0$')" '' \
		"nor is its token in what the run printed, or in its report ($name)"
done
end_peer
nothing_left 'no process is left of all that'
lib_done
