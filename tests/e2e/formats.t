#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The reports that programs read, read by programs that are not ours: JSON against its schema, the
# numbers in it computed again from the CSV by other means, JUnit counted again.
set -u
cd "$(dirname "$0")/../.." || exit 1
driver=${BUILD:-build}/tests/tools/report_driver

if [ ! -x "$driver" ]; then
	echo "Bail out! $driver is missing: make $driver"
	exit 1
fi
if ! python3 -c 'import jsonschema' 2>/dev/null; then
	echo "Bail out! python3 and python3-jsonschema must be installed"
	exit 1
fi
exec python3 -B tests/e2e/formats.py "$driver"
