#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The main job on real parts: every mode netbooted on the virtual lab, measured, stored, compared.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
mapfile -t modes < <(lib_modes)
n=${#modes[@]}

run "$H" run --machine vlab --modes all --boots 2 --samples 5 --iterations 200 --warmup 1 \
	--seed 41 --state "$S"
is "$rc" 0 'a run over all modes ends with status 0'
[ "$rc" = 0 ] || note "$err"
report=$out
for m in "${modes[@]}"; do
	like "$err" "boot +[0-9]+/$((2 * n)) .* $m +ok .*x2apic_(phys|cluster|mixed), 8 CPUs" \
		"mode $m boots and is effective"
done
like "$report" '^emulated machine: times say nothing about hardware' 'the report says that it was emulated'
like "$report" "^x ${modes[0]}" 'the first mode is the reference'
like "$report" '^ +N +Min +Max +Median +Avg +Stddev$' 'the report has the ministat block'
like "$report" '^x +10 ' 'each mode has boots x samples values'
like "$report" "^  ${modes[1]} +too few boots for a verdict against ${modes[0]}" 'two boots are not called proof'
for word in machine system design again; do
	like "$report" "^$word +" "the report has its line: $word"
done
like "$report" 'seed 41' 'the report names the seed'
like "$report" 'harness run --machine vlab' 'the report says how to repeat the run'

"$H" report --state "$S" >"$T/r1" && "$H" report --state "$S" >"$T/r2"
cmp -s "$T/r1" "$T/r2"
ok $? 'harness report twice gives the same bytes'
printf '%s\n' "$report" | cmp -s - "$T/r1"
ok $? 'and the bytes that the run printed'

run "$H" runs --state "$S"
is "$rc" 0 'harness runs lists the run'
like "$out" 'vlab' 'with its machine'
run "$H" show last --state "$S"
is "$rc" 0 'harness show takes "last"'
for s in power-off boot-device console power-on firmware ipxe load hypervisor probe; do
	like "$out" "$s" "stage $s has a time"
done
run "$H" show last --console 1 --state "$S"
like "$out" 'HPP1 [0-9a-f]{8} 0 BEGIN ' 'the console log of a boot is kept whole'
like "$out" 'Xen version' 'from the hypervisor on'

# Effective, not only requested: the probe reads the driver, the console says the same.
count=$(sqlite3 "$S/harness.db" "select count(*) from boot where outcome='ok' and mode=effective")
is "$count" $((2 * n)) 'every boot ran the mode that was asked for'
count=$(sqlite3 "$S/harness.db" 'select count(*) from sample')
is "$count" $((2 * n * 6)) 'every timing is stored, warm-up too'
nonces=$(sqlite3 "$S/harness.db" 'select count(distinct nonce) from boot')
is "$nonces" $((2 * n)) 'every boot had a nonce of its own'

# The plan follows from the seed.
order() { sqlite3 "$S/harness.db" "select group_concat(mode) from (select boot.mode from boot join run
	on run.id = boot.run where run.uuid like '$1%' order by boot.id)"; }
first=$(sqlite3 "$S/harness.db" 'select uuid from run')
run "$H" run --machine vlab --modes all --boots 2 --samples 3 --iterations 100 --warmup 0 \
	--seed 41 --state "$S" -q --json --junit "$T/junit.xml" --html "$T/report.html"
is "$rc" 0 'the same seed again'
is "$err" '' '-q says nothing but the report'
printf '%s\n' "$out" >"$T/run.json"
"$H" report --state "$S" --json | cmp -s - "$T/run.json"
ok $? 'run --json prints what report --json prints'
out=$(
	python3 - "$T/run.json" "$T/junit.xml" "$n" <<'END'
import json, sys, xml.etree.ElementTree as xml
doc, suites, n = json.load(open(sys.argv[1])), xml.parse(sys.argv[2]).getroot(), int(sys.argv[3])
print(doc["format"], doc["kind"], len(doc["blocks"][0]["sets"]) == n, len(doc["runs"][0]["boots"]) == 2 * n,
      sum(len(s.findall("testcase")) for s in suites) > 2 * n, suites.get("failures"), suites.get("errors"))
END
)
is "$out" 'harness-report run True True True 0 0' 'JSON and JUnit hold the whole run'
like "$(cat "$T/report.html")" 'data-verdict="too-few"' 'so does the HTML'
for f in html junit; do
	"$H" report --state "$S" --format $f -o "$T/again.$f"
done
cmp "$T/again.html" "$T/report.html" && cmp "$T/again.junit" "$T/junit.xml"
ok $? 'and report makes the same files again'
run "$H" run --machine vlab --modes all --state "$S" --junit "$T/missing/junit.xml"
is "$rc" 2 'a file that cannot be written is a usage error'
is "$err" "harness: run: cannot write $T/missing/junit.xml: No such file or directory" 'found before anything is booted'
is "$out" '' 'and nothing is reported'
second=$(sqlite3 "$S/harness.db" "select uuid from run where uuid <> '$first'")
is "$(order "$second")" "$(order "$first")" 'gives the same order of boots'

run "$H" report "${first:0:8}" --state "$S"
printf '%s\n' "$out" | cmp -s - "$T/r1"
ok $? 'an older run is reported with the same bytes as before'
"$H" report "${first:0:8}" --state "$S" --format mail >"$T/mail"
is "$(awk 'length($0) > 72' "$T/mail")" '' 'a report for a mail fits 72 columns'
run script -qec "NO_COLOR= TERM=xterm '$H' report ${first:0:8} --state '$S'" /dev/null
like "$out" $'\x1b\\[' 'a terminal gets colour'
printf '%s' "$out" | sed 's/\x1b\[[0-9;]*m//g; s/\r$//' | cmp -s - <(head -c -1 "$T/r1")
ok $? 'which changes no letter'
run script -qec "NO_COLOR=1 TERM=xterm '$H' report ${first:0:8} --state '$S'" /dev/null
unlike "$out" $'\x1b' 'and none with NO_COLOR'
lib_done
