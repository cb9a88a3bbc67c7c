#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The chassis program of an ipmi_sim in a lab's folder, that lies as FOLDER/lie says (see tests/bmc_lies.sh).
F=$1
shift
printf '%s\n' "$*" >>"$F/asked"
truth() { ./chassis "$@"; }
# shellcheck disable=SC2317
times() {
	echo >>"$F/n.$1"
	wc -l <"$F/n.$1"
}
lie() { return 1; }
# shellcheck disable=SC1091
[ -f "$F/lie" ] && . "$F/lie"
lie "$@" || truth "$@"
