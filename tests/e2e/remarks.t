#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a hypervisor says of its machine's trouble comes with the boot: flagged, kept and compared.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images

# A clock that nobody has is a clock that the hypervisor complains about.
run "$H" run --machine vlab --modes mixed --boots 1 --samples 3 --iterations 50 --warmup 0 \
	--args clocksource=nosuch --state "$S"
flag="console: clock: \"WARNING: Unrecognised clocksource 'nosuch'.\""
is "$rc" 0 'a remark on the console does not fail the boot'
is "$(sqlite3 "$S/harness.db" 'select outcome, flags from boot')" "ok|$flag" \
	'the boot is stored as a good one with a flag'
is "$(sqlite3 "$S/harness.db" 'select count(*) from sample')" 3 'its timings are kept'
like "$out$err" "clock: .WARNING: Unrecognised clocksource 'nosuch'" 'and a person is told'
lib_done
