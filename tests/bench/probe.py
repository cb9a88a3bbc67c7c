#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time the probe parser alone against `grep -c` and `cat`, in turns, on the same consoles.

usage: probe.py BENCH_PROBE_PROGRAM CONSOLE     CONSOLE: one of a real boot, which is repeated
                                                BENCH_MIB: size of each console (64)
                                                BENCH_RUNS: runs of each (5)

Rates are of CPU time.  Fails when the parser allocates for its lines, and for no time.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

KINDS = {
    "log": "what the hypervisor says",
    "records": "valid records of the boot",
    "noise": "another system's console",
}


def cpu(argv):
    """What it prints, and seconds of a CPU."""
    with tempfile.TemporaryFile() as out:
        pid = os.fork()
        if pid == 0:
            try:
                os.dup2(out.fileno(), 1)
                os.execvp(argv[0], argv)
            finally:
                os._exit(127)
        _, status, usage = os.wait4(pid, 0)
        # grep: 1 is "none".
        if os.waitstatus_to_exitcode(status) not in (0, 1):
            sys.exit("bench: %s ended with status %#x" % (" ".join(argv), status))
        out.seek(0)
        return out.read(4096).decode("ascii", "replace"), usage.ru_utime + usage.ru_stime


def bench(program, console, nonce, kind, mib, runs):
    with open("console", "wb") as f:
        subprocess.run([program, "make", kind, console, str(mib)], stdout=f, check=True)
    size = os.path.getsize("console")
    rates = {"parser": [], "grep -c": [], "cat": []}
    for _ in range(runs):
        said = cpu([program, "read", "console", nonce])[0]
        got = re.match(r"(\d+) bytes, (\d+) lines, (\d+) allocations, ([0-9.]+) s, state [12]$", said)
        if not got or int(got[1]) != size:
            sys.exit("bench: %s: the parser stopped: %s" % (kind, said))
        if int(got[3]) > 8:
            sys.exit("bench: %s: %s allocations for %s lines" % (kind, got[3], got[2]))
        rates["parser"].append(size / float(got[4]) / 1e6)
        rates["grep -c"].append(size / max(cpu(["grep", "-c", "HPP1 ", "console"])[1], 1e-6) / 1e6)
        rates["cat"].append(size / max(cpu(["cat", "console"])[1], 1e-6) / 1e6)
    print("%s (%s), %s lines, %s allocations" % (kind, KINDS[kind], got[2], got[3]))
    for name, r in rates.items():
        print("  %-8s %6.0f MB/s, range %.0f .. %.0f" % (name, statistics.median(r), min(r), max(r)))
    sys.stdout.flush()


def main():
    program, console = (os.path.abspath(p) for p in sys.argv[1:3])
    mib = int(os.environ.get("BENCH_MIB") or 64)
    runs = int(os.environ.get("BENCH_RUNS") or 5)
    with open(console, "rb") as f:
        nonce = re.search(rb"hp_nonce=([0-9a-f]{32})", f.read())[1].decode()
    os.environ["LC_ALL"] = "C"
    with tempfile.TemporaryDirectory(prefix="harness-bench-") as folder:
        os.chdir(folder)
        print("the probe parser alone, consoles of %d MiB, %d runs of each in turns" % (mib, runs))
        for kind in KINDS:
            bench(program, console, nonce, kind, mib, runs)
        os.chdir("/")


if __name__ == "__main__":
    main()
