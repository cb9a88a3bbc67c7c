#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `harness stat`: where its sets come from, the forms of its answer, and what bad input gets.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

cd "$T" || exit 1
printf '1\n2\n3\n' >a
printf '11\n12\n14\n' >b
mixed=mixed=25,3.5432659e+08,1566737.4,3.5131328e+08,3.5716441e+08,3.5410987e+08
phys=phys=12,1.2357981e+09,2853892.9,1.231082e+09,1.238824e+09,1.2370528e+09
cluster=cluster=11,3.5415668e+08,1415071.9,3.5099276e+08,3.5561459e+08,3.5461234e+08
head='    N           Min           Max        Median           Avg        Stddev'
row_a='x   3             1             3             2             2             1'

# Whatever is printed, no NaN and no infinity is.
stat() {
	run "$H" stat "$@"
	lib_printed+=$out$'\n'
}
lib_printed=
from() {
	local file=$1
	shift
	rc=0
	out=$("$H" stat "$@" <"$file" 2>"$T/err") || rc=$?
	err=$(cat "$T/err")
}

# What was published.
stat --summary "$mixed" --summary "$phys" --summary "$cluster"
is "$out" "x mixed
+ phys
* cluster
$head
x  25 3.5131328e+08 3.5716441e+08 3.5410987e+08 3.5432659e+08     1566737.4
+  12  1.231082e+09  1.238824e+09 1.2370528e+09 1.2357981e+09     2853892.9
Difference at 95.0% confidence
	8.81472e+08 +/- 1.46849e+06
	248.774% +/- 0.96566%
	(Student's t, pooled s = 2.05985e+06)
*  11 3.5099276e+08 3.5561459e+08 3.5461234e+08 3.5415668e+08     1415071.9
No difference proven at 95.0% confidence" 'the published table comes out of its summaries to the last digit'
is "$rc" 0 'a proven difference is no failure'
stat --summary "$mixed" --summary "$phys" --old-relative-error
like "$out" '^	248.774% \+/- 0.414445%$' 'the older error of the percentage'
stat --format json --summary "$mixed" --summary "$phys" --summary "$cluster"
python3 - "$T/out" <<'EOF'
import json, sys
d = json.load(open(sys.argv[1]))
phys, cluster = d["comparisons"]
g = lambda x, n=6: "%.*g" % (n, x)
assert d["format"] == "harness-stat" and d["version"] == 1 and d["confidence"] == 95 and d["reference"] == "mixed"
assert [s["n"] for s in d["sets"]] == [25, 12, 11] and d["sets"][1]["sd"] == 2853892.9 and d["sets"][0]["summary"]
assert phys["proven"] is True and cluster["proven"] is False
assert g(phys["percent_error"]) == g(phys["percent_error_new"]) == "0.96566" and g(phys["percent_error_old"]) == "0.414445"
assert g(phys["student"]["error"]) == "1.46857e+06" and g(phys["welch"]["error"], 4) == "1.887e+06"
assert "%.2f" % phys["welch"]["dof"] == "14.28"
assert "%.4f %.4f" % (cluster["student"]["t"], cluster["student"]["p"]) == "-0.3082 0.7598"
EOF
ok $? 'JSON holds the published comparison, and the exact tests of it'

# Where sets come from.
want="x <stdin>
$head
$row_a"
from a -A
is "$out" "$want" 'no file: standard input'
from a -A -
is "$out" "$want" '-: standard input'
from b -A a - --summary 'c=d=4,10,1' a
is "$(sed -n 1,4p <<<"$out" | tr '\n' ' ')" 'x a + <stdin> * c=d % a ' \
	'files, standard input and summaries keep their order'
stat a -A b -q
is "$(grep -c . <<<"$out")" 6 'options may follow files, and -q is short for no names'
printf '1\n2\n3\n' >./-x
stat -A -- -x -A 2>/dev/null
is "$err" 'harness: Cannot open -A: No such file or directory' 'after -- all are files'
stat -A --summary 4,10,1 b
is "$(sed -n 1p <<<"$out"; sed -n 4p <<<"$out")" \
	"x summary-1
x   4             -             -             -            10             1" \
	'a summary of three numbers has dashes for the others'
stat --summary 4,10,1 b
unlike "$out" '^[+|]-' 'and no plot is drawn'
stat -A a <&-
is "$rc" 0 'a closed standard input matters to nobody'

# Forms.
for f in json csv; do
	stat --format "$f" a b --summary 'odd "name", x=3,4,1'
	is "$rc" 0 "$f: done"
done
python3 - "$T/out" <<'EOF'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [r["name"] for r in rows] == ["a", "b", 'odd "name", x'], rows
assert rows[0]["proven"] == "" and rows[1]["proven"] == "true" and rows[2]["median"] == "" and rows[1]["n"] == "3"
assert float(rows[1]["avg"]) == 37 / 3 and len({len(r) for r in rows}) == 1 and None not in rows[0]
EOF
ok $? 'CSV has a row a set, quoted where it must be'
stat --format json a
python3 -m json.tool <"$T/out" >/dev/null
ok $? 'JSON of one set is JSON'
stat --format json -n a b
is "$(python3 -c 'import json,sys; print(json.load(sys.stdin)["comparisons"])' <"$T/out")" '[]' '-n: no comparisons'
printf '1\n2\n3\n' >$'\xff"name'
stat --format json $'\xff"name'
python3 -m json.tool <"$T/out" >/dev/null
ok $? 'JSON whatever bytes the name has'

# Plots: as wide as the terminal, or 74.
stat a
like "$out" '^\+-{74}\+$' 'off a terminal the plot has 74 columns'
wide() { python3 - "$H" "$T/a" "$@" <<'EOF'
import fcntl, os, pty, struct, subprocess, sys, termios
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
env = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
env.update(a.split("=") for a in sys.argv[3:])
p = subprocess.run([sys.argv[1], "stat", sys.argv[2]], stdout=slave, env=env)
print(max(map(len, os.read(master, 100000).decode().split("\r\n")[1:3])))
EOF
}
is "$(wide)" 60 'on a terminal the plot is as wide as it'
is "$(wide COLUMNS=50)" 52 'COLUMNS gives the columns between the bars, as with ministat'
seq 100000 >many
stat -w 20 many
is "$(($(grep -c '^|' <<<"$out") <= 101))" 1 'many points are drawn to scale'
like "$out" '^\[a mark in the plot is up to [0-9]+ points\]$' 'which is said'

# Numbers that are odd, and right.
printf '0x10\n+1e1\n.5\n0e5\n' >odd
stat -A odd
like "$out" '^x   4             0            16          5.25         6.625     ' 'hexadecimal is a number'
printf '7\n7\n7\n' >same
stat same same
like "$out" '^No difference' 'one value repeated: the same'
like "$out" '^\[no plot, span is zero width\]$' 'and no plot'
stat -A same a
like "$out" '^	-5 \+/- ' 'one value repeated, and another set'
stat -A --format json same same
is "$rc" 0 'JSON of no spread at all'
printf -- '-1\n0\n1\n' >zero
stat -A zero b
like "$out" '^	no percentage: the mean of the reference is 0$' 'a reference of zero has no percentage'
stat --format json zero b
like "$out" '"percent": null' 'null in JSON'
stat --format csv zero b
is "$rc" 0 'and nothing in CSV'
printf -- '-11\n-12\n-14\n' >below
stat -A below zero
like "$out" '^	-100% \+/- -' 'a negative reference, as ministat prints it'
printf '1e150\n-1e150\n0\n' >huge
stat huge a
is "$rc" 0 'the largest numbers there may be'
printf '1e-200\n2e-200\n5e-200\n' >tiny
stat -A tiny
like "$out" '^x   3        1e-200        5e-200        2e-200 2.6666667e-200 2.081666e-200$' 'the smallest, too'
printf '1e-201\n2e-201\n3e-201\n' >tinier
stat -A tiny tinier
like "$out" '^No difference proven' 'numbers whose squares vanish are compared all the same'
stat -A --summary 1000000000000000,1,1e150 a
is "$rc" 0 'and those whose squares do not fit'
stat -A -c 99.99999999999999 a b
like "$out" 'at 99.99999999999999% confidence' 'a level keeps its digits'
{
	printf '1\n2\n'
	head -c 10000000 /dev/zero | tr '\0' ' '
	printf '3\n'
} >long
stat -A long
is "$(tail -n 1 <<<"$out")" "$row_a" 'a line of 10 MB'

# Bad input: status 2 and one line.
bad() {
	local want=$1
	shift
	stat "$@"
	is "$rc $err" "2 harness: $want" "refused: $want"
	is "$out" '' 'and nothing is printed'
}
one() { printf '1\n2\n%b\n4\n' "$1" >bad; }
one nan
bad 'Invalid data on line 3 in bad: "nan" is not a finite number' bad
one -inf
bad 'Invalid data on line 3 in bad: "-inf" is not a finite number' a bad
one 1e999
bad 'Invalid data on line 3 in bad: "1e999" is not a finite number' bad
one 1e300
bad 'Invalid data on line 3 in bad: "1e300" is too large: the limit is 1e+150' bad
one 1,5
bad 'Invalid data on line 3 in bad: "1,5" is not a number (decimals follow a point; -d , cuts at commas)' bad
one '\0'
bad 'Invalid data on line 3 in bad: "?" is not a number' bad
one '5\0'
bad 'Invalid data on line 3 in bad: "5?" is not a number' bad
one 'x\033[2J'
bad 'Invalid data on line 3 in bad: "x?[2J" is not a number' bad
: >empty
bad 'Dataset empty must contain at least 3 data points' empty
printf '1\n2\n' >two
bad 'Dataset two must contain at least 3 data points' a two
bad 'Dataset <stdin> must contain at least 3 data points'
bad 'Cannot open gone: No such file or directory' a gone
bad 'Cannot read .: Is a directory' .
stat "$H"
is "$rc $(grep -c '^harness: Invalid data on line' <<<"$err") $(wc -l <"$T/err")" '2 1 1' 'a binary file: one line'
bad 'stat: standard input (-) can be read only once' - a -
bad 'stat: Too many datasets: at most 7' a a a a a a a a
bad 'stat: column "0" is not a whole number from 1 to 1000000' -C 0 a
bad 'stat: column "x" is not a whole number from 1 to 1000000' -C x a
bad 'stat: width "1" is not a whole number from 2 to 10000' -w 1 a
bad 'stat: width "10001" is not a whole number from 2 to 10000' -w 10001 a
for c in 0 100 -5 nan x ''; do
	bad "stat: confidence \"$c\" is not a percentage between 0 and 100 (ministat's levels: 80 90 95 98 99 99.5)" -c "$c" a
done
bad "stat: Can't use empty delimiter string" -d '' a
bad 'stat: format "xml" is none of text, json and csv' --format xml a
bad 'stat: unknown option -z; try harness stat --help' -Az a
bad 'stat: unknown option --foo; try harness stat --help' a --foo
bad 'stat: option -C needs a value; try harness stat --help' a -C
bad 'stat: option --summary needs a value; try harness stat --help' a --summary
for s in '' 1 4,10 4,10,x '4,10,1,' 4,10,1,2 4,10,nan 4,10,1,2,3 4,10,1,2,3,4,5 n=; do
	bad "stat: summary \"$s\" is not [NAME=]n,avg,sd[,min,max,median]" --summary "$s"
done
bad 'stat: summary "2,1,1": n is not a whole number from 3 to 1e15' --summary 2,1,1
bad 'stat: summary "3.5,1,1": n is not a whole number from 3 to 1e15' --summary 3.5,1,1
bad 's: summary field sd is -1, below zero' --summary s=3,1,-1
bad 's: summary field avg is 9, outside min 1 .. max 3' --summary s=3,9,1,1,3,2

unlike "$lib_printed" '(^|[^a-z])-?(nan|inf)([^a-z]|$)' 'NaN and infinity were printed nowhere'
is "$(grep -c . <<<"$lib_printed" | awk '{ print ($1 > 100) }')" 1 'of much that was printed'
printf '1,5\n2,5\n4,5\n' >comma
run env LC_ALL=de_DE.UTF-8 "$H" stat -A -d, comma
like "$out" '^x   3             1             4 ' 'a comma is never a decimal point'

lib_done
