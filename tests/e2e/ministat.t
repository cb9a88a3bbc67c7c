#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `harness stat` compared with two others on generated data sets: byte for byte with the installed
# ministat (that of 2015, as Debian has it), and byte for byte with the block as it is computed here
# once more.  What is known to differ from ministat is left out of the first comparison only:
# the median of an even count, the error of the percentage (unless --old-relative-error), and
# the plot where ministat cuts stacks at the height of the last set's, or ours are scaled.
set -u
cd "$(dirname "$0")/../.." || exit 1

if ! command -v ministat >/dev/null || ! command -v python3 >/dev/null; then
	echo "Bail out! ministat and python3 must be installed"
	exit 1
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

python3 - "${HARNESS_BIN:-build/harness}" "$tmp" <<'EOF'
import collections, concurrent.futures, difflib, functools, math, os, random, re, statistics, subprocess, sys

harness, tmp = os.path.abspath(sys.argv[1]), sys.argv[2]
os.chdir(tmp)
rnd = random.Random(20240229).random
# Leaks are looked for elsewhere: here that would be half of the time.
ENV = dict(os.environ, LC_ALL="C", ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")
LEVELS = ["80", "90", "95", "98", "99", "99.5"]
TAIL = {80: .1, 90: .05, 95: .025, 98: .01, 99: .005, 99.5: .001}
MAX_ROWS = 100

# The block, computed once more.


def beta_fraction(a, b, x):
    """Continued fraction of the incomplete beta function, Lentz's way."""
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = h = 1 / d
    for m in range(1, 1000):
        for part in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                     -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d, c = 1 / (1 + part * d), 1 + part / c
            h *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return h


def upper_tail(t, dof):
    x, a, b = dof / (dof + t * t), dof / 2, .5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * beta_fraction(a, b, x) / a / 2
    return (1 - front * beta_fraction(b, a, 1 - x) / b) / 2


@functools.lru_cache(None)
def quantile(conf, dof):
    # ministat's table is not right everywhere.
    odd = {7: 4.782, 8: 4.499, 9: 4.296, 10: 4.143, 11: 4.024, 12: 3.929}
    if conf == 99.5 and dof in odd:
        return odd[dof]
    if dof > 100:
        return round(statistics.NormalDist().inv_cdf(1 - TAIL[conf]), 3)
    low, high = 0.01, 1000.0
    while high - low > 1e-12 * high:
        t = (low + high) / 2
        low, high = (t, high) if upper_tail(t, dof) > TAIL[conf] else (low, t)
    return round(low, 3)


Set = collections.namedtuple("Set", "v n min max median avg sd")


def summary(v):
    total = 0.0
    for x in v:
        total += x
    avg = v[0] if min(v) == max(v) else total / len(v)
    sd = math.sqrt(math.fsum((x - avg) ** 2 for x in v) / (len(v) - 1))
    return Set(v, len(v), min(v), max(v), statistics.median(v), avg, sd)


def columns(sets, width):
    low = min(min(s.min, s.avg - s.sd) for s in sets)
    high = max(max(s.max, s.avg + s.sd) for s in sets)
    dx = (high - low) / (width - 1)
    return (lambda x: int((x - (low - dx / 2)) / dx)) if dx > 0 else None


def stacks(sets, column):
    return [collections.Counter(map(column, s.v)) for s in sets]


def plot(sets, width, separate):
    column = columns(sets, width)
    if not column:
        return ["[no plot, span is zero width]"]
    stack = stacks(sets, column)
    height = max(max(c.values()) for c in stack)
    scale = -(-height // MAX_ROWS) if height > MAX_ROWS else 1
    rows = [[" "] * width for _ in range(-(-height // scale))]
    for x in range(width):
        for y in range(len(rows)):
            cell = 0
            for i, c in enumerate(stack):
                if -(-c[x] // scale) > y:
                    cell |= i + 1
            rows[len(rows) - 1 - y][x] = " x+*%#@O"[cell]
    bars = [[" "] * width for _ in range(len(sets) if separate else 1)]
    for i, s in enumerate(sets):
        bar, start, end = bars[i if separate else 0], column(s.avg - s.sd), column(s.avg + s.sd)
        bar[start] = bar[end] = "|"
        for x in range(start + 1, end):
            if bar[x] == " ":
                bar[x] = "_"
        bar[column(s.median)], bar[column(s.avg)] = "M", "A"
    edge = "+" + "-" * width + "+"
    return [edge] + ["|" + "".join(r) + "|" for r in rows + bars] + [edge] + \
        (["[a mark in the plot is up to %d points]" % scale] if scale > 1 else [])


def verdict(ref, s, conf, old):
    n1, n0, dof = s.n, ref.n, s.n + ref.n - 2
    pooled = math.sqrt(((n1 - 1) * s.sd ** 2 + (n0 - 1) * ref.sd ** 2) / dof)
    t = quantile(conf, dof)
    error = t * pooled * math.sqrt(1 / n1 + 1 / n0)
    diff = s.avg - ref.avg
    if abs(diff) <= error:
        return ["No difference proven at %.1f%% confidence" % conf]
    lines = ["Difference at %.1f%% confidence" % conf, "\t%g +/- %g" % (diff, error)]
    if ref.avg == 0:
        lines.append("\tno percentage: the mean of the reference is 0")
    else:
        relative = error / ref.avg if old else t / ref.avg * math.sqrt(
            ((n1 - 1) * s.sd ** 2 + (n0 - 1) * (ref.sd * s.avg / ref.avg) ** 2) * (n1 + n0) / (n1 * n0 * dof))
        lines.append("\t%g%% +/- %g%%" % (100 * diff / ref.avg, 100 * relative))
    return lines + ["\t(Student's t, pooled s = %g)" % pooled]


def option(args, name, otherwise):
    return args[args.index(name) + 1] if name in args else otherwise


def block(case):
    sets = [summary(v) for v in case.sets]
    flags = "".join(a[1:] for a in case.args if re.fullmatch("-[Anqs]+", a))
    lines = []
    if "q" not in flags:
        lines += ["%s %s" % (c, name) for c, name in zip("x+*%#@O", case.names)]
    if "A" not in flags and "n" not in flags:
        lines += plot(sets, int(option(case.args, "-w", 74)), "s" in flags)
    if "q" not in flags:
        lines.append("    N           Min           Max        Median           Avg        Stddev")
    for i, s in enumerate(sets):
        lines.append("%s %3d" % ("x+*%#@O"[i], s.n) + "".join(" %13.8g" % x for x in s[2:]))
        if i and "n" not in flags:
            lines += verdict(sets[0], s, float(option(case.args, "-c", 95)), "--old-relative-error" in case.args)
    return lines

# The comparison with ministat.


def whole_plot(sets, width):
    """Does ministat show every point, and are ours not scaled?"""
    sets = [summary(v) for v in sets]
    column = columns(sets, width)
    tall = [max(c.values()) for c in stacks(sets, column)] if column else [0]
    return tall[-1] == max(tall) <= MAX_ROWS


def comparable(case, lines, theirs):
    """Without what is known to differ."""
    even = [c for c, v in zip("x+*%#@O", case.sets) if len(v) % 2 == 0 and len(set(sorted(v)[len(v) // 2 - 1:len(v) // 2 + 1])) > 1]
    if theirs and "-q" in case.args:
        lines = [l for l in lines[len(case.sets):] if not l.startswith("    N  ")]
    if even or not whole_plot(case.sets, int(option(case.args, "-w", 74))):
        lines = [l for l in lines if not re.match(r"[|+][-|x+*%#@O AM_].*[|+]$|\[a mark", l)]
    out = []
    for l in lines:
        if re.match(r"[%s] +\d+ " % re.escape("".join(even) or "\n"), l) and len(l) > 70:
            fields = l.split()
            l = " ".join(fields[:4] + fields[5:])
        if "--old-relative-error" not in case.args:
            l = re.sub(r"(^\t.*%) \+/- .*%", r"\1", l)
        out.append(l)
    return out


Case = collections.namedtuple("Case", "sets args names texts")
Case.__new__.__defaults__ = (None, None)


def text(v):
    return "".join("%r\n" % x for x in v)


def run_one(argv):
    p = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, env=ENV)
    return p.stdout.split("\n")[:-1] if p.returncode == 0 and not p.stderr else ["exit %d: %s%s" % (p.returncode, p.stdout, p.stderr)]


def fault(c_case):
    c, case = c_case
    case = case._replace(names=["%d.%d" % (c, i + 1) for i in range(len(case.sets))], texts=case.texts or [text(v) for v in case.sets])
    for name, content in zip(case.names, case.texts):
        with open(name, "w", newline="") as f:
            f.write(content)
    ours = run_one([harness, "stat"] + case.args + case.names)
    theirs = run_one(["ministat"] + [a for a in case.args if a not in ("-q", "--old-relative-error")] + case.names)
    for name in case.names:
        os.unlink(name)
    for who, want, got in (("computed", block(case), ours), ("ministat", comparable(case, theirs, True), comparable(case, ours, False))):
        if want != got:
            return "sizes %s, options %s\n%s" % ([len(v) for v in case.sets], case.args, "\n".join(
                difflib.unified_diff(want, got, who, "ours", lineterm="")))

# The data.


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


def drawn(sets, *args):
    """In an order, and with medians, of which ministat's plot differs in nothing."""
    sets = [pin_median(v) for v in sets]
    column = columns([summary(v) for v in sets], int(option(args, "-w", 74)))
    if column:
        sets.sort(key=lambda v: max(collections.Counter(map(column, v)).values()))
    return Case(sets, list(args))


def size():
    return 3 + int(498 * rnd() ** 3)


def one_set():
    for n in list(range(3, 40)) + [99, 100, 101, 250, 499, 500]:
        yield drawn([values(n)])


def several_sets():
    for n in range(2, 8):
        for i in range(12):
            yield drawn([values(size(), 100 + 20 * rnd()) for _ in range(n)], *["--old-relative-error"] * (i % 4 == 0))


def in_any_order():
    for n in range(2, 8):
        for _ in range(6):
            yield Case([values(size(), 100 + 20 * rnd()) for _ in range(n)], [])


def separate_bars():
    for n in range(1, 8):
        for _ in range(4):
            yield drawn([values(size(), 100 + 30 * rnd(), 1 + 20 * rnd()) for _ in range(n)], "-s")


def widths():
    for width in [2, 3, 5, 10, 20, 33, 40, 60, 73, 75, 80, 100, 132, 200, 500]:
        for n in (1, 2, 4):
            yield drawn([values(size(), 100 + 20 * rnd()) for _ in range(n)], "-w", str(width))


def scales():
    for centre, spread, digits in [(0, 1, 6), (-50, 7, 3), (1e-9, 1e-10, 15), (3.5e8, 2e6, 0),
                                   (1.2e9, 1e8, 1), (1e100, 1e99, 0), (-1e-30, 1e-31, 40), (0, 1e12, 0)]:
        for n in (2, 3):
            yield drawn([values(size(), centre + i * spread * rnd(), spread, digits) for i in range(n)],
                        *["--old-relative-error"] * (n - 2))


def ties_and_constants():
    for top in (1, 2, 3, 5, 20):
        for n in (1, 2, 3):
            yield drawn([[float(int(top * rnd() + .5)) for _ in range(size())] for _ in range(n)])
    yield drawn([[5.0] * 7])
    yield drawn([[5.0] * 7, [5.0] * 4])
    yield drawn([[5.0] * 7, [6.0] * 9])
    yield drawn([[5.0] * 3, values(11, 5, 2)])
    yield drawn([[5.0] * 340, values(160, 5, 2)])


def lines_left_out():
    for option in ("-A", "-n", "-q", "-An", "-Aq", "-nq", "-sq"):
        for n in (1, 2, 5):
            for _ in range(2):
                yield drawn([values(size(), 100 + 20 * rnd()) for _ in range(n)], *["-" + c for c in option[1:]])


def confidence():
    """Every degree of freedom of the table, and past its end; far apart, so that the error prints."""
    for dof in range(4, 112):
        n = 3 + int((dof - 4 + 1) * rnd())
        sets = [values(n), values(dof + 2 - n, 300 + 100 * rnd())]
        for level in LEVELS if 6 < dof < 13 or 99 < dof < 102 else [LEVELS[dof % 6]]:
            yield drawn(sets, "-A", "-c", level, *["--old-relative-error"] * (dof % 2))


def close_calls():
    """Means about as far apart as the error: proven and not proven both occur."""
    for i in range(40):
        n = 5 + int(60 * rnd())
        yield drawn([values(n), values(n, 100 + 40 * rnd() / math.sqrt(n))], "-A", "-c", LEVELS[i % 6])


def even_medians():
    for i in range(20):
        yield Case([values(2 * size()) for _ in range(1 + i % 4)], ["-A"] * (i % 2))


def tall_stacks():
    """Sets from tall to low; and taller than what is shown."""
    for n in range(2, 8):
        for _ in range(2):
            yield Case([pin_median(values(12 + 100 * (n - i), 100 + 20 * rnd())) for i in range(n)], ["-w", "20"])


def noise(cut):
    return ["", "  ", "# comment", cut + "# 1 2 3", "\r"][int(5 * rnd())]


def columns_and_delimiters():
    for column in (1, 2, 3, 7):
        for delims in (None, ",", ";:", ", ", "\t", "x"):
            sets = [values(3 + int(60 * rnd()), 100 + 20 * rnd()) for _ in range(1 + int(3 * rnd()))]
            cut = delims or " \t"
            case = drawn(sets, "-C", str(column), *(["-d", delims] if delims else []))
            texts = []
            for v in case.sets:
                lines = []
                for x in v:
                    between = lambda: "".join(cut[int(len(cut) * rnd())] for _ in range(1 + int(3 * rnd())))
                    row = [["nan", "ab", "-", "7", "1e5"][int(5 * rnd())] + between() for _ in range(column - 1)]
                    row += ["%r" % x] + [between() + ["5", "q", "", "#"][int(4 * rnd())]] * (rnd() < .5)
                    lines += ["".join(row)] + [noise(between())] * (rnd() < .2)
                    if column > 1 and rnd() < .1:
                        lines.append("short")
                texts.append(("\r\n" if rnd() < .3 else "\n").join(lines) + "\n" * (rnd() < .5))
            yield case._replace(texts=texts)


GROUPS = [one_set, several_sets, in_any_order, separate_bars, widths, scales, ties_and_constants, lines_left_out,
          confidence, close_calls, even_medians, tall_stacks, columns_and_delimiters]
print("1..%d" % (len(GROUPS) + 1))
total = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for i, group in enumerate(GROUPS):
        cases = list(enumerate(group(), total))
        bad = [f for f in pool.map(fault, cases) if f]
        total += len(cases)
        print("%sok %d - %s: %d of %d as computed and as ministat" % (
            "not " * bool(bad), i + 1, group.__name__.replace("_", " "), len(cases) - len(bad), len(cases)))
        for f in bad[:3]:
            print("# " + f.replace("\n", "\n# "))
        sys.stdout.flush()
print("%sok %d - at least 500 cases were compared (%d)" % ("not " * (total < 500), len(GROUPS) + 1, total))
EOF
