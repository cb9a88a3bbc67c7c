#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Load a controller: many simulated machines on one harness process, and was anything lost or late?

load.py HARNESS SIM_LAB CONSOLE IMAGES [--machines N] [--boots N] [--samples N] [--between HOW]
        [--pause SECONDS] [--keep DIR]

SIM_LAB (tests/tools/sim_lab.c) plays N machines whose consoles run at 115200 baud at the same time;
HARNESS runs them all in one process.  Then everything that the store holds is compared with what the
machines said.  IMAGES is a state folder with images.  Prints "key value" lines:

  machines, boots        asked for
  status                 of the harness process
  complete               boots that are stored as ok
  samples, wrong         stored, and of these (or missing) not what the machine measured
  consoles_wrong         stored console logs that are not the machine's bytes, or have not all of the report
  silences               of the others those that end before a pass that the simulator, late itself, was silent in
  gaps, retries          events that tell of a lost console; boots that were tried again
  late_ms                from a machine's last record to the end of its boot, at worst
  stalled                bytes that a serial line had no room for, at worst
  together               consoles that ran at the same time, at most
  sim_late_ms            how late the simulator itself was, at worst
  dropped, failed, reopened, sessions   what the machines did not get rid of; boots that did not load;
                         boot connections cut between two requests; Redfish sessions left open
  wall_s, cpu_s, cpu_share_percent, measure_cpu_share_percent    of the harness, over all and while the
                         consoles ran
  rss_kib, files         its peak memory, and descriptors
"""
import argparse
import base64
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time

KHZ = 2096010
SILENT_MS = 2000  # a machine that says nothing for 3 s between two passes has ended its report
TICK = os.sysconf("SC_CLK_TCK")


def sample_ns(machine, boot, i):
    """As console_ns() of tests/tools/sim_console.h."""
    x = (machine * 1000003 + boot * 10007 + i * 101) & 0xffffffff
    return 20000000 + ((x * 2654435761 & 0xffffffff) >> 8) % 500000


def make_keys(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
                   check=True, capture_output=True)
    key = subprocess.run(["openssl", "pkey", "-in", f"{folder}/key.pem", "-pubout", "-outform", "der"],
                         check=True, capture_output=True).stdout
    (folder / "pin").write_text("sha256//" + base64.b64encode(hashlib.sha256(key).digest()).decode())
    (folder / "password").write_text("sesame\n")
    (folder / "password").chmod(0o600)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Watch:
    """The harness process, looked at now and then."""

    def __init__(self, pid):
        self.pid = pid
        self.rss = self.files = 0
        self.marks = []  # (time, CPU seconds)

    def look(self):
        try:
            stat = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            status = pathlib.Path(f"/proc/{self.pid}/status").read_text()
            files = len(os.listdir(f"/proc/{self.pid}/fd"))
        except OSError:
            return
        self.marks.append((time.monotonic(), (int(stat[11]) + int(stat[12])) / TICK))
        self.files = max(self.files, files)
        for line in status.splitlines():
            if line.startswith("VmHWM:"):
                self.rss = max(self.rss, int(line.split()[1]))

    def share(self, begin, end):
        """CPU per time between two moments of time.monotonic(), in percent."""
        inside = [m for m in self.marks if begin <= m[0] <= end]
        if len(inside) < 2 or inside[-1][0] <= inside[0][0]:
            return 0.0
        return 100 * (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])


def run(args, folder):
    """Play and measure; returns what was seen of the processes."""
    make_keys(folder)
    (folder / "targets").mkdir()
    state = folder / "state"
    state.mkdir(mode=0o700)
    os.symlink(pathlib.Path(args.images).resolve() / "images", state / "images")
    env = {k: v for k, v in os.environ.items() if k not in ("HARNESS_STATE", "HARNESS_TARGETS")}
    with subprocess.Popen([args.sim, folder, str(args.machines), str(free_port()), args.console],
                          stderr=subprocess.PIPE, text=True) as sim:
        try:
            end = time.monotonic() + 60
            while not (folder / "ready").exists():
                if sim.poll() is not None or time.monotonic() > end:
                    sys.exit("load.py: the simulator does not start")
                time.sleep(0.02)
            for target in (folder / "targets").iterdir():
                target.write_text(target.read_text().replace("between_boots = cycle", f"between_boots = {args.between}"))
            seen = drive(args, folder, state, env)
        finally:
            sim.send_signal(signal.SIGTERM)
            complaints = sim.communicate(timeout=60)[1]
    if complaints:
        print(complaints, file=sys.stderr, end="")
    seen.update(line.split() for line in (folder / "summary").read_text().splitlines())
    return seen, state


def pause(args, folder, process):
    """Stop the harness in the last pass of the report, and let it go on when all has been said."""
    console = folder / "sim000.console"
    while process.poll() is None and console.stat().st_size < 12000 + 1.2 * 75 * args.samples:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGSTOP)
    while process.poll() is None and not (folder / "record").read_text():
        time.sleep(0.01)
    time.sleep(args.pause)
    os.kill(process.pid, signal.SIGCONT)


def drive(args, folder, state, env):
    command = [args.harness, "run", "--tag", "sim", "--targets", folder / "targets", "--state", state,
               "--modes", "cluster", "--boots", str(args.boots), "--samples", str(args.samples), "-q"]
    begin = time.monotonic()
    with open(folder / "output", "w", encoding="utf-8") as out:
        with subprocess.Popen(command, stdout=out, stderr=out, env=env, stdin=subprocess.DEVNULL) as p:
            watch = Watch(p.pid)
            if args.pause:
                pause(args, folder, p)
            while True:
                watch.look()
                pid, status, usage = os.wait4(p.pid, os.WNOHANG)
                if pid:
                    p.returncode = os.waitstatus_to_exitcode(status)
                    break
                if time.monotonic() - begin > args.limit:
                    p.kill()
                time.sleep(0.2)
    wall = time.monotonic() - begin
    cpu = usage.ru_utime + usage.ru_stime
    return {"status": p.returncode, "wall_s": f"{wall:.1f}", "cpu_s": f"{cpu:.2f}",
            "cpu_share_percent": f"{100 * cpu / wall:.1f}", "rss_kib": max(watch.rss, usage.ru_maxrss),
            "files": watch.files, "watch": watch}


def compare(args, folder, state, seen):
    """The store against what the machines said."""
    said, ends = {}, {}
    for line in (folder / "record").read_text().splitlines():
        name, number, nonce, begin, end, wall, stalled, silent = line.split()
        said[nonce] = (name, int(number), int(begin), int(end), int(wall), int(stalled), int(silent))
        ends[name, int(number)] = int(end)
    db = sqlite3.connect(f"file:{state}/harness.db?mode=ro", uri=True)
    boots = db.execute("SELECT boot.id, nonce, outcome, stages, run.started_ns, run.short, number, console_len "
                       "FROM boot JOIN run ON run.id = run").fetchall()
    wrong = consoles = samples = 0
    late = stalled = silences = 0
    ok = [b for b in boots if b[2] == "ok" and b[1] in said]
    first, last = None, None
    for boot, nonce, _, stages, started, short, number, length in ok:
        name, count, begin, end, wall, held, silent = said[nonce]
        stored = db.execute("SELECT ns, tsc FROM sample WHERE boot = ? ORDER BY place", (boot,)).fetchall()
        wanted = [(ns, ns * KHZ // 1000000)
                  for ns in (sample_ns(int(name[3:]), count, i) for i in range(args.samples + 3))]
        samples += len(stored)
        wrong += sum(a != b for a, b in zip(stored, wanted)) + abs(len(stored) - len(wanted))
        stages = json.loads(stages)
        over = started + stages["probe"]["start"] + stages["probe"]["ns"]
        late = max(late, (over - wall) / 1e6)
        stalled = max(stalled, held)
        first = min(first or over, started + stages["hypervisor"]["start"])
        last = max(last or over, over)
        shown = subprocess.run([args.harness, "show", "--state", state, short, "--console", str(number)],
                               capture_output=True, check=False).stdout
        # What comes after a report is the next boot's where the console goes on.
        low = begin if args.between == "cycle" else ends.get((name, count - 1), 0)
        at = (folder / f"{name}.console").read_bytes().find(shown, low) if len(shown) == length else -1
        whole = at + length >= end
        if low <= at <= begin and not whole and silent > SILENT_MS:
            silences += 1
        else:
            consoles += not (low <= at <= begin and whole)
    gaps = db.execute("SELECT count(*) FROM event WHERE what = 'console'").fetchone()[0]
    retries = db.execute("SELECT count(*) FROM boot WHERE attempt > 0").fetchone()[0]
    db.close()
    clock = time.time() - time.monotonic()
    share = seen.pop("watch").share(first / 1e9 - clock, last / 1e9 - clock) if ok else 0
    seen["measure_cpu_share_percent"] = f"{share:.1f}"
    seen["together"] = seen.pop("peak")
    seen["sim_late_ms"] = seen.pop("behind_ms")
    seen.update({"machines": args.machines, "boots": args.machines * args.boots, "complete": len(ok), "samples": samples, "wrong": wrong,
                 "consoles_wrong": consoles, "silences": silences, "gaps": gaps, "retries": retries, "late_ms": f"{late:.0f}",
                 "stalled": stalled})


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("harness")
    parser.add_argument("sim")
    parser.add_argument("console")
    parser.add_argument("images")
    parser.add_argument("--machines", type=int, default=256)
    parser.add_argument("--boots", type=int, default=1)
    parser.add_argument("--samples", type=int, default=450, help="of a boot, beside 3 of the warm-up")
    parser.add_argument("--between", default="cycle", help="from boot to boot: cycle or restart")
    parser.add_argument("--pause", type=float, default=0, help="stop the harness for so many seconds")
    parser.add_argument("--limit", type=int, default=300, help="seconds")
    parser.add_argument("--keep", help="folder for what is written, kept")
    args = parser.parse_args()
    folder = pathlib.Path(args.keep or tempfile.mkdtemp(prefix="harness-load-"))
    folder.mkdir(exist_ok=True)
    try:
        seen, state = run(args, folder)
        compare(args, folder, state, seen)
    finally:
        if not args.keep:
            shutil.rmtree(folder)
    for key, value in seen.items():
        print(key, value)


main()
