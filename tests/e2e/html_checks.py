# SPDX-License-Identifier: GPL-3.0-or-later
"""What html.t asks of the reports in a folder.  Prints "ok NAME" and "not ok NAME" lines."""
import math
import os
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from browser import Browser  # noqa: E402

FOLDER = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "html_page.js"), encoding="utf-8") as source:
    HELPERS = source.read()


def ok(good, name, *why):
    print(("ok " if good else "not ok ") + name)
    if not good:
        for line in why:
            print("  " + str(line)[:1500])
    sys.stdout.flush()


def near(a, b, tolerance):
    return len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b))


def show(page, name, width=1100):
    page.size(width)
    page.open(f"{FOLDER}/{name}.html")
    page.js(HELPERS)


def clean(page, name, what):
    asked = [u for u in page.requests if u != f"file://{FOLDER}/{name}.html" and u != "data:,"]
    ok(not page.errors, f"{name}: no error{what}", *page.errors)
    ok(not asked, f"{name}: no request{what}", *asked)


def check_verdict(page):
    """The verdict against the samples that the page itself holds."""
    rows = page.js("rows('strip-0')")
    means = {}
    for row in rows:
        samples = [float(v) for v in row[8].split()]
        ok(len(samples) == float(row[2]) == 25 and
           math.isclose(statistics.fmean(samples), float(row[3]), rel_tol=1e-12) and
           math.isclose(statistics.stdev(samples), float(row[4]), rel_tol=1e-9) and
           (min(samples), statistics.median(samples), max(samples)) ==
           (float(row[5]), float(row[6]), float(row[7])),
           f"large: {row[0]} of {row[1]} is summed up right", row) if len(means) < 3 else None
        means.setdefault(row[1], []).append(statistics.fmean(samples))
    ok(sorted(means) == ["cluster", "mixed", "physical"] and
       all(len(m) == 5 for m in means.values()), "large: all samples are in the table", means)
    said = page.js("verdicts()")
    ok([(v["set"], v["kind"]) for v in said] == [("physical", "higher"), ("cluster", "none")],
       "large: the verdicts", said)
    ref = statistics.fmean(means["mixed"])
    for v in said:
        want = 100 * (statistics.fmean(means[v["set"]]) / ref - 1)
        ok(math.isclose(v["pct"], want, rel_tol=1e-9),
           f"large: the difference of {v['set']} is that of its boot means", v, want)
    ok("physical is slower than mixed by 248.8 %" in said[0]["text"] and
       "\u25b2 slower" in said[0]["text"] and "Holm" in said[0]["text"] and
       "No difference between cluster and mixed is proven" in said[1]["text"],
       "large: the verdicts in words", said)
    effects = page.js("rows('effects')")
    ok([r[0] for r in effects] == ["physical", "cluster"] and
       near([float(r[3]) for r in effects], [v["pct"] for v in said], 1e-9) and
       all(float(r[4]) < float(r[3]) < float(r[5]) for r in effects),
       "large: the table of differences", effects)
    drawn = page.js("effectMarks()")
    ok(near([d["value"] for d in drawn], [float(r[3]) for r in effects], 2) and
       near([drawn[1][k] for k in ("value", "lo", "hi")],
            [float(effects[1][k]) for k in (3, 4, 5)], 0.01),
       "large: differences are drawn where they are", drawn, effects)
    block = page.js("document.querySelector('pre.ministat').textContent")
    ok(block.startswith("x mixed\n+ physical\n* cluster\n+---") and "\nx 125 " in block and
       "(Student's t, pooled s = " in block, "large: the ministat block", block)


def check_plots(page):
    table = {row[0]: row for row in page.js("rows('strip-0')")}
    means = {row[0]: float(row[9]) for row in page.js("rows('sets-0')")}
    for figure in ("fig-strip-0", "fig-order-0"):
        drawn = page.js(f"sampleMarks('{figure}')")
        wrong = []
        for boot, values in drawn["boots"].items():
            mean = means[table[boot][1]]
            want = [100 * (float(v) / mean - 1) for v in table[boot][8].split()]
            if not near(values, want, drawn["perPx"] * 0.06):
                wrong.append((boot, values[:3], want[:3]))
        ok(sorted(drawn["boots"]) == sorted(table) and not wrong,
           f"large: {figure} draws the samples of its table", *wrong)
    order = page.js("rows('order-0')")
    ok([r[0] for r in order] == [f"boot {i}" for i in range(1, 17)] and
       [r[0] for r in order if r[2] != "ok"] == ["boot 5"] and
       page.js("document.querySelectorAll('#fig-order-0 g.lost').length") == 1,
       "large: boots in the order in which they ran, the lost one marked", order)
    sets = page.js("rows('sets-0')")
    boxes = page.js("boxes()")
    ok(all(near([b[k] for k in ("q1", "median", "q3")],
                [float(r[4]), float(r[5]), float(r[6])], b["perPx"] * 1.1)
           for b, r in zip(boxes, sets)) and len(boxes) == len(sets) == 3,
       "large: boxes are drawn where their quartiles are", boxes, sets)
    for row in sets:
        values = [float(v) for t in table.values() if t[1] == row[0] for v in t[8].split()]
        quarter = statistics.quantiles(values, n=4, method="inclusive")
        ok(near([float(v) for v in row[3:8]], [min(values), *quarter, max(values)], 1),
           f"large: quartiles of {row[0]}", row, quarter)
    stages = page.js("rows('stages')")
    bars = page.js("stageBars()")
    wrong = [s[0] for s in stages
             if not near(list(bars[s[0]].values()),
                         [float(v) for v in s[4:15] if v != "-"], 0.6)]
    ok(len(stages) == 16 and not wrong, "large: stages are drawn as long as they took", *wrong)
    components = page.js("rows('components')")
    values = [[float(v) for v in t[8].split()] for t in table.values() if t[1] == "mixed"]
    within = statistics.fmean(statistics.variance(v) for v in values)
    between = statistics.variance([statistics.fmean(v) for v in values]) - within / 25
    ok(near([float(components[0][4]), float(components[0][5])],
            [math.sqrt(max(0, between)), math.sqrt(within)], 1e-3),
       "large: variance components", components[0])


def check_looks(page, name):
    for theme in ("light", "dark"):
        page.theme(theme)
        shade = page.js("luminance(getComputedStyle(document.body).backgroundColor)")
        ok(shade > 0.8 if theme == "light" else shade < 0.1, f"{name}: the page is {theme}", shade)
        poor = page.js("poorText()")
        ok(not poor, f"{name}: all text has a contrast of 4.5, {theme}", *poor[:10])
        poor = page.js("poorMarks()")
        ok(not poor, f"{name}: all marks have a contrast of 3, {theme}", *poor[:10])
    page.theme("light", "print")
    ok(page.js("getComputedStyle(document.querySelector('.scroll')).overflowX") == "visible",
       f"{name}: nothing is cut off on paper")
    page.theme("light")


def check_narrow(page, name):
    page.size(360, 780)
    page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    width = page.js("[document.documentElement.scrollWidth, innerWidth]")
    ok(width[0] <= width[1], f"{name}: 360 px are wide enough", page.js("tooWide()"))
    bad = page.js("unreadable()")
    ok(not bad, f"{name}: at 360 px every plot stays inside", *bad)
    page.size(1100)


def check_narrow_effects(page, name):
    """The plot of differences is drawn for phones, too, and says the same there."""
    table = page.js("rows('effects')")
    for width in (390, 360):
        page.size(width, 780)
        shown = page.js("effectsShown().length")
        wider = page.js("effectsScroll()")
        ok(shown == 1 and not wider, f"{name}: at {width} px the differences need no scrolling", shown, wider)
        drawn = page.js("effectMarks()")
        ok(near([d["value"] for d in drawn], [float(r[3]) for r in table], 4) and
           all(d["lo"] <= d["value"] <= d["hi"] for d in drawn),
           f"{name}: at {width} px differences are drawn where they are", drawn, table)
        small = page.js("effectsText()")
        ok(not small, f"{name}: at {width} px their text is large enough, and apart", *small)
    page.size(1100)
    ok(page.js("effectsShown().length") == 1, f"{name}: wide screens have one plot of differences")


def check_keyboard(page):
    page.open(f"{FOLDER}/large.html")
    page.js(HELPERS)
    page.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    want = page.js("document.querySelectorAll('.scroll').length")
    seen, first, hidden = set(), None, []
    for _ in range(200):
        page.key("Tab", 9)
        at = page.js("focused()")
        if at["what"] == "BODY" and seen:
            break
        first = first or at
        if not at["ring"]:
            hidden.append(at)
        if at["scroll"] is not None:
            seen.add(at["scroll"])
    ok(first and first["text"] == "Skip to the verdict" and first["shown"],
       "keyboard: the skip link comes first, and shows", first)
    ok(len(seen) == want > 8, "keyboard: every box that scrolls is reached", sorted(seen), want)
    ok(not hidden, "keyboard: what has the focus is marked", *hidden[:5])
    page.open(f"{FOLDER}/large.html")
    page.key("Tab", 9)
    page.key("Enter", 13)
    ok(page.js("location.hash") == "#verdict", "keyboard: the skip link leads to the verdict")


def check_reader(page):
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    by_role = {}
    for n in nodes:
        if not n.get("ignored"):
            by_role.setdefault(n["role"]["value"], []).append(
                (n.get("name", {}).get("value", ""), n.get("description", {}).get("value", "")))
    figures = by_role.get("figure", []) + by_role.get("Figure", [])
    images = by_role.get("image", []) + by_role.get("img", [])
    ok(len(figures) == 5 and all(len(f[0]) > 10 for f in figures),
       "screen reader: every figure has a name", figures)
    ok(len(images) == 5 and all(i[0] for i in images),
       "screen reader: every plot has a name", images)
    text = " ".join(a + " " + b for a, b in images)
    ok("physical is slower than mixed by 248.8 %; no difference between cluster and mixed is proven"
       in text and "sd between boots" in text and "1 boot gave nothing" in text,
       "screen reader: plots say what they show", text)
    regions = [r[0] for r in by_role.get("region", [])]
    ok(len(regions) >= 8 and all(regions), "screen reader: every section has a name", regions)
    boxes = page.js("scrollLabels()")
    groups = {g[0] for g in by_role.get("group", [])}
    ok(len(boxes) >= 10 and all(boxes) and set(boxes) <= groups,
       "screen reader: every box that scrolls has a name", boxes, groups)
    ok(page.js("document.documentElement.lang") == "en" and
       page.js("document.title") == "flush_tlb_all on epyc9754, run 7f3a",
       "screen reader: the page has a language and a title", page.js("document.title"))


def check_scripts(page):
    page.js("document.querySelectorAll('li[data-key] button')[1].click()")
    ok(page.js("dimmed()") == [["1", "3"], ["2"]], "script: a press dims the other sets",
       page.js("dimmed()"))
    page.js("document.querySelectorAll('li[data-key] button')[1].click()")
    ok(page.js("dimmed()") == [[], ["1", "2", "3"]], "script: another press ends it",
       page.js("dimmed()"))
    page.js("document.querySelectorAll('#boot-list th button')[5].click()")
    medians = [float(r[5]) for r in page.js("rows('boot-list')")[:-1]]
    ok(medians == sorted(medians) and len(medians) == 15 and
       page.js("rows('boot-list')[15][2]") == "\u2715 lab",
       "script: boots sort by median, those without one last", medians)
    page.js("document.querySelector('button.copy').click()")
    ok(page.js("getSelection().toString().trim()").startswith("harness run --machine epyc9754 "),
       "script: the command is marked to be copied", page.js("getSelection().toString()"))


def check_without_scripts(page):
    page.scripts(False)
    page.open(f"{FOLDER}/large.html")
    page.js(HELPERS)
    ok(page.js("document.querySelectorAll('button').length") == 0 and
       [v["kind"] for v in page.js("verdicts()")] == ["higher", "none"] and
       len(page.js("rows('strip-0')")) == 15 and
       page.js("document.querySelectorAll('figure svg').length") == 6,
       "no scripts: verdicts, tables and plots are there all the same")
    clean(page, "large", " without scripts")
    page.scripts(True)


def check_hostile(page):
    show(page, "hostile")
    ok(page.js("document.querySelectorAll('script').length") == 1 and
       page.js("document.querySelectorAll('b, i').length") == 0 and
       page.js("document.querySelector('h1').textContent").startswith(
           "<script>alert(1)</script>"), "hostile: text stays text",
       page.js("document.querySelector('h1').outerHTML"))
    clean(page, "hostile", "")
    check_narrow(page, "hostile")


def check_builds(page):
    """Boots of two sets are told once wherever there is one list of all."""
    labels = ["base mixed", "base physical", "patched mixed", "patched physical"]
    said = page.js("verdicts()")
    ok([(v["set"], v["kind"]) for v in said] ==
       [("patched mixed", "higher"), ("patched physical", "none"),
        ("physical of base", "higher"), ("physical of patched", "higher")] and
       "patched mixed is slower than base mixed by 9.4" in said[0]["text"],
       "builds: the verdicts", said)
    ok(page.js("document.querySelector('h1').textContent") == "patched against base" and
       page.js("document.querySelector('p.lead.bad').textContent") == "A regression is proven.",
       "builds: the title, and what it comes to")
    for table, at in (("boot-list", 1), ("stages", 1)):
        rows = page.js(f"rows('{table}')")
        ok([r[0] for r in rows] == [f"boot {i}" for i in range(1, 13)] and
           sorted(r[at] for r in rows) == sorted(labels * 3), f"builds: {table} has each boot once", rows)
    ok(sorted(r[0] for r in page.js("rows('components')")) == labels and
       sorted(r[0] for r in page.js("rows('images-0')")) == labels,
       "builds: components and images, each once", page.js("rows('components')"))
    ok(page.js("[...document.querySelectorAll('#plots h3')].map(h => h.textContent)") ==
       ["mixed", "physical", "modes of base", "modes of patched"], "builds: a heading a block")
    wrong = []
    for block, sets in enumerate((labels[::2], labels[1::2], ["mixed of base", "physical of base"],
                                  ["mixed of patched", "physical of patched"])):
        for table in ("strip", "order"):
            rows = page.js(f"rows('{table}-{block}')")
            if sorted(r[1] for r in rows) != sorted(sets * 3) or len({r[0] for r in rows}) != 6:
                wrong.append((table, block, rows))
    ok(not wrong, "builds: each block draws its own boots", *wrong)


def check_hang(page):
    text = page.js("document.body.textContent")
    ok(text.count("patched mixed: no boot counts.") == 1 and "mixed of patched: no boot" not in text and
       text.count("so patched mixed rests on 0 boots instead of 3") == 1 and
       text.count("(E_TIMEOUT); repeated as boot 2") == 1 and "ended early" not in text,
       "hang: it is told once")
    rows = page.js("rows('order-0')")
    ok([(r[1], r[2]) for r in rows if r[2] != "ok"] == [("patched mixed", "lab")] * 2 and len(rows) == 5 and
       [r[2] for r in page.js("rows('order-2')")] == ["ok"] * 6,
       "hang: lost boots are in the blocks that they were meant for", rows, page.js("rows('order-2')"))


def main():
    with Browser() as browser:
        page = browser.page()
        show(page, "large")
        clean(page, "large", "")
        check_verdict(page)
        check_plots(page)
        check_reader(page)
        check_looks(page, "large")
        check_scripts(page)
        check_narrow(page, "large")
        check_keyboard(page)
        clean(page, "large", " after all that")
        check_without_scripts(page)
        page.close()
        page = browser.page()
        check_hostile(page)
        page.close()
        for name in ("clean", "rough", "empty", "single", "shifted", "huge", "flat", "zero", "wild",
                     "extreme", "many", "builds", "hang", "lacks", "sides", "nights", "none"):
            page = browser.page()
            show(page, name)
            clean(page, name, "")
            bad = page.js("unreadable()")
            ok(not bad, f"{name}: every number is one, and plots stay inside", *bad)
            check_narrow(page, name)
            if name == "builds":
                check_builds(page)
            if name == "hang":
                check_hang(page)
            if name in ("clean", "flat", "many", "builds", "sides", "nights"):
                check_narrow_effects(page, name)
            if name in ("rough", "many"):
                check_looks(page, name)
            page.close()


main()
