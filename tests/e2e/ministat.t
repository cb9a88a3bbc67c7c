#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The block compared, byte for byte, with the installed ministat (that of 2015, as Debian has it).
# Its three known differences from the current one are kept out by construction, and tested apart:
# the median of an even count, stacks cut at the height of the last set's, the relative error.
set -u
cd "$(dirname "$0")/../.." || exit 1
driver=${BUILD:-build}/tests/tools/ministat_driver

if [ ! -x "$driver" ]; then
	echo "Bail out! $driver is missing: make tools"
	exit 1
fi
if ! command -v ministat >/dev/null || ! command -v python3 >/dev/null; then
	echo "Bail out! ministat and python3 must be installed"
	exit 1
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

python3 - "$driver" "$tmp" <<'EOF'
import collections, difflib, math, os, random, subprocess, sys

driver, tmp = os.path.abspath(sys.argv[1]), sys.argv[2]
os.chdir(tmp)
rnd = random.Random(20240229).random
LEVELS = ["80", "90", "95", "98", "99", "99.5"]


def normal():
    return sum(rnd() for _ in range(12)) - 6


def values(n, centre=100.0, spread=10.0, digits=4):
    return [round(centre + spread * normal(), digits) for _ in range(n)]


def pin_median(v):
    """Make the middle two of an even count equal: then both medians are the same."""
    if len(v) % 2 == 0:
        order = sorted(range(len(v)), key=v.__getitem__)
        v[order[len(v) // 2 - 1]] = v[order[len(v) // 2]]
    return v


def heights(sets, width):
    """How tall each set's highest stack is."""
    ends = []
    for v in sets:
        mean = sum(v) / len(v)
        sd = math.sqrt(sum((x - mean) ** 2 for x in v) / (len(v) - 1))
        ends += [min(v), max(v), mean - sd, mean + sd]
    lo, hi = min(ends), max(ends)
    dx = (hi - lo) / (width - 1)
    if dx == 0:
        return [0] * len(sets)
    return [max(collections.Counter(int((x - lo + dx / 2) / dx) for x in v).values()) for v in sets]


def by_height(sets, width, falling=False):
    tall = heights(sets, width)
    return [sets[i] for i in sorted(range(len(sets)), key=lambda i: -tall[i] if falling else tall[i])]


Case = collections.namedtuple("Case", "sets args mask")


def plain(theirs, ours):
    return theirs, ours


def same(sets, args, mask=plain):
    return Case(sets, args, mask)


def run(cases):
    """Both texts of each case.  One process of ours serves all: it starts slowly under a sanitizer."""
    env = dict(os.environ, LC_ALL="C")
    theirs, lines = [], ""
    for c, case in enumerate(cases):
        names = ["%d.%d" % (c, i + 1) for i in range(len(case.sets))]
        for name, v in zip(names, case.sets):
            with open(name, "w") as f:
                f.write("".join("%r\n" % x for x in v))
        p = subprocess.run(["ministat"] + case.args + names, capture_output=True, text=True, env=env)
        theirs.append(p.stdout if p.returncode == 0 else "exit %d: %s" % (p.returncode, p.stderr))
        lines += " ".join(["-o", "-H", "0"] + case.args + names) + "\n"
    p = subprocess.run([driver], input=lines, capture_output=True, text=True, env=env)
    ours = p.stdout.split("\0")[:-1]
    if p.returncode:
        ours = ours[:-1]
    ours += ["exit %d: %s" % (p.returncode, p.stderr)] * (len(cases) - len(ours))
    return list(zip(theirs, ours))


def faults(cases):
    for case, texts in zip(cases, run(cases)):
        theirs, ours = case.mask(*texts)
        if theirs != ours or theirs.startswith("exit"):
            yield "sizes %s, options %s\n%s" % ([len(v) for v in case.sets], case.args, "\n".join(
                difflib.unified_diff(theirs.split("\n"), ours.split("\n"), "ministat", "ours", lineterm="")))


def drawn(sets, *args, width=74):
    sets = by_height([pin_median(v) for v in sets], width)
    return same(sets, (["-w", str(width)] if width != 74 else []) + list(args))


def size():
    return 3 + int(498 * rnd() ** 3)


def one_set():
    for n in list(range(3, 40)) + [99, 100, 101, 250, 499, 500]:
        yield drawn([values(n)])


def several_sets():
    for n in range(2, 8):
        for _ in range(12):
            yield drawn([values(size(), 100 + 20 * rnd()) for _ in range(n)])


def separate_bars():
    for n in range(1, 8):
        for _ in range(5):
            yield drawn([values(size(), 100 + 30 * rnd(), 1 + 20 * rnd()) for _ in range(n)], "-s")


def widths():
    for width in [2, 3, 5, 10, 20, 33, 40, 60, 73, 75, 80, 100, 132, 200, 500]:
        for n in (1, 2, 4):
            yield drawn([values(size(), 100 + 20 * rnd()) for _ in range(n)], width=width)


def scales():
    for centre, spread, digits in [(0, 1, 6), (-50, 7, 3), (1e-9, 1e-10, 15), (3.5e8, 2e6, 0),
                                   (1.2e9, 1e8, 1), (1e100, 1e99, 0), (-1e-30, 1e-31, 40), (0, 1e12, 0)]:
        for n in (2, 3):
            yield drawn([values(size(), centre + i * spread * rnd(), spread, digits) for i in range(n)])


def ties_and_constants():
    for top in (1, 2, 3, 5, 20):
        for n in (1, 2, 3):
            yield drawn([[float(int(top * rnd() + .5)) for _ in range(size())] for _ in range(n)])
    yield drawn([[5.0] * 7])
    yield drawn([[5.0] * 7, [5.0] * 4])
    yield drawn([[5.0] * 7, [6.0] * 9])
    yield drawn([[5.0] * 3, values(11, 5, 2)])


def without_plot():
    for option in ("-A", "-n", "-An"):
        for n in (1, 2, 5):
            for _ in range(3):
                yield drawn([values(size(), 100 + 20 * rnd()) for _ in range(n)], option)


def confidence():
    """Every degree of freedom of the table, and past its end; far apart, so that the error prints."""
    for dof in range(4, 112):
        n = 3 + int((dof - 4 + 1) * rnd())
        sets = [values(n), values(dof + 2 - n, 300 + 100 * rnd())]
        for level in LEVELS if dof < 16 or 97 < dof < 104 else [LEVELS[dof % 6]]:
            yield drawn(sets, "-A", "-c", level)


def close_calls():
    """Means about as far apart as the error: proven and not proven both occur."""
    for i in range(40):
        n = 5 + int(60 * rnd())
        yield drawn([values(n), values(n, 100 + 40 * rnd() / math.sqrt(n))], "-A", "-c", LEVELS[i % 6])


def even_medians():
    def mask(*texts):
        cut = lambda l: l[:34] + l[47:] if l[:1] in "x+*%#@O" and len(l) == 75 else l
        return ["\n".join(cut(l) for l in t.split("\n")) for t in texts]
    for _ in range(15):
        yield same([values(2 * size()), values(2 * size())], ["-A"], mask)


def tall_stacks():
    """Sets from tall to low: ours is theirs plus the rows that they cut."""
    def mask(theirs, ours):
        t, o = theirs.split("\n"), ours.split("\n")
        extra = len(o) - len(t)
        top = next((i for i, l in enumerate(o) if l.startswith("+-")), 0)
        if extra < 1:
            return theirs, "no row more than theirs\n" + ours
        return theirs, "\n".join(o[:top + 1] + o[top + 1 + extra:])
    for n in range(2, 8):
        for _ in range(3):
            sets = [pin_median(values(12 + 100 * (n - i), 100 + 20 * rnd())) for i in range(n)]
            yield same(by_height(sets, 74, falling=True), [], mask)


GROUPS = [one_set, several_sets, separate_bars, widths, scales, ties_and_constants, without_plot,
          confidence, close_calls, even_medians, tall_stacks]
print("1..%d" % (len(GROUPS) + 1))
total = 0
for i, group in enumerate(GROUPS):
    cases = list(group())
    bad = list(faults(cases))
    total += len(cases)
    print("%sok %d - %s: %d of %d as ministat" % ("not " * bool(bad), i + 1, group.__name__.replace("_", " "),
                                                  len(cases) - len(bad), len(cases)))
    for fault in bad[:3]:
        print("# " + fault.replace("\n", "\n# "))
    sys.stdout.flush()
print("%sok %d - at least 300 cases were compared (%d)" % ("not " * (total < 300), len(GROUPS) + 1, total))
EOF
