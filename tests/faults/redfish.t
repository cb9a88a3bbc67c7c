#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Power over Redfish when the service misbehaves: each fault is overcome, or has one clear line and a code, and
# no session is left behind.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
DRIVER=$(realpath "${BUILD:-build}/tests/tools/bmc_driver")
[ -x "$DRIVER" ] || bail "no $DRIVER: make e2e builds it"
export HARNESS_DATA=$PWD
(umask 077 && echo sesame >"$T/password")

P=$T/peer
mkdir "$P"
tests/tools/redfish_peer.py "$P" >"$P/output" 2>&1 &
peer=$!
# shellcheck disable=SC2317
end_peer() { kill "$peer" 2>/dev/null; }
lib_at_exit end_peer
for ((i = 0; i < 600; i++)); do [ -s "$P/port" ] && break; sleep 0.05; done
[ -s "$P/port" ] || bail "the peer does not start: $(cat "$P/output")"
url=https://127.0.0.1:$(cat "$P/port")
# BMC names of this test's own: whoever has the same takes turns with it.
own=$(($$ / 250 % 250)).$(($$ % 250 + 1))

# peer FAULT…: it begins anew, with these
peer() { curl -sSf --noproxy '*' --cacert "$P/cert.pem" -d "$*" "$url/begin" || bail 'the peer does not answer'; }

# redfish [KEY=VALUE]… STEP…: trust by the certificate unless the words say otherwise
redfish() {
	run timeout 60 "$DRIVER" "127.6.$own" 623 harness "$T/password" driver=redfish "url=$url" \
		"ca_file=$P/cert.pem" "$@"
}
fine() {
	is "$rc" 0 "$1"
	[ "$rc" = 0 ] || note "$out$err"
}
no_session() { is "$(cat "$P/sessions")" 0 "$1"; }
asked() { grep -c -- "$1" "$P/log"; }

peer
redfish get on wait-on get reset cycle net off wait-off get
fine 'each operation works with a service that behaves'
like "$out" '^get [0-9]+ ok off' 'power is read'
no_session 'the session is deleted at the end'
is "$(asked '^POST .*/Sessions')" 1 'one session served all'
like "$(cat "$P/log")" '^PATCH /redfish/v1/Systems/1 "[0-9]+" .*"Once".*"Pxe".*"Legacy"' \
	'the override is set once, with If-Match and the mode of the firmware'
unlike "$out$err" 'sesame' 'the password is in no message'
redfish firmware=uefi net
fine 'a UEFI machine is asked to boot in that mode'
like "$(cat "$P/log")" '^PATCH .*"UEFI"' 'and it was said so'
redfish auth=basic get on off
fine 'basic authentication works'
is "$(asked '^POST .*/Sessions')" 2 'and opens no session'
redfish off
is "$(grep -c ForceOff "$P/log")" 2 'a machine that is off is not turned off again'

# Trust.
redfish ca_file=/etc/ssl/certs/ca-certificates.crt get
like "$out" '^get [0-9]+ E_TLS .*certificate.*check ca_file or pin' 'a certificate of its own making is not trusted'
run timeout 60 "$DRIVER" "127.6.$own" 623 harness "$T/password" driver=redfish "url=$url" "pin=$(cat "$P/pin")" get
fine 'but it is when its key is pinned'
run timeout 60 "$DRIVER" "127.6.$own" 623 harness "$T/password" driver=redfish "url=$url" \
	pin=sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA= get
like "$out" '^get [0-9]+ E_TLS ' 'and not with the pin of another key'
run timeout 60 "$DRIVER" "127.6.$own" 623 harness "$T/password" driver=redfish "url=https://localhost:${url##*:}" \
	"ca_file=$P/cert.pem" get
like "$out" '^get [0-9]+ E_TLS ' 'nor for a name that is not in it'
is "$(asked '^POST .*/Sessions')" 4 'no password was sent to any of these'

# Sessions and credentials.
peer login-401
redfish get
like "$out" '^get [0-9]+ E_AUTH .*rejects user "harness".*wrong password' 'a wrong password is told as such, with the reason given'
is "$(asked '^POST .*/Sessions')" 1 'and is not tried twice'
redfish auth=basic get
like "$out" '^get [0-9]+ E_AUTH ' 'also with basic authentication'
peer expire=3
redfish get get get get get get
fine 'a session that times out is opened again'
no_session 'and none is left'
peer busy=2
redfish get
fine 'a service without room for a session is asked again'
peer busy
redfish get
like "$out" '^get [0-9]+ E_BMC .*is busy \(status 503: too many sessions\), 7 times' 'but not for ever'
peer forbidden
redfish on
like "$out" '^on [0-9]+ E_AUTH .*no right.*may only look' 'a user who may not switch is told as such'
no_session 'and the session is deleted'

# The system.
peer moved=2
redfish get get get on
fine 'a system that has moved is found again'
peer several
redfish get
like "$out" '^get [0-9]+ E_BMC .*several systems: /redfish/v1/Systems/Blade2, /redfish/v1/Systems/1; name one by system' \
	'several systems need a name'
redfish system=1 get
fine 'which is found'
redfish system=9 get
like "$out" '^get [0-9]+ E_BMC .*no system "9", only' 'or not'
for fault in garbage array; do
	peer $fault
	redfish get
	like "$out" '^get [0-9]+ E_BMC .*no JSON object' "$fault is told as such"
	no_session "and leaves no session"
done
peer huge
redfish get
like "$out" '^get [0-9]+ E_BMC .*longer than 1048576 bytes' 'an answer without end is cut off'
peer slow
redfish deadline=6000 get
like "$out" '^get [0-9]+ E_TIMEOUT .*"GET /redfish/v1/Systems/1" within' 'a slow body runs into the deadline'
peer cut
redfish get
like "$out" '^get [0-9]+ E_BMC .*"GET /redfish/v1/Systems/1" failed' 'a body that is cut is no answer'
peer redirect
redfish get
like "$out" '^get [0-9]+ E_BMC .*status 308' 'a redirect is not followed'
peer evil-link
redfish get
like "$out" '^get [0-9]+ E_BMC .*lists no system' 'nor a link to another host'

# Changes.
peer 412=1
redfish net
fine 'an override that meets a change of somebody else is set on what is true then'
peer 428
redfish net
fine 'a service that wants If-Match: * gets it'
peer 412
redfish net
like "$out" '^net [0-9]+ E_BMC .*changed meanwhile, 7 times' 'one that never agrees is given up'
peer settings
redfish firmware=uefi net
fine 'changes go to the settings object where there is one'
like "$(cat "$P/log")" '^PATCH /redfish/v1/Systems/1/Settings "s1" ' 'with the ETag of that'
peer forget=1
redfish net
fine 'an override that is forgotten is set again'
peer forget
redfish net
like "$out" '^net [0-9]+ E_BOOTDEV .*forgot the boot override twice \(reads "Disabled None' 'and then it is an error'
peer
redfish net keep
fine 'an override is looked at again before the machine goes on'
is "$(asked '^PATCH')" 1 'and not set again while it is there'
peer
redfish keep
fine 'one that is gone by then is set again'
is "$(asked '^PATCH')" 1 'once'
peer legacy=1
redfish firmware=uefi net
fine 'an override in the wrong mode is set again'
peer legacy
redfish firmware=uefi net
like "$out" '^net [0-9]+ E_BOOTDEV .*reads "Once Pxe Legacy"' 'and then it is an error that names the mode'
peer no-pxe
redfish net
like "$out" '^net [0-9]+ E_BOOTDEV .*no network boot' 'a system without network boot is told as such'
peer no-mode
redfish firmware=uefi net
fine 'a system without a mode is not asked for one'
peer refuse-reset
redfish on
like "$out" '^on [0-9]+ E_POWER .*status 400: the chassis is locked' 'a refused command is told with its reason'
printf '#!/bin/sh\necho "$1" >>%s/calls\n[ "$1" != get ] || echo on\n' "$T" >"$T/switch"
chmod +x "$T/switch"
redfish fallback=command "command=$T/switch" on
fine 'and is done by the fallback'
peer stuck
redfish deadline=20000 fallback=command "command=$T/switch" on wait-on
fine 'so is a command that was accepted without effect'

# Ends at any moment.
peer slow-login
RANDOM=1
killed() {
	# Hosts of their own: they take no turns.
	"$DRIVER" 127.$((1 + $1 % 5)).$own 623 harness "$T/password" driver=redfish "url=$url" "ca_file=$P/cert.pem" \
		get on off get net >"$T/said.$1" 2>"$T/term.$1" &
	sleep "$2"
	kill -TERM $! 2>/dev/null
	wait $!
	echo $? >"$T/status.$1"
}
for ((i = 0; i < 100; i++)); do
	killed "$i" "0.$(printf '%03d' $((RANDOM % 900)))" &
	((i % 5 == 4)) || continue
	for p in $(jobs -p); do [ "$p" = "$peer" ] || wait "$p"; done
done
bad=$(cat "$T"/term.*)
for ((i = 0; i < 100; i++)); do
	# Five at once switch the same system: it may be on already.
	grep -qxE '0|130|143' "$T/status.$i" || grep -q 'status 409: already' "$T/said.$i" ||
		bad+=$(tail -n 1 "$T/said.$i")
done
is "$(cat "$T"/status.* | grep -c .)" 100 '100 processes were ended'
is "$bad" '' 'SIGTERM at any moment ends the work in order'
[ "$(asked '^DELETE')" -gt 5 ]
ok $? 'after some of them there was a session to delete'
no_session 'after 100 of them no session is left'
lib_done
