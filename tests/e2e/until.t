#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A run in two stages: what it refuses, and that its second stage continues the first.
# shellcheck disable=SC2154 # run sets out, err and rc
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
lib_images
quick=(--machine vlab --modes 'mixed,physical' --samples 3 --iterations 20 --warmup 0 --seed 43 --state "$S")
export HARNESS_STATE=$S
ask() { sqlite3 "$S/harness.db" "$1"; }

# refused NAME REGEX OPTION…
refused() {
	local name=$1 regex=$2

	shift 2
	run "$H" run "${quick[@]}" "$@"
	is "$rc" 2 "$name is a usage error"
	like "$err" "$regex" 'that says what to do'
	one_line "$name"
}
takes='^harness: run: --until takes a percentage from 0\.01% to 100%, such as 1%, not'
refused 'a width without its percent sign' "$takes \"1\"\$" --until 1
refused 'a width of nothing' "$takes \"0%\"\$" --until 0%
refused 'a width past 100 %' "$takes \"101%\"\$" --until 101%
refused 'a width with a comma' "$takes \"0,5%\"\$" --until 0,5%
refused 'a width of nan' "$takes \"nan%\"\$" --until nan%
refused '--max-boots alone' '^harness: run: --max-boots goes with --until' --max-boots 9
refused '--max-boots 0' '^harness: run: --max-boots takes a number from 1 to 1000, not "0"$' --until 1% --max-boots 0
refused 'a pilot of 2 boots' '^harness: run: --until wants a pilot of 3 boots or more, not --boots 2$' --until 1% --boots 2
refused 'a pilot of more than --max-boots' \
	"^harness: run: the pilot's 5 boots a mode are more than the 4 that --max-boots allows; " --until 1% --max-boots 4
refused 'a pilot of more than the default' 'more than the 30 that --max-boots allows by default; ' --until 1% --boots 31
is "$(ask 'select count(*) from run' 2>/dev/null)" '' 'none of these made a run'

# Boots of so few calls differ by far more than 0.5 %: the most allowed are booted.
run "$H" run "${quick[@]}" --boots 3 --until 0.5% --max-boots 4
is "$rc" 0 'a run in two stages ends with status 0'
[ "$rc" = 0 ] || note "$err"
like "$err" ' run [0-9a-f]+ .* 3 boots x 3 samples  seed 43  until \+-0\.5 %, 4 boots at most$' 'it says at first what is asked'
like "$err" 'boot 6/6 ' 'the plan is that of the pilot'
decided='second stage: 4 boots a mode, the most allowed; the interval will be about \+-[0-9.]+ %, as \+-0\.5 % of mixed would take (more than )?[0-9]+ '
like "$err" "$decided" 'then the second stage is told'
like "$err" 'boot 7/8 .* block 4 ' 'and booted, in a plan that has grown'
like "$(ask 'select again from run')" '--boots 3 .* --until 0\.5% --max-boots 4' 'the command that repeats it has the options'
is "$(ask "select group_concat(n) from (select count(*) n from boot where outcome = 'ok' group by mode)")" 4,4 \
	'each mode has 4 boots'
is "$(ask 'select boots || total || until_pilot || until_max || (until_wanted > 4) from run')" 48341 'the store has the new plan'
like "$(ask "select detail from event where what = 'until' and boot_number is null")" "^$decided" 'the decision is an event of the run'
is "$(ask "select count(*) from event where what = 'until'")" 1 'and the only one'

# Welch-Satterthwaite, Student and Stein once more, apart from the program, on what the pilot measured.
wanted=$(python3 - "$S/harness.db" <<'EOP'
import math, sqlite3, statistics, sys
rows = sqlite3.connect(sys.argv[1]).execute("""select mode, avg(ns) from boot join sample on boot = boot.id
    where block < 3 and outcome = 'ok' and not sample.warmup group by boot.id""").fetchall()
ref, other = ([m for mode, m in rows if mode == which] for which in ("mixed", "physical"))
a, b = statistics.variance(ref), statistics.variance(other)
dof = (a + b) ** 2 / (a * a / 2 + b * b / 2)

def density(x):
    return math.exp(math.lgamma((dof + 1) / 2) - math.lgamma(dof / 2)) / math.sqrt(dof * math.pi) * (
        1 + x * x / dof) ** (-(dof + 1) / 2)

t = below = 0
step = 1e-5
while below < .475:
    below += density(t + step / 2) * step
    t += step
print(min(1000000, 2 * t * t * (a + b) / 2 / (.005 * statistics.mean(ref)) ** 2))
EOP
)
run "$H" show last --json
read -r width pilot max got boots < <(python3 -c '
import json, sys
run = json.load(sys.stdin); run = run.get("run", run); u = run["until"]
print(u["width"], u["pilot"], u["max"], u["wanted"], run["boots_per_mode"])' <<<"$out")
is "$width $pilot $max $boots" '0.005 3 4 4' 'show --json has the two stages'
python3 -c 'import sys; got, want = map(float, sys.argv[1:]); sys.exit(not want - 1 <= got * (1 + 1e-4) <= want * (1 + 3e-4) + 2)' \
	"$got" "$wanted"
ok $? "and how many boots the pilot asks for: $got, worked out apart: $wanted"
like "$out" '"keep_rule": "after 0' 'and which samples of a boot count'

# The same seed in one stage.
run "$H" run "${quick[@]}" --boots 3 -q
is "$rc" 0 'a run of one stage with the same seed'
order() { ask "select group_concat(block || mode) from (select block, mode from boot
	where run = $1 and block < 3 and not attempt order by number)"; }
is "$(order 1)" "$(order 2)" 'has the same order of boots in the blocks that both have'
is "$(order 2 | tr ',' '\n' | wc -l)" 6 'which are three'
is "$(ask "select until_width || until_wanted from run where id = 2")" 0.00 'and is stored as of one stage'
run "$H" show last --json
like "$out" '"until": null' 'also in show --json'
lib_done
