# SPDX-License-Identifier: GPL-3.0-or-later
"""The statistics of a report, computed from its samples by means of our own: no library of theirs.

Exact sums of fractions for moments, the incomplete beta function by its continued fraction for t and
F, quantiles by bisection, the noncentral t by Simpson's rule.  Each check yields what is wrong.
"""
import math
from fractions import Fraction

BOOTS_MIN = 3


def mean(v):
    return float(sum(map(Fraction, v)) / len(v))


def variance(v):
    m = sum(map(Fraction, v)) / len(v)
    return float(sum((Fraction(x) - m) ** 2 for x in v) / (len(v) - 1))


def median(v):
    v = sorted(v)
    return (v[(len(v) - 1) // 2] + v[len(v) // 2]) / 2


def beta(a, b, x):
    """The regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta(b, a, 1 - x)
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(scale + a * math.log(x) + b * math.log1p(-x)) / a
    f, c, d = 1.0, 1.0, 0.0
    for i in range(2000):
        m = i // 2
        if i == 0:
            num = 1.0
        elif i % 2 == 0:
            num = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            num = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / ((1 + num * d) or 1e-300)
        c = (1 + num / c) or 1e-300
        f *= c * d
        if abs(1 - c * d) < 1e-15:
            break
    return front * (f - 1)


def t_p(t, dof):
    return beta(dof / 2, 0.5, dof / (dof + t * t))


def t_quantile(conf, dof):
    lo, hi = 0.0, 1e7
    for _ in range(200):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if t_p(mid, dof) > 1 - conf / 100 else (lo, mid)
    return (lo + hi) / 2


def normal(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


def power(d, dof, conf, panels=4000):
    """Of a true difference of d standard errors, percent: over the distribution of s / sigma."""
    t = t_quantile(conf, dof)
    top = 1 + 14 / math.sqrt(2 * dof)
    scale = math.log(2) + dof / 2 * math.log(dof / 2) - math.lgamma(dof / 2)

    def density(s):
        rejected = normal(d - t * s) + normal(-d - t * s)
        return math.exp(scale + (dof - 1) * math.log(s) - dof * s * s / 2) * rejected

    h = top / panels
    total = density(top) + sum((4 if i % 2 else 2) * density(i * h) for i in range(1, panels))
    return 100 * total * h / 3


def rank_p(a, b):
    """Mann-Whitney, two-sided: exact without ties, else the normal limit."""
    n, pairs = len(a) + len(b), len(a) * len(b)
    u = sum((x > y) + (x == y) / 2 for x in a for y in b)
    ties = [(a + b).count(x) for x in set(a + b)]
    if max(ties) > 1:
        var = pairs / 12 * (n + 1 - sum(t ** 3 - t for t in ties) / (n * (n - 1)))
        off = max(abs(u - pairs / 2) - 0.5, 0)
        return math.erfc(off / math.sqrt(2 * var)) if off else 1.0
    counts = {(0, 0): 1}  # (how many of a, their U): orders
    for i in range(n):
        after = {}
        for (k, s), ways in counts.items():
            after[k, s] = after.get((k, s), 0) + ways
            if k < len(a):
                after[k + 1, s + i - k] = after.get((k + 1, s + i - k), 0) + ways
        counts = after
    tail = sum(w for (k, s), w in counts.items() if k == len(a) and s <= min(u, pairs - u))
    return min(1.0, 2 * tail / math.comb(n, len(a)))


class Problems(list):
    def near(self, what, got, want, tolerance=1e-9, scale=0.0):
        """scale: what the numbers were made of, where their difference is small."""
        if want is None or got is None:
            if want is not got:
                self.append("%s is %r, not %r" % (what, got, want))
        elif abs(got - want) > tolerance * max(abs(want), abs(scale)):
            self.append("%s is %.17g, not %.17g" % (what, got, want))

    def same(self, what, got, want):
        if got != want:
            self.append("%s is %r, not %r" % (what, got, want))


def check_moments(p, what, got, v):
    if not v:
        p.same(what, got, None)
        return
    p.same(what + ", n", got["n"], len(v))
    p.near(what + ", mean", got["mean_ns"], mean(v))
    p.near(what + ", sd", got["sd_ns"], math.sqrt(variance(v)) if len(v) > 1 else None, 1e-7, mean(v) * 1e-9)
    p.near(what + ", min", got["min_ns"], min(v))
    p.near(what + ", max", got["max_ns"], max(v))
    p.near(what + ", median", got["median_ns"], median(v))


def check_variance(p, what, got, groups):
    """One-way random effects."""
    means = [mean(g) for g in groups]
    large = [g for g in groups if len(g) > 1]
    dof = sum(len(g) - 1 for g in large)
    w = sum(1 / len(g) for g in groups) / len(groups)
    s1 = sum((len(g) - 1) * variance(g) for g in large) / dof if dof else None
    s2 = variance(means)
    slack = mean(means) ** 2 * 1e-18
    p.same(what + ", groups", got["groups"], len(groups))
    p.same(what + ", values", got["values"], sum(map(len, groups)))
    p.near(what + ", mean", got["mean_ns"], mean(means))
    p.near(what + ", S1^2", got["within_variance_ns2"], s1, 1e-7, slack)
    p.near(what + ", S2^2", got["means_variance_ns2"], s2, 1e-7, slack)
    p.near(what + ", w", got["mean_inverse_size"], w)
    p.same(what + ", dof1", got["within_dof"], dof)
    p.same(what + ", dof2", got["means_dof"], len(groups) - 1)
    if s1 is None:
        return
    t2 = max(0, s2 - s1 * w)
    p.near(what + ", T1", got["within_sd_ns"], math.sqrt(s1), 1e-6, mean(means) * 1e-9)
    p.near(what + ", T2", got["between_sd_ns"], math.sqrt(t2), 1e-6, math.sqrt(s2) * 1e-3 + mean(means) * 1e-9)
    if s1 == 0:
        p.same(what + ", F", got["f"], None)
        return
    f, d1, d2 = s2 / (s1 * w), len(groups) - 1, dof
    p.near(what + ", icc", got["icc"], t2 / (s1 + t2), 1e-6, 1)
    p.near(what + ", F", got["f"], f, 1e-7)
    p.near(what + ", p of F", got["p"], 1 - beta(d1 / 2, d2 / 2, d1 * f / (d1 * f + d2)), 1e-6, 1e-6)


def check_ministat(p, got, ref, v, conf):
    n1, n0, dof = len(v), len(ref), len(v) + len(ref) - 2
    q = t_quantile(conf, dof)
    q = round(q, 3) if dof <= 100 else 1.960
    m1, m0 = mean(v), mean(ref)
    ss1, ss0 = (n1 - 1) * variance(v), (n0 - 1) * variance(ref)
    sp = math.sqrt((ss1 + ss0) / dof)
    e = q * sp * math.sqrt(1 / n1 + 1 / n0)
    tiny = m1 * 1e-9
    p.near("ministat, difference", got["difference_ns"], m1 - m0, 1e-9, m1 * 1e-3)
    p.near("ministat, pooled", got["pooled_sd_ns"], sp, 1e-7, tiny)
    p.near("ministat, error", got["error_ns"], e, 1e-7, tiny)
    p.same("ministat, proven", got["proven"], abs(m1 - m0) > e)
    if m0 == 0:
        p.same("ministat, percent", (got["difference_pct"], got["error_pct"]), (None, None))
        return
    p.near("ministat, percent", got["difference_pct"], 100 * (m1 - m0) / m0, 1e-9, 1)
    relative = 100 * q * math.sqrt((ss1 + ss0 * (m1 / m0) ** 2) * (n1 + n0) / (n1 * n0 * dof)) / m0
    p.near("ministat, error in percent", got["error_pct"], relative, 1e-7, 1e-6)


def welch_dof(a, da, b, db):
    return (a + b) ** 2 / (a * a / da + b * b / db) if a + b else da + db


def fieller_end(start, step, inside):
    """Where the ratios that are not rejected end: doubling, then halving."""
    while inside(start + step) and abs(step) < 1e6:
        step *= 2
    if abs(step) >= 1e6:
        return None
    good, bad = start, start + step
    for _ in range(200):
        mid = (good + bad) / 2
        good, bad = (mid, bad) if inside(mid) else (good, mid)
    return good


def check_fieller(p, v, set_side, ref_side, conf):
    """All ratios that Welch's test of set - r reference does not reject, with no more degrees of
    freedom than at r = 1.  Percents are of the size of the reference: a negative one turns the
    ends round."""
    (m1, b, d1), (m0, a, d0) = set_side, ref_side
    p.near("percent", v["difference_pct"], 100 * (m1 - m0) / abs(m0) if m0 else None, 1e-9, 1)
    if v["difference_low_pct"] is None:
        q = t_quantile(conf, d0)
        p.same("no interval", m0 == 0 or m0 * m0 <= q * q * a, True)
        return
    most = welch_dof(a, d0, b, d1)

    def inside(r):
        dof = min(most, welch_dof(r * r * a, d0, b, d1))
        return abs(m1 - r * m0) <= t_quantile(conf, dof) * math.sqrt(b + r * r * a)

    r, step = m1 / m0, max(abs(m1 / m0), 1) * 1e-6
    ends = (fieller_end(r, -step, inside), fieller_end(r, step, inside))
    low, high = sorted(100 * math.copysign(1, m0) * (x - 1) for x in ends)
    p.near("percent, low", v["difference_low_pct"], low, 1e-6, 1)
    p.near("percent, high", v["difference_high_pct"], high, 1e-6, 1)


def check_reach(p, v, n1, n0, options, compared):
    """The levels of a step-down method are between that of one test and that of all."""
    conf, want = options["confidence_pct"], options["power_pct"]
    se, m0 = v["standard_error_ns"], abs(v["reference_mean_ns"])
    if v["exact"]:
        p.same("seen", (v["seen_ns"], v["seen_pct"], v["observed_boots"], v["effect_boots"]), (None,) * 4)
        return
    levels = [100 - (100 - conf) / k for k in range(1, compared + 1)]
    powers = [power(v["seen_ns"] / se, v["dof"], c) for c in levels]
    off, conf = min((abs(x - want), c) for x, c in zip(powers, levels))
    if off > 1e-3:
        p.append("what was seen has a power of %s, not %g" % (powers, want))
    sd = se / math.sqrt(1 / n1 + 1 / n0)
    check_boots(p, v, "observed", abs(v["difference_ns"]) if v["kind"] == "none" else 0, sd, conf, want)
    if not m0:
        p.same("seen in percent", (v["seen_pct"], v["effect_boots"]), (None,) * 2)
        return
    p.near("seen in percent", v["seen_pct"], 100 * v["seen_ns"] / m0)
    effect = options["effect_pct"]
    check_boots(p, v, "effect", effect / 100 * m0 if v["seen_pct"] > effect else 0, sd, conf, want)


def check_boots(p, v, what, difference, sd, conf, want):
    """Degrees of freedom of n and n boots are n - 1 to 2n - 2, as the spreads are."""
    n, hopeless = v[what + "_boots"], v[what + "_hopeless"]
    if not difference:
        p.same(what + ", boots", (n, hopeless), (None, None))
        return
    if hopeless:
        n, d = 100000, difference / sd
        p.same(what + ", boots", v[what + "_boots"], None)
        p.same(what + ", hopeless", power(d * math.sqrt(n / 2), 2 * n - 2, conf) < want + 1e-3, True)
        return
    d = difference / sd
    if power(d * math.sqrt(n / 2), 2 * n - 2, conf) < want - 1e-3:
        p.append("%d boots would not find %s" % (n, what))
    if n > BOOTS_MIN and power(d * math.sqrt((n - 1) / 2), n - 2, conf) > want + 1e-3:
        p.append("less than %d boots would find %s" % (n, what))


def check_verdict(p, v, ref, got, options, compared):
    """ref and got: (boot means in their order, boots of the pilot)."""
    n0, n1 = len(ref[0]), len(got[0])
    p.same("boots", (v["reference_boots"], v["set_boots"]), (n0, n1))
    p.same("boots needed", v["boots_needed"], max(0, BOOTS_MIN - min(n0, n1)))
    p.same("too few", v["kind"] == "too-few", min(n0, n1) < BOOTS_MIN)
    if min(n0, n1) < BOOTS_MIN:
        known = [k for k in v if v[k] is not None]
        p.same("known", known, ["kind", "reference_boots", "set_boots", "boots_needed"])
        return
    side = []
    for means, pilot in (ref, got):
        k = pilot if BOOTS_MIN <= pilot < len(means) else len(means)
        side.append((mean(means), variance(means[:k]) / len(means), k - 1))
    (m0, a, d0), (m1, b, d1) = side
    scale = max(abs(m0), abs(m1))
    se = math.sqrt(a + b)
    dof = welch_dof(a, d0, b, d1)
    p.same("pilot", v["pilot"], d0 < n0 - 1 or d1 < n1 - 1)
    p.near("reference mean", v["reference_mean_ns"], m0)
    p.near("mean", v["set_mean_ns"], m1)
    p.near("difference", v["difference_ns"], m1 - m0, 1e-9, scale * 1e-3)
    p.near("standard error", v["standard_error_ns"], se, 1e-7, scale * 1e-10)
    p.near("dof", v["dof"], dof, 1e-6)
    p.same("exact", v["exact"], se == 0)
    q = t_quantile(options["confidence_pct"], dof)
    p.near("low", v["difference_low_ns"], m1 - m0 - q * se, 1e-7, scale * 1e-3)
    p.near("high", v["difference_high_ns"], m1 - m0 + q * se, 1e-7, scale * 1e-3)
    p.near("t", v["t"], (m1 - m0) / se if se else None, 1e-6, 1e-6)
    p.near("p", v["p"], t_p((m1 - m0) / se, dof) if se else float(m1 == m0), 1e-5)
    check_fieller(p, v, side[1], side[0], options["confidence_pct"])
    check_reach(p, v, n1, n0, options, compared)
    if v["rank_p"] is not None:
        p.near("rank p", v["rank_p"], rank_p(got[0], ref[0]), 1e-9)


def boots_of(s):
    """(run, boot): its samples, in their order; the set has its rows of the CSV."""
    boots = {}
    for row in s["csv"]:
        boots.setdefault((row["run"], int(row["boot"])), []).append(int(row["ns"]))
    return boots


def check_set(s, ref, doc):
    p = Problems()
    boots = boots_of(s)
    means = [mean(v) for v in boots.values()]
    values = [x for v in boots.values() for x in v]
    p.same("boots", [(b["run"], b["number"], b["n"]) for b in s["boots"]],
           [k + (len(v),) for k, v in boots.items()])
    for b, v in zip(s["boots"], boots.values()):
        p.near("mean of a boot", b["mean_ns"], mean(v))
        p.near("sd of a boot", b["sd_ns"], math.sqrt(variance(v)) if len(v) > 1 else None, 1e-7, mean(v) * 1e-9)
        p.near("median of a boot", b["median_ns"], median(v))
    p.same("usable", s["usable"], len(values) >= 3)
    check_moments(p, "samples", s["samples"], values)
    check_moments(p, "boot means", s["boot_means"], means)
    p.same("boot variance", s["boot_variance"] is None, len(boots) < 2)
    if len(boots) > 1:
        check_variance(p, "boots", s["boot_variance"], list(boots.values()))
    runs = {}
    for (run, _), m in zip(boots, means):
        runs.setdefault(run, []).append(m)
    p.same("run variance", s["run_variance"] is not None, 1 < len(runs) < len(boots))
    if s["run_variance"]:
        check_variance(p, "runs", s["run_variance"], list(runs.values()))
    if ref:
        other = boots_of(ref)
        check_ministat(p, s["ministat"], [x for v in other.values() for x in v], values,
                       doc["options"]["confidence_pct"])
        check_verdict(p, s["verdict"], ([mean(v) for v in other.values()], ref["pilot"]), (means, s["pilot"]),
                      doc["options"], doc["summary"]["compared"])
    else:
        p.same("verdict", (s["verdict"], s["ministat"]), (None, None))
    return p


def check_holm(sets, options):
    p = Problems()
    alpha = 1 - options["confidence_pct"] / 100
    verdicts = [s["verdict"] for s in sets if s["verdict"]]
    answers = sorted((v for v in verdicts if v["kind"] != "too-few"), key=lambda v: v["p"])
    running = 0.0
    for i, v in enumerate(answers):
        running = max(running, min(1.0, v["p"] * (len(answers) - i)))
        p.near("p after Holm", v["p_holm"], running, 1e-12)
        proven = running <= alpha and v["difference_ns"] != 0
        p.same("kind", v["kind"], "none" if not proven else "lower" if v["difference_ns"] < 0 else "higher")
        p.same("proven", v["proven"], proven)
    p.same("factors", sorted(v["holm_factor"] for v in answers), list(range(1, len(answers) + 1)))
    return p
