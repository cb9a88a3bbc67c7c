#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGTERM at any time: all is closed within 5 s, also where nothing answers any more, and what could not be
# done is said.  The machines here have deadlines of minutes, so that only the bound itself can be in time.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets" "$T/bin"
common=(--state "$S" --targets "$T/targets")
quick=(--modes mixed --boots 1 --samples 1000 --iterations 50 --warmup 0 "${common[@]}" -v)

# A machine that is not virtual has its MAC address for itself on this host.
mac() { md5sum <<<"$T$1" | sed 's/\(..\)\(..\)\(..\)\(..\)\(..\).*/02:\1:\2:\3:\4:\5/'; }

until_line() { # FILE REGEX
	for _ in $(seq 600); do grep -Eqs -- "$2" "$1" && return 0; sleep 0.1; done
	note "no line matches /$2/ in: $(tail -n 5 "$1")"
	return 1
}
# start COMMAND…: in the background, its output in $T/o and $T/e
start() {
	"$@" >"$T/o" 2>"$T/e" </dev/null &
	first=$!
}
# ends NAME: SIGTERM to what was started; its status in $rc, what it said in $err
ends() {
	local before took

	before=$(date +%s%N)
	kill -TERM "$first"
	wait "$first"
	rc=$?
	took=$((($(date +%s%N) - before) / 1000000))
	err=$(tr -d '\0' <"$T/e")
	is "$rc" 130 "$1: SIGTERM ends it with 130"
	# Who does not get a CPU cannot keep to a time.
	if [ "$took" -ge 5000 ] && awk -v n="$(nproc)" '{ exit !($1 > n) }' /proc/loadavg; then
		note "took $took ms on a loaded controller"
		[ "$took" -lt 60000 ]
	else
		[ "$took" -lt 5000 ]
	fi
	ok $? "$1: within 5 s ($took ms)"
	[ "$rc" = 130 ] || note "$(tail -n 5 "$T/e")"
}
# No ipmitool speaks to this port any more.
no_tool() { # PORT NAME
	is "$(pgrep -f -- "ipmitool .* -p $1 ")" '' "$2: no child is left"
}
run_is_marked() { # NAME
	is "$(sqlite3 "$S/harness.db" 'select ended, end_class from run order by id desc limit 1')" '1|130' \
		"$1: the run is marked as interrupted"
}
lock_is_free() { # MACHINE NAME
	is "$(cat "$S/locks/$1.lock")" '' "$2: the lock is free"
}
lab_field() { "$H" lab status "$1" --json "${common[@]}" | sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\).*/\1/p"; }

# In each stage of a boot.
http=$(free_port tcp)
sed "s/^listen .*/listen = 127.0.0.1:$http/; s/^done .*/done = 10m/; s/^power-off .*/power-off = 10m/
	s/^console .*/console = 10m/" targets/vlab.ini >"$T/targets/vlab.ini"
run "$H" lab up vlab "${common[@]}"
is "$rc" 0 'the lab comes up'
[ "$rc" = 0 ] || bail "lab: $err"
port=$(lab_field vlab bmc_port)
password=$S/labs/vlab/password
tool=(ipmitool -I lanplus -C 3 -H 127.0.0.1 -p "$port" -U harness -f "$password")
for stage in acquire power-off boot-device console power-on firmware ipxe load hypervisor probe; do
	start "$H" run --machine vlab "${quick[@]}"
	until_line "$T/e" "boot 1/1 mixed: $stage\$"
	ends "$stage"
	like "$("$H" lab status vlab "${common[@]}")" 'power off' "$stage: the machine is in its idle state"
	unlike "$err" 'could not|may be left' "$stage: and all could be closed"
	run_is_marked "$stage"
	lock_is_free vlab "$stage"
	no_tool "$port" "$stage"
	(: </dev/tcp/127.0.0.1/"$http") 2>/dev/null
	is "$?" 1 "$stage: the HTTP server is gone"
done
sol=$(timeout 60 script -qec "${tool[*]} sol activate" /dev/null < <(sleep 2; printf '~.'; sleep 2) 2>&1)
like "$sol" 'SOL Session operational' 'no SOL session was left: a new one opens'

# A machine that somebody drives by hand.  The pipe is its terminal, which stays silent.
mkfifo "$T/keys"
exec 3<>"$T/keys"
"$H" machine console vlab "${common[@]}" --log "$T/console.log" -v <&3 >"$T/o" 2>"$T/e" &
first=$!
for _ in $(seq 600); do [ -e "$T/console.log" ] && break; sleep 0.1; done
ends 'machine console'
no_tool "$port" 'machine console'
lock_is_free vlab 'machine console'

# A BMC that stops answering in the middle of a boot, and while it is asked by hand.
sim=$(pgrep -x -P "$(lab_field vlab pid)" ipmi_sim)
resume() { kill -CONT "$sim" 2>/dev/null; }
lib_at_exit resume
start "$H" run --machine vlab "${quick[@]}"
until_line "$T/e" 'boot 1/1 mixed: ipxe$'
kill -STOP "$sim"
ends 'silent BMC'
like "$err" 'vlab: stage done: could not leave the machine off: .*BMC 127\.0\.0\.1:[0-9]+ ' 'silent BMC: what could not be done is said'
run_is_marked 'silent BMC'
lock_is_free vlab 'silent BMC'
no_tool "$port" 'silent BMC'
for verb in 'power vlab off' 'recover vlab'; do
	# shellcheck disable=SC2086 # words
	start "$H" machine $verb "${common[@]}" -v
	for _ in $(seq 600); do [ -s "$S/locks/vlab.lock" ] && break; sleep 0.01; done
	ends "machine ${verb% vlab*}"
	no_tool "$port" "machine ${verb% vlab*}"
done
resume
run "$H" machine recover vlab "${common[@]}"
is "$rc" 0 'the machine can be had again'
run "$H" lab down vlab "${common[@]}"
is "$rc" 0 'the lab goes down'

# The same in a lab that the run has started: it ends with the run, whatever its BMC does.
start "$H" run --machine vlab "${quick[@]}"
until_line "$T/e" 'boot 1/1 mixed: ipxe$'
kill -STOP "$(pgrep -x -P "$(lab_field vlab pid)" ipmi_sim)"
ends 'own lab'
like "$("$H" lab status vlab "${common[@]}")" 'vlab +down' 'own lab: it is down'
run_is_marked 'own lab'
nothing_left 'own lab: no process is left'

# Everything hangs, and takes no SIGTERM: power, console, the scheduler.
cat >"$T/hang" <<'SH'
#!/bin/sh
echo "$0 $*" >>"$0.calls"
case $1 in
get) grep -q ' on$' "$0.calls" && echo on || echo off; exit 0 ;;
bootdev-pxe | acquire) exit 0 ;;
esac
trap '' TERM INT HUP
while :; do sleep 1; done
SH
chmod +x "$T/hang"
sed '/^\[lab\]/,$d' targets/vlab.ini | sed "s|^driver *= ipmi|driver = command\ncommand = $T/hang|
	/^cipher\|^privilege\|^user/d; s|^mac .*|mac = $(mac stuck)|
	s|^driver *= sol|driver = command\ncommand = exec $T/hang console|
	s|^done .*|done = 10m|; s|^power-on .*|power-on = 10m|
	s|^listen .*|listen = 127.0.0.1:$(free_port tcp)\nurl = http://127.0.0.1:1|" >"$T/targets/stuck.ini"
"$H" machine show stuck "${common[@]}" >/dev/null || bail 'machine stuck'
start "$H" run --machine stuck "${quick[@]}" --lock "exec:$T/hang"
until_line "$T/hang.calls" 'hang on$'
ends 'everything hangs'
like "$err" 'stuck: stage done: could not leave the machine off: ' 'everything hangs: it says so of the machine'
like "$err" 'stuck: the lock may not have been given back: ' 'and of the lock'
run_is_marked 'everything hangs'
nothing_left 'everything hangs: no process is left'

# A machine whose switching takes its time: the command was taken, but not obeyed yet.
sed "s/^while.*/exit 0/; s/^trap.*/[ \"\$1\" != console ] || exec sleep 1000/" "$T/hang" >"$T/slow"
chmod +x "$T/slow"
sed "s|$T/hang|$T/slow|g" "$T/targets/stuck.ini" >"$T/targets/slow.ini"
start "$H" run --machine slow "${quick[@]}"
until_line "$T/e" 'boot 1/1 mixed: firmware$'
ends 'slow machine'
like "$err" 'slow: stage done: could not leave the machine off: ' 'slow machine: it says so'
run_is_marked 'slow machine'
nothing_left 'slow machine: no process is left'

# Before there is any boot: a lab that does not come up, a password that does not come.
cat >"$T/bin/ipmi_sim" <<'SH'
#!/bin/sh
touch "$MARK"
exec sleep 1000
SH
chmod +x "$T/bin/ipmi_sim"
before_boot() { # NAME COMMAND…
	local name=$1

	shift
	rm -f "$T/mark"
	start env PATH="$T/bin:$PATH" MARK="$T/mark" "$@"
	for _ in $(seq 600); do [ -e "$T/mark" ] && break; sleep 0.1; done
	ends "$name"
	nothing_left "$name: no process is left"
}
before_boot 'lab up' "$H" lab up vlab "${common[@]}"
like "$("$H" lab status vlab "${common[@]}")" 'vlab +down' 'lab up: there is no lab'
before_boot 'lab of a run' "$H" run --machine vlab "${quick[@]}"
lock_is_free vlab 'lab of a run'
sed "s|^\\[bmc\\]|&\npassword_command = touch $T/mark; sleep 1000|" "$T/targets/stuck.ini" >"$T/targets/mute.ini"
"$H" machine show mute "${common[@]}" >/dev/null || bail 'machine mute'
before_boot 'password command' "$H" run --machine mute "${quick[@]}"
lock_is_free mute 'password command'
lib_done
