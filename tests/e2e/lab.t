#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The virtual lab is a machine like any other, and leaves nothing behind.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/lab.sh
. tests/lab.sh

is "$(lab running)" false 'status before anything ran is no error'
run "$H" lab down box
is "$rc" 0 'down of a lab that does not run is success'

# Two at once are one lab.
"$H" lab up box >"$T/up1" 2>&1 &
first=$!
run "$H" lab up box
is "$rc" 0 'of two that start it at once the second succeeds'
wait "$first"
ok $? 'and the first'
lab_up
is "$(pgrep -f -- "lab serve .*$HARNESS_STATE" | wc -l)" 1 'and one supervisor runs'
is "$(stat -c %a "$HARNESS_STATE/labs/box" "$password_file" "$HARNESS_STATE/labs/box/lan.conf" | xargs)" \
	'700 600 600' 'its folder and its secrets are closed to others'

# Power, as its readings tell.
bmc get on wait-on reset wait-on cycle wait-on off wait-off off cycle wait-on off wait-off
bmc_is_fine 'power goes on and off, resets and cycles'
is "$(awk '/^get|^wait/ { print $4 }' <<<"$out" | xargs)" 'off on on on off on off' \
	'and reads so; a cycle while off is on'

# The console, across power, from the first byte.
bmc open on until=SeaBIOS until=sector-lives reset until=SeaBIOS until=sector-lives off wait-off close
bmc_is_fine 'the console shows firmware and system, through a reset'
is "$(lab_tools)" '' 'no ipmitool is left'

# The boot override holds for one power-on.
bmc open net on until=iPXE off wait-off close
bmc_is_fine 'with the override the machine boots from the network'
bmc open on until=sector-lives off wait-off close
bmc_is_fine 'the next time it boots from its disk again'
unlike "$err" 'iPXE' 'and the network is not even tried'

# QEMU that ends by itself is a machine that is off; the BMC stays.
bmc on wait-on
qemu=$(pgrep -P "$(lab pid)" -f '^qemu-system')
kill -9 "$qemu"
gone "$qemu"
bmc wait-off on wait-on
bmc_is_fine 'a QEMU that dies reads as off, and starts again'

# A trace, on demand.
run "$H" lab up box --trace
is "$rc" 6 'a lab that runs without the trace is not taken for one with it'
lab_down
lab_options=(--trace)
lab_up
lab_options=()
bmc open on until=sector-lives off wait-off close
bmc_is_fine 'a machine with a trace works'
like "$(head -n 100 "$(lab trace_file)")" 'apic_register_write' 'the trace has the APIC writes'

# Its end, and its violent end.
bmc on wait-on
serve=$(lab pid)
qemu=$(pgrep -P "$serve" -f '^qemu-system')
run "$H" lab down box
is "$rc" 0 'down succeeds'
gone "$serve" "$sim" "$qemu"
ok $? 'and nothing of it runs'
is "$(find "$HARNESS_STATE/labs/box" -name password -o -name lan.conf -o -name '*.sock' -o -name 'chassis.*')" '' \
	'no secret and no socket is left'
lab_up
bmc on wait-on
serve=$(lab pid)
qemu=$(pgrep -P "$serve" -f '^qemu-system')
kill -9 "$serve"
gone "$serve" "$sim" "$qemu"
ok $? 'nothing outlives a kill -9 of the supervisor'
is "$(lab running)" false 'status knows that it is gone'
run "$H" lab up box
is "$rc" 0 'the next one starts'
like "$err" 'supervisor was killed' 'and says what happened'
run "$H" lab up epyc9754 --targets targets
is "$rc" 2 'a real machine has no lab'
like "$err" 'no virtual machine' 'and the message says so'
lib_done
