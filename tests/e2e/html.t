#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The HTML report in a browser: reads its verdict, tables and plots, in light and dark, narrow,
# without scripts, by keyboard and as a screen reader sees it.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
driver=${BUILD:-build}/tests/tools/html_driver

[ -x "$driver" ] || bail "$driver is missing: make $driver"
command -v python3 >/dev/null || bail 'python3 must be installed'
command -v chromium >/dev/null || bail 'chromium must be installed'
lib_mark

for name in clean rough empty single shifted large huge hostile flat zero wild extreme many builds hang lacks sides nights none; do
	"$driver" "$name" >"$T/$name.html" || bail "no report of $name"
done
# It numbers its own lines; how many they are and how it ended is what counts here.
python3 tests/e2e/html_checks.py "$T" >"$T/checks" 2>"$T/err"
rc=$?
while IFS= read -r line; do
	case $line in
	'ok '*) ok 0 "${line#ok }" ;;
	'not ok '*) ok 1 "${line#not ok }" ;;
	*) printf '# %s\n' "$line" ;;
	esac
done <"$T/checks"
is "$rc $(cat "$T/err")" '0 ' 'all checks ran to their end'
nothing_left 'no browser is left behind'
lib_done
