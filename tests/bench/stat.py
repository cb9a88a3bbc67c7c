#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time `harness stat` against the installed ministat, in turns, and print the ratios.

usage: stat.py HARNESS BENCH_VALUES_PROGRAM     BENCH_VALUES: values a set (10000000), made odd, so
                                                that both programs have the same median
                                                BENCH_RUNS: runs of each (5)

Fails when the two do not say the same, and for no time.  They say the same when all text but the
rows of the table is equal, byte for byte, and the numbers of the rows are to 6 digits: the older
ministat's variance, from one pass, is not good for more.
"""
import difflib
import os
import statistics
import sys
import tempfile
import time

KINDS = {
    "integers": "whole numbers of 5 digits",
    "decimals": "5 digits and 3 decimals",
    "digits": "17 digits, as many as a double may need",
}


def run(argv, out):
    """Text, seconds, seconds of a CPU, and peak memory in MiB."""
    start = time.monotonic()
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
            os.execvp(argv[0], argv)
        finally:
            os._exit(127)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.monotonic() - start
    if status:
        sys.exit("bench: %s ended with status %#x" % (" ".join(argv), status))
    with open(out, encoding="ascii") as f:
        return f.read(), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rounded(text):
    lines = text.splitlines()
    for i, line in enumerate(lines):
        fields = line.split()
        if len(fields) == 7 and fields[0] in "x+":
            lines[i] = " ".join(fields[:2] + ["%.6g" % float(x) for x in fields[2:]])
    return lines


def bench(kind, options, harness, generator, values, runs):
    for name, seed, shift in (("a", 1, 0), ("b", 2, 40)):
        run([generator, kind, str(values), str(seed), str(shift)], name)
    both = [[], []]
    for _ in range(runs):
        both[0].append(run(["ministat"] + options + ["a", "b"], "theirs"))
        both[1].append(run([harness, "stat", "--old-relative-error"] + options + ["a", "b"], "ours"))
    theirs, ours = both
    for t, o in zip(theirs, ours):
        if rounded(t[0]) != rounded(o[0]):
            sys.stdout.writelines(difflib.unified_diff(
                t[0].splitlines(True), o[0].splitlines(True), "ministat", "harness stat"))
            sys.exit("bench: %s: harness stat and ministat do not say the same" % kind)
    verdict = next(line for line in ours[0][0].splitlines() if "ifference" in line)
    print("%s (%s), options %s: %s" % (kind, KINDS[kind], " ".join(options), verdict))
    for i, what, unit in ((1, "time", "s"), (2, "CPU", "s"), (3, "memory", "MiB")):
        ratio = [o[i] / t[i] if what == "memory" else t[i] / o[i] for t, o in zip(theirs, ours)]
        print("  %-6s  ministat %7.2f %-3s  ours %7.2f %-3s  %s: median %.2f, range %.2f .. %.2f" % (
            what, statistics.median(t[i] for t in theirs), unit, statistics.median(o[i] for o in ours), unit,
            "of its memory" if what == "memory" else "times faster", statistics.median(ratio), min(ratio),
            max(ratio)))
    sys.stdout.flush()


def main():
    harness, generator = (os.path.abspath(p) for p in sys.argv[1:3])
    values = int(os.environ.get("BENCH_VALUES") or 10000000) | 1
    runs = int(os.environ.get("BENCH_RUNS") or 5)
    os.environ["LC_ALL"] = "C"
    with tempfile.TemporaryDirectory(prefix="harness-bench-") as folder:
        os.chdir(folder)
        print("two sets of %d values, %d runs of each in turns" % (values, runs))
        for kind in KINDS:
            bench(kind, ["-A"], harness, generator, values, runs)
        os.chdir("/")


if __name__ == "__main__":
    main()
