#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A machine that does not come back from its own restart, and one that asks for its script too early.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
lib_mark
mkdir "$T/targets" "$T/cycle"
quick=(--modes mixed --boots 2 --samples 3 --iterations 50 --warmup 0 --state "$S" --targets "$T/targets")
q() { sqlite3 "$S/harness.db" "$1"; }
cleanup() { "$H" lab down box --force -q --state "$S" >/dev/null 2>&1; }
lib_at_exit cleanup

# The lab of a machine that does not restart by itself stays off at the restart that ends a report.
sed 's/^firmware *= *90s/firmware = 25s/; s/^idle.*/&\nretries = 0/' targets/vlab.ini >"$T/cycle/box.ini"
sed 's/^idle.*/&\nbetween_boots = restart/' "$T/cycle/box.ini" >"$T/targets/box.ini"
run "$H" lab up box --state "$S" --targets "$T/cycle"
is "$rc" 0 'a lab whose machine does not come back from a restart'

"$H" run --machine box "${quick[@]}" --iterations 500 --samples 40 -v >"$T/o1" 2>"$T/e1" &
first=$!
for _ in $(seq 600); do grep -q 'box: .*probe' "$T/e1" && break; sleep 0.1; done
page=$(sed -n 's/.*bootfile=\(http:[^ ]*\)?mac=.*/\1/p' "$S/labs/box/qemu.log" | tail -n 1 | sed 's/10\.0\.2\.2/127.0.0.1/')
curl -s --interface 127.0.0.2 "$page?mac=52:54:00:12:34:56" >"$T/page"
like "$(cat "$T/page")" '^chain --replace http://10\.0\.2\.2:[0-9]+/ipxe\?mac=52:54:00:12:34:56$' \
	'while a boot measures, its script is not given out again: whoever asks is to ask again'
wait "$first"
is "$?" 0 'a machine that does not come back is turned off and on, and the run is good'
err=$(cat "$T/e1")
[ "$(q 'select group_concat(outcome) from (select outcome from boot order by id)')" = ok,lab,ok ] || note "$err"
is "$(q 'select group_concat(outcome) from (select outcome from boot order by id)')" 'ok,lab,ok' \
	'even without retries'
like "$err" 'retry: box: stage firmware: .*(did not come back|E_POWER)' 'the failure is told'
is "$(q "select group_concat(detail, '; ') from event where what = 'between'")" \
	'restart; off and on: the boot before it failed' 'and an event says what was done about it'
like "$("$H" lab status box --state "$S")" 'power off' 'the machine is left off'
run "$H" lab down box --state "$S"
nothing_left 'no process is left of it'

# A BMC that does not take the override while the machine is on: the second one, and its repetitions.
mkdir "$T/bin"
cat >"$T/bin/ipmitool" <<EOF
#!/bin/bash
case " \$* " in *' shell '*) ;; *) exec $(command -v ipmitool) "\$@" ;; esac
while IFS= read -r line; do
	if [[ \$line == 'chassis bootdev '* ]]; then
		echo >>"$T/told"
		case \$(wc -l <"$T/told") in 2 | 3 | 4) line='chassis bootdev nowhere' ;; esac
	fi
	printf '%s\\n' "\$line"
done | $(command -v ipmitool) "\$@"
EOF
chmod +x "$T/bin/ipmitool"
run env PATH="$T/bin:$PATH" "$H" run --machine box "${quick[@]}"
is "$rc" 0 'when no override can be set for the restart the run is good'
[ "$rc" = 0 ] || note "$err"
is "$(q 'select group_concat(outcome) from (select outcome from boot where run = (select max(id) from run)
	order by id)')" 'ok,ok' 'without a failed boot'
between=$(q "select detail from event where what = 'between' and run = (select max(id) from run)")
like "$between" '^no boot override for the restart: .*nowhere' 'an event says why'
like "$between" "^off and on: the machine's restart was not prepared in time$" 'and what was done about it'
nothing_left 'no process is left of a BMC that refuses'
lib_done
