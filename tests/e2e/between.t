#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From boot to boot by the machine's own restart, and by a reset, on real parts.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets"
quick=(--modes "mixed,physical" --samples 3 --iterations 50 --warmup 0 --seed 7 --state "$S"
	--targets "$T/targets")
q() { sqlite3 "$S/harness.db" "$1"; }
of="from boot where run = (select max(id) from run)"

for how in restart reset; do
	n=4
	[ "$how" = restart ] || n=2
	sed "s/^idle.*/&\\nbetween_boots = $how\\nretries = 0/" targets/vlab.ini >"$T/targets/$how.ini"
	run "$H" run --machine "$how" "${quick[@]}" --boots $((n / 2))
	is "$rc" 0 "$how: a run of $n boots is good"
	[ "$rc" = 0 ] || note "$err"
	is "$(q "select count(*) $of and outcome = 'ok' and mode = effective")" "$n" "$how: every boot ran its mode"
	is "$(q "select count(distinct nonce) $of")" "$n" "$how: each with a nonce of its own"
	is "$(q "select count(distinct image) $of")" 2 "$how: and its own image"
	is "$(q "select group_concat(detail) from event where what = 'between' and run =
		(select max(id) from run)")" "$(yes "$how" | head -n $((n - 1)) | paste -sd,)" "$how: all but the first began with a $how"
	like "$("$H" lab status "$how" --state "$S")" 'down' "$how: the lab is down after it"
	# Of each boot but the first: stages that turn the machine off and on were not entered.
	is "$("$H" show last --state "$S" --json | python3 -c 'import json, sys
for b in json.load(sys.stdin)["boots"][1:]:
    print("power-off" in b["stages"], "firmware" in b["stages"])' | sort | uniq -c | tr -s " ")" \
		" $((n - 1)) False True" "$how: without power-off"
	words=$((n - 1))' boots by restart, median [0-9ms.]+: '
	[ "$how" = restart ] || words='1 boot by reset, [0-9ms.]+: '
	like "$(tr -s ' \n' ' ' <<<"$out")" "1 boot by cycle, [0-9ms.]+: .* $words" "$how: the report tells both costs"
done
run "$H" compare last~1 last --allow all --state "$S"
for word in 'restart in [0-9a-f]+ \(3 boots\)' 'reset in [0-9a-f]+ \(1 boot\)'; do
	like "$(tr -s ' \n' ' ' <<<"$out")" "between boots: ([^:]*; )?$word" "compare tells ways apart: $word"
done

lib_done
