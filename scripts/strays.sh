#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Run a command, and fail if a process that it started outlives it.
#
#   scripts/strays.sh COMMAND [ARG…]
#
# Processes are known by a mark in their environment, which children inherit however they detach.
# What is left after some seconds of grace is printed and ended, by its id.  Exit status: the
# command's, or 1 when it left something.
set -uo pipefail

grace=5 # seconds
mark=HARNESS_STRAY_MARK=$$.$(date +%s)

# The ids of all that carry the mark.
marked() {
	grep -lzxF -- "$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}

env "$mark" "$@"
status=$?

for ((i = 0; i < grace * 10; i++)); do
	[[ $(marked) ]] || exit "$status"
	sleep 0.1
done
mapfile -t left < <(marked)
for pid in "${left[@]}"; do
	printf 'left running: %s %s\n' "$pid" "$(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null)" >&2
	kill -9 "$pid" 2>/dev/null
done
((status != 0)) && exit "$status"
exit 1
