# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the reports of all fixtures as formats.t wants it.  TAP."""
import copy
import csv
import io
import json
import re
import statistics
import subprocess
import sys
import xml.etree.ElementTree as ET

import jsonschema

from formats_stats import check_set, check_holm

driver = sys.argv[1]


def get(*args):
    return subprocess.run([driver, *args], check=True, stdout=subprocess.PIPE).stdout


def refuse(word):
    raise ValueError("not JSON: " + word)


def pairs(items):
    if len({k for k, _ in items}) != len(items):
        raise ValueError("a key twice in %s" % items)
    return dict(items)


def read_json(data):
    return json.loads(data.decode("utf-8"), parse_constant=refuse, object_pairs_hook=pairs)


def read_csv(data):
    text = data.decode("utf-8")
    assert text.endswith("\r\n") and "\n" not in text.replace("\r\n", "")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert all(len(r) == len(rows[0]) for r in rows), "rows of different length"
    return rows[0], [dict(zip(rows[0], r)) for r in rows[1:]]


def cleaned(text):
    """What CSV makes of a text that JSON has whole."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f]", "?", text)


def from_csv(field):
    """A text as it was before it was made harmless."""
    return field[1:] if field.startswith("'") else field


NAMES = get("names").decode().split()
SCHEMA = read_json(get("schema"))
DOCS = {n: read_json(get(n, "json")) for n in NAMES}
STAGES = SCHEMA["$defs"]["boot"]["properties"]["stage"]["enum"]
RUNS = {n: read_json(get(n, "run")) for n in NAMES}
SAMPLES = {n: read_csv(get(n, "csv")) for n in NAMES}
VERDICTS = {n: read_csv(get(n, "csv-verdicts")) for n in NAMES}
JUNIT = {n: ET.fromstring(get(n, "junit")) for n in NAMES}


def sets(doc):
    return [s for b in doc["blocks"] for s in b["sets"]]


# JSON and its schema

def objects(node):
    """Every schema of an object with known keys."""
    if isinstance(node, dict):
        if "properties" in node and "type" in node:
            yield node
        for v in node.values():
            yield from objects(v)
    elif isinstance(node, list):
        for v in node:
            yield from objects(v)


def closed():
    """The schema that allows no key that it does not describe."""
    s = copy.deepcopy(SCHEMA)
    for o in objects(s):
        o["additionalProperties"] = False
    return s


def part(schema, name):
    return {"$schema": schema["$schema"], "$ref": "#/$defs/" + name, "$defs": schema["$defs"]}


def errors(schema, doc):
    return list(jsonschema.Draft202012Validator(schema).iter_errors(doc))


def schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return []


def schema_describes_every_key():
    for o in objects(SCHEMA):
        for key, value in o["properties"].items():
            if "description" not in value and "$ref" not in value:
                yield "no description: " + key
        yield from ("required, but not described: " + k for k in set(o.get("required", [])) - set(o["properties"]))


def documents_hold_to_the_schema():
    for name, doc in DOCS.items():
        yield from ("%s: %s" % (name, e.message[:200]) for e in errors(SCHEMA, doc))
    for name, run in RUNS.items():
        yield from ("%s: %s" % (name, e.message[:200]) for e in errors(part(SCHEMA, "run"), run))


def every_key_is_in_the_schema():
    for name, doc in DOCS.items():
        yield from ("%s: %s" % (name, e.message[:200]) for e in errors(closed(), doc))
    for name, run in RUNS.items():
        yield from ("%s: %s" % (name, e.message[:200]) for e in errors(part(closed(), "run"), run))


def keys_of(node):
    if isinstance(node, dict):
        for k, v in node.items():
            yield k
            yield from keys_of(v)
    elif isinstance(node, list):
        for v in node:
            yield from keys_of(v)


def every_key_of_the_schema_is_used():
    elsewhere = {"events", "mono_ns", "what", "detail", "boot"}  # `harness show --json`
    used = set(keys_of(DOCS)) | elsewhere
    for o in objects(SCHEMA):
        yield from ("nobody writes " + k for k in o["properties"] if k not in used)


def schema_refuses_what_is_wrong():
    good = DOCS["noisy"]
    for key in good:
        doc = {k: v for k, v in good.items() if k != key}
        if not errors(SCHEMA, doc):
            yield "without %s it is still good" % key
    verdict = ("blocks", 0, "sets", 1, "verdict")
    for path, value in ((("version",), 2), (("kind",), "both"), (("regression",), 0), (("blocks", 0, "sets"), []),
                        (verdict + ("p",), 2), (verdict + ("p",), "0"), (verdict + ("kind",), "same"),
                        (("runs", 0, "uuid"), "7f3a"), (("runs", 0, "boots", 0, "samples", 0, "ns"), 1.5),
                        (("runs", 0, "seed"), 41)):
        doc = copy.deepcopy(good)
        at = doc
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        if not errors(SCHEMA, doc):
            yield "%s = %r is still good" % (path, value)
    doc = dict(good, later=1)
    if errors(SCHEMA, doc):
        yield "a new key within a version must pass"
    if not errors(closed(), doc):
        yield "the closed schema lets a new key pass"


# CSV against JSON

def rows_are_the_samples_of_the_runs():
    for name, (_, rows) in SAMPLES.items():
        holds = {}
        for s in sets(DOCS[name]):
            for b in s["boots"]:
                holds.setdefault((b["run"], b["number"]), []).append(cleaned(s["name"]))
        want = []
        for run in DOCS[name]["runs"]:
            for b in run["boots"]:
                for in_set in holds.get((run["uuid"], b["number"]), [""]):
                    head = [run["uuid"], cleaned(run["machine"]), cleaned(run["workload"]), in_set,
                            cleaned(b["mode"]), cleaned(b["effective"]), str(b["number"]), str(b["block"]),
                            str(b["attempt"]), b["outcome"]]
                    want += [head + [str(i), str(int(x["warmup"])), str(x["ns"]), x["tsc"],
                                     str(int(in_set != "" and not x["warmup"])), b["began_by"] or "", b["build"]]
                             for i, x in enumerate(b["samples"])]
        got = [[from_csv(f) for f in row.values()] for row in rows]
        if got != want:
            yield "%s: %s" % (name, next(((g, w) for g, w in zip(got, want) if g != w), (len(got), len(want))))


def csv_is_no_formula():
    for table in (SAMPLES, VERDICTS):
        for name, (header, rows) in table.items():
            for row in rows:
                for column, field in row.items():
                    if field[:1] in tuple("=+-@\t\r") and not re.fullmatch(r"-?[0-9.]+(e[-+][0-9]+)?", field):
                        yield "%s: %s is %r" % (name, column, field)


def verdicts_are_those_of_json():
    for name, (header, rows) in VERDICTS.items():
        doc = DOCS[name]
        want = []
        for i, block in enumerate(doc["blocks"]):
            for s in block["sets"]:
                if s["verdict"]:
                    v = dict(s["verdict"])
                    want.append((["%d" % i, cleaned(s["mode"]), cleaned(s["name"]), cleaned(s["reference"]),
                                  v.pop("kind")], v, s["build"]))
        if len(rows) != len(want):
            yield "%s: %d rows, not %d" % (name, len(rows), len(want))
        for row, (head, v, build) in zip(rows, want):
            got = [from_csv(f) for f in list(row.values())[:5]]
            if got != head:
                yield "%s: %s, not %s" % (name, got, head)
            if header[5:] != list(v) + ["build"] or row["build"] != build:
                yield "%s: columns %s" % (name, header)
            for key, value in v.items():
                text = row[key]
                same = (text == "") if value is None else text != "" and float(text) == float(value)
                if not same:
                    yield "%s: %s is %r, not %r" % (name, key, text, value)


# What boots cost

def begin(stages):
    return next((w for s, w in (("power-off", "cycle"), ("boot-device", "reset"), ("firmware", "restart"))
                 if s in stages), None)


def median(values):
    """To the whole ns, halves up."""
    return int(statistics.median(values) + 0.5)


def costs_are_those_of_the_stages():
    for name, run in [(n, r) for n, d in DOCS.items() for r in d["runs"]]:
        good, bad = {}, []
        for b in run["boots"]:
            want = (begin(b["stages"]), sum(s["ns"] for s in b["stages"].values()))
            if (b["began_by"], b["cost_ns"]) != want:
                yield "%s: boot %d: %s" % (name, b["number"], want)
            if b["outcome"] == "ok":
                good.setdefault(want[0], []).append(b)
            else:
                bad.append(want[1])
        if (run["cost"]["failed_boots"], run["cost"]["failed_ns"]) != (len(bad), sum(bad)):
            yield "%s: failed %s" % (name, bad)
        ways = [{"began_by": w, "boots": len(good[w]), "median_ns": median([b["cost_ns"] for b in good[w]]),
                 "stages_ns": {s: t for s in STAGES
                               if (t := median([b["stages"].get(s, {"ns": 0})["ns"] for b in good[w]]))}}
                for w in ("cycle", "reset", "restart", None) if w in good]
        if run["cost"]["ways"] != ways:
            yield "%s: %s, not %s" % (name, run["cost"]["ways"], ways)
    yield from ("no boot began by " + w for w in ("cycle", "reset", "restart")
                if not any(b["began_by"] == w for d in DOCS.values() for r in d["runs"] for b in r["boots"]))


# Numbers

def numbers_agree_with_the_csv():
    for name, doc in DOCS.items():
        rows = [r for r in SAMPLES[name][1] if r["used"] == "1"]
        by_name = {}
        for s in sets(doc):
            by_name[s["name"]] = s
            s["csv"] = [r for r in rows if from_csv(r["set"]) == cleaned(s["name"])]
        for s in sets(doc):
            yield from ("%s, %s: %s" % (name, s["name"], p) for p in check_set(s, by_name.get(s["reference"]), doc))
        for s in sets(doc):
            del s["csv"]


def verdicts_agree_with_holm():
    for name, doc in DOCS.items():
        yield from (name + ": " + p for p in check_holm(sets(doc), doc["options"]))


def is_regression(doc, s):
    """Slower than the same mode before; modes are compared with each other, too."""
    modes = {r["name"]: r["mode"] for r in sets(doc)}
    return doc["kind"] == "sides" and s["verdict"] is not None and s["verdict"]["kind"] == "higher" and \
        modes[s["reference"]] == s["mode"]


def summary_counts_the_verdicts():
    for name, doc in DOCS.items():
        kinds = [s["verdict"]["kind"] for s in sets(doc) if s["verdict"]]
        want = {"compared": len(kinds) - kinds.count("too-few"), "higher": kinds.count("higher"),
                "lower": kinds.count("lower"), "none": kinds.count("none"), "too_few": kinds.count("too-few")}
        if doc["summary"] != want:
            yield "%s: %s, not %s" % (name, doc["summary"], want)
        if doc["regression"] != any(is_regression(doc, s) for s in sets(doc)):
            yield "%s: regression is %s" % (name, doc["regression"])


def fixtures_cover_the_rare_cases():
    verdicts = [s["verdict"] for d in DOCS.values() for s in sets(d) if s["verdict"]]
    for kind in ("too-few", "none", "lower", "higher"):
        if kind not in [v["kind"] for v in verdicts]:
            yield "no verdict " + kind
    known = [v for v in verdicts if v["kind"] != "too-few"]
    for what, found in (("exact", [v for v in known if v["exact"]]),
                        ("no percentage", [v for v in known if v["difference_pct"] is None]),
                        ("no interval", [v for v in known if v["difference_pct"] and v["difference_low_pct"] is None]),
                        ("pilot", [v for v in known if v["pilot"]]),
                        ("runs", [s for d in DOCS.values() for s in sets(d) if s["run_variance"]])):
        if not found:
            yield "no case of " + what


def builds_are_compared_with_the_first():
    seen = 0
    for name, doc in DOCS.items():
        builds = [b["name"] for r in doc["runs"] for b in r["builds"]]
        if not builds:
            yield from ("%s: a build" % name for s in sets(doc) if s["build"])
            continue
        seen += 1
        holds = {}
        for block in doc["blocks"]:
            of = {s["build"] for s in block["sets"]}, {s["mode"] for s in block["sets"]}
            if len(of[0]) > 1 and (len(of[1]) > 1 or block["sets"][0]["build"] != builds[0]):
                yield "%s: a block of %s" % (name, of)
            for s in block["sets"]:
                holds.setdefault((s["build"], s["mode"]), []).append([b["number"] for b in s["boots"]])
                want = (s["mode"] + " of " + s["build"]) if len(of[1]) > 1 else s["build"] + " " + s["mode"]
                if s["name"] != want:
                    yield "%s: %s is called %s" % (name, want, s["name"])
        for run in doc["runs"]:
            for m in run["modes"]:
                boots = [b["number"] for b in run["boots"]
                         if (b["build"], b["mode"], b["outcome"]) == (m["build"], m["mode"], "ok")]
                got = holds.pop((m["build"], m["mode"]), [])
                if m["skipped"] == bool(got) or any(g != boots for g in got):
                    yield "%s: %s %s has %s, not %s" % (name, m["build"], m["mode"], got, boots)
        yield from ("%s: what is %s" % (name, key) for key in holds)
    if seen < 3:
        yield "only %d runs with builds" % seen


# JUnit

ALLOWED = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"},
    "properties": set(), "property": {"name", "value"}, "testcase": {"classname", "name", "time"},
    "failure": {"type", "message"}, "error": {"type", "message"}, "skipped": {"message"}, "system-out": set()}
CHILDREN = {
    "testsuites": r"(testsuite )*", "testsuite": r"(properties )?(testcase )*(system-out )?",
    "properties": r"(property )+", "testcase": r"(failure |error |skipped )?(system-out )?"}


def junit_has_the_usual_form():
    for name, root in JUNIT.items():
        if root.tag != "testsuites":
            yield name + ": root is " + root.tag
        for e in root.iter():
            if e.tag not in ALLOWED or set(e.attrib) - ALLOWED[e.tag]:
                yield "%s: %s %s" % (name, e.tag, sorted(e.attrib))
            inside = "".join(c.tag + " " for c in e)
            if not re.fullmatch(CHILDREN.get(e.tag, ""), inside):
                yield "%s: in %s: %s" % (name, e.tag, inside)
            if e.tag in ("testsuite", "testcase") and \
                    not (e.get("name") and re.fullmatch(r"[0-9]+\.[0-9]{3}", e.get("time"))):
                yield "%s: %s %s" % (name, e.tag, e.attrib)
            if e.get("timestamp") and not re.fullmatch(r"[0-9-]{10}T[0-9:]{8}", e.get("timestamp")):
                yield "%s: time stamp %s" % (name, e.get("timestamp"))
        names = [(c.get("classname"), c.get("name")) for c in root.iter("testcase")]
        yield from ("%s: twice: %s" % (name, n) for n in set(names) if names.count(n) > 1)


def ms(e):
    return int(e.get("time").replace(".", ""))


def junit_counts_are_right():
    for name, root in JUNIT.items():
        suites = root.findall("testsuite")
        for s in suites:
            cases = s.findall("testcase")
            for key, want in (("tests", len(cases)), ("failures", len(s.findall("testcase/failure"))),
                              ("errors", len(s.findall("testcase/error"))),
                              ("skipped", len(s.findall("testcase/skipped")))):
                if s.get(key) != str(want):
                    yield "%s: %s is %s, not %d" % (name, key, s.get(key), want)
            if ms(s) != sum(map(ms, cases)):
                yield "%s: time is %s" % (name, s.get("time"))
        for key in ("tests", "failures", "errors"):
            if int(root.get(key)) != sum(int(s.get(key)) for s in suites):
                yield "%s: %s of all is %s" % (name, key, root.get(key))
        if ms(root) != sum(map(ms, suites)):
            yield "%s: time of all is %s" % (name, root.get("time"))


MEASUREMENT = {"wrong-image", "mode-mismatch", "cpu-mismatch", "incomplete", "conflict", "crash"}


def places(run):
    """(mode, how it ended, ms, failed first) of each place, in the order of the cases."""
    for mode in run["modes"]:
        label = (mode["build"] + " " + mode["mode"]).strip()
        at = {}
        for b in run["boots"]:
            if (b["mode"], b["build"]) == (mode["mode"], mode["build"]) and not mode["skipped"]:
                at.setdefault(b["index"], []).append(b)
        for index in sorted(at):
            last = at[index][-1]["outcome"]
            yield (label, "passed" if last == "ok" else "failure" if last in MEASUREMENT else "error",
                   sum(sum(s["ns"] for s in b["stages"].values()) // 10**6 for b in at[index]), len(at[index]) > 1)
        for _ in range(len(at), run["boots_per_mode"]):
            yield label, "skipped", 0, False


def result(case):
    return next((c.tag for c in case if c.tag != "system-out"), "passed")


def junit_has_a_case_for_each_place():
    for name, root in JUNIT.items():
        suites = root.findall("testsuite")
        if len(suites) != len(DOCS[name]["runs"]) + 1:
            yield "%s: %d suites" % (name, len(suites))
        for suite, run in zip(suites, DOCS[name]["runs"]):
            cases = suite.findall("testcase")
            want = list(places(run))
            got = [(c.get("classname").split(".")[-1], result(c), ms(c)) for c in cases[:-1]]
            if name != "hostile" and got != [w[:3] for w in want]:
                yield "%s: %s, not %s" % (name, got, want)
            if [g[1:] for g in got] != [w[1:3] for w in want]:
                yield "%s: %s, not %s" % (name, got, want)
            for case, w in zip(cases, want):
                if w[3] and "repeated" not in (case.findtext("system-out") or ""):
                    yield "%s: the first attempt is not told" % name
            end = "skipped" if not run["ended"] else "error" if run["error"] else "passed"
            if result(cases[-1]) != end:
                yield "%s: the end is %s" % (name, result(cases[-1]))


def in_xml(text):
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "?", text)


def junit_says_where_it_is_from():
    for name, root in JUNIT.items():
        for suite, run in zip(root.findall("testsuite"), DOCS[name]["runs"]):
            have = {p.get("name"): p.get("value") for p in suite.iter("property")}
            for key in ("machine", "workload", "seed", "again", "harness_version", "extra_args"):
                if have.get(key) != in_xml(run[key]):
                    yield "%s: %s is %r, not %r" % (name, key, have.get(key), run[key])
            if run["boots"] and not {"cpu", "microcode", "firmware", "hypervisor"} <= set(have):
                yield "%s: only %s" % (name, sorted(have))
            if suite.get("hostname") != in_xml(run["host"]):
                yield "%s: host %r" % (name, suite.get("hostname"))


def junit_tells_the_verdicts():
    for name, root in JUNIT.items():
        doc = DOCS[name]
        cases = {c.get("name"): c for c in root.findall("testsuite")[-1].findall("testcase")}
        for s in sets(doc):
            v = s["verdict"]
            if not v:
                continue
            case = cases.pop(in_xml("%s against %s" % (s["name"], s["reference"])))
            want = "skipped" if v["kind"] == "too-few" else \
                "failure" if is_regression(doc, s) else "passed"
            words = {"too-few": "not enough boots", "none": "no difference", "lower": "faster", "higher": "slower"}
            if result(case) != want or words[v["kind"]] not in case.findtext("system-out"):
                yield "%s: %s: %s" % (name, s["name"], ET.tostring(case))
            if want == "failure" and case.find("failure").get("type") != "regression":
                yield "%s: the failure is no regression" % name
        for left in cases.values():
            if result(left) != "skipped":
                yield "%s: %s is %s" % (name, left.get("name"), result(left))


CHECKS = [
    schema_is_one, schema_describes_every_key, documents_hold_to_the_schema, every_key_is_in_the_schema,
    every_key_of_the_schema_is_used, schema_refuses_what_is_wrong, rows_are_the_samples_of_the_runs,
    csv_is_no_formula, verdicts_are_those_of_json, numbers_agree_with_the_csv, verdicts_agree_with_holm,
    summary_counts_the_verdicts, fixtures_cover_the_rare_cases, builds_are_compared_with_the_first, junit_has_the_usual_form, junit_counts_are_right,
    junit_has_a_case_for_each_place, junit_says_where_it_is_from, junit_tells_the_verdicts]

failed = False
print("1..%d" % (len(CHECKS) + 1))
for i, check in enumerate(CHECKS):
    problems = list(check())
    failed |= bool(problems)
    print("%sok %d - %s" % ("not " * bool(problems), i + 1, check.__name__.replace("_", " ")))
    for p in problems[:5]:
        print("# " + p.replace("\n", "\n# "))
few = len(NAMES) < 14
print("%sok %d - all fixtures were read (%d)" % ("not " * few, len(CHECKS) + 1, len(NAMES)))
sys.exit(failed or few)
