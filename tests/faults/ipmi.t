#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Power and console over IPMI when something is wrong: each fault has one clear line and a code, and
# leaves no child and no session behind.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/lab.sh
. tests/lab.sh

responders=()
# shellcheck disable=SC2317
end_responders() { for p in "${responders[@]}"; do kill "$p" 2>/dev/null; done; }
lib_at_exit end_responders

# A UDP port on loopback that answers each datagram with TEXT, or with nothing: sets $fake.
responder() {
	mkfifo "$T/fake.$1"
	# shellcheck disable=SC2016
	perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(Proto => "udp", LocalAddr => "127.0.0.1") or die;
		$| = 1; print $s->sockport, "\n"; close STDOUT;
		alarm 120;
		while (defined $s->recv(my $d, 2048)) { $s->send($ARGV[0]) if length $ARGV[0]; }
	' "$2" >"$T/fake.$1" &
	responders+=("$!")
	read -r fake <"$T/fake.$1"
}

lab_up

# Credentials.
good=$password_file
(umask 077 && echo not-the-password >"$T/wrong")
password_file=$T/wrong
bmc get
is "$rc" 3 'a wrong password is a fault of the lab'
like "$out" '^get [0-9]+ E_AUTH .*password of user "harness"' 'and is told as a wrong password'
bmc open
like "$out" '^open [0-9]+ E_AUTH .*password' 'the console tells it too'
bmc wait-on
like "$out" '^wait-on [0-9]{1,4} E_AUTH' 'a wait for power ends at once with it'
unlike "$out$err" 'not-the-password' 'the password is in no message'
password_file=$good
LAB_USER=nobody
bmc get
like "$out" 'E_AUTH .*no user "nobody"' 'an unknown user is told as such'
LAB_USER=harness
bmc cipher=17 get
like "$out" 'E_AUTH .*cipher suite 17' 'a cipher suite that the BMC lacks is told as such'
is "$(lab_tools)" '' 'no ipmitool is left after any of these'

# Nobody there, or somebody else.
real=$port
responder closed ''
kill "${responders[-1]}"
wait "${responders[-1]}" 2>/dev/null
port=$fake
bmc get
like "$out" "^get [0-9]{1,3} E_BMC nothing listens for IPMI at 127.0.0.1:$port" \
	'a closed port is told at once, with its address'
bmc deadline=1500 wait-on
like "$out" 'E_BMC nothing listens' 'also after a wait for power'
responder silent ''
port=$fake
bmc deadline=1000 get
like "$out" "E_BMC BMC 127.0.0.1:$port does not answer" 'silence is told as silence'
responder garbage 'HTTP/1.0 400 Bad Request'
port=$fake
bmc get
like "$out" "^get [0-9]{1,3} E_BMC what answers at 127.0.0.1:$port is no BMC" \
	'garbage is told as garbage, at once'
bmc open
like "$out" 'E_BMC what answers' 'the console tells it too'
run timeout 60 "$DRIVER" host.invalid 623 harness "$good" get
like "$out" 'E_BMC .*"host.invalid" has no address' 'a name without an address is told as such'
port=$real

# A console that somebody left open.
timeout 60 "$DRIVER" 127.0.0.1 "$port" harness "$good" open sleep=60000 >"$T/left" 2>/dev/null &
job=$!
for ((i = 0; i < 200; i++)); do
	grep -q '^open .* ok' "$T/left" && break
	sleep 0.05
done
like "$(cat "$T/left")" '^open [0-9]+ ok' 'a console is open'
tool=$(lab_tools)
like "$tool" '^[0-9]+$' 'one ipmitool serves it'
secret=$(cat "$good")
is "$(pgrep -f -- "$secret" || true)" '' 'the password is in no command line'
holder=$(pgrep -x -P "$job" bmc_driver)
kill -9 "$holder"
wait "$job" 2>/dev/null
gone "$tool"
ok $? 'no ipmitool outlives a kill -9 of its owner'
bmc open on until=sector-lives close off wait-off
bmc_is_fine 'the stale session is ended and the console works again'

# The BMC dies under a console, and an operation is given up.
bmc cancel get
like "$out" '^cancel [0-9]+ - interrupted' 'a cancelled operation says that it was interrupted'
timeout 60 "$DRIVER" 127.0.0.1 "$port" harness "$good" open lost close >"$T/lost" 2>/dev/null &
job=$!
for ((i = 0; i < 200; i++)); do
	grep -q '^open .* ok' "$T/lost" && break
	sleep 0.05
done
kill -9 "$sim"
wait "$job"
like "$(cat "$T/lost")" '^lost [0-9]+ ok E_CONSOLE' 'a BMC that dies under a console is noticed'
like "$(cat "$T/lost")" '^close [0-9]+ ok' 'and the console still closes'
is "$(lab_tools)" '' 'no ipmitool is left'
lib_done
