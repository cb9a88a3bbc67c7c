#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that boots as far as it is told to, and then hangs or does something else.

  machine_peer.py DIR URL MAC

It listens for power commands at DIR/power.sock (the reply's first line is an exit status), and for its console on a
TCP port of 127.0.0.1, whose number it writes to DIR/port.  What is typed is added to DIR/typed.

DIR/plan is read at each power-on; a line is a step:
  say TEXT          a line on the console
  file PATH         a file on the console
  script            fetch URL/ipxe?mac=MAC, as iPXE does
  load FILE...      fetch files that the script names
  part FILE         fetch half of a file, and keep the connection
  failed            tell the server that the image could not be loaded
  banner [TEXT]     the first lines of the hypervisor, started with the script's command line, or with TEXT
  report KEY=VALUE  of the probe; keys are those of Report below
  answer            from now on debug keys are answered
  hold, release     what is said between these two comes at once
  await REGEX       wait until the output of the program under test, DIR/../err, matches
  stay REGEX        go no further in a boot whose last line "boot I/N LABEL: STAGE" of that output matches
  slow REGEX NS     report timings longer by NS ns in such a boot; no two boots report the same from here on
  repeat N          the steps before this one N times in all
What it says before the first other step is there when power-on is acknowledged.  After the last step it stays as it is.  DIR/quirks is read at each power command; a line is a quirk:
  deaf VERB         nothing happens, and it says that all went well
  stuck VERB        it never replies
  chatter           while it is off, the console is not silent
"""
import os
import re
import selectors
import socket
import sys
import threading
import time
import urllib.request
import zlib

WHERE, URL, MAC = sys.argv[1:]
console_lock = threading.Lock()
clients = []


class Off(Exception):
    """The power went off in the middle of a boot."""


class Report:
    """What a probe prints; the arguments of its command line are the defaults."""

    def __init__(self, line, options):
        args = dict(w.split("=", 1) for w in line.split() if w.startswith("hp_"))
        self.nonce = options.get("nonce", args.get("hp_nonce", "0" * 32))
        self.samples = int(args.get("hp_samples", 3))
        self.warmup = int(args.get("hp_warmup", 0))
        self.iters = int(args.get("hp_iters", 50))
        self.repeat = int(args.get("hp_repeat", 2))
        self.ns = int(options.get("ns", 5000000))
        self.apic = options.get("apic", "x2apic_mixed")
        self.online = int(options.get("online", 8))
        self.begin = int(options.get("from", 0))  # the first line that is printed, of all passes
        self.end = int(options.get("to", 1000000))  # and the first that is not

    def one(self, seq, text):
        text = "HPP1 %s %d %s" % (self.nonce[:8], seq, text)
        return "(XEN) %s #%08x\r\n" % (text, zlib.crc32(text.encode()))

    def text(self):
        n = self.warmup + self.samples
        records = [
            "BEGIN nonce=%s probe=1.0 xen=4.17.5 build=- apic=%s online=%d present=%d sockets=1 khz=1000000 debug=0"
            " shorthand=0" % (self.nonce, self.apic, self.online, self.online),
            "WORK w=flush-all iters=%d samples=%d warmup=%d cpus=%d clusters=1"
            % (self.iters, self.samples, self.warmup, self.online - 1),
        ]
        for i in range(n):
            records.append("S w=flush-all i=%d ns=%d tsc=%d" % (i, self.ns + i, self.ns + i))
        records.append("END w=flush-all count=%d" % n)
        records.append("DONE records=%d repeat=%d" % (n + 4, self.repeat))
        lines = [self.one(seq, r) for _ in range(self.repeat) for seq, r in enumerate(records)]
        return "".join(lines[self.begin : self.end])


class Machine:
    def __init__(self):
        self.on = False
        self.boot = 0  # how often it was turned on or off
        self.answers = False
        self.script = ""
        self.kept = []  # connections that hang
        self.held = None  # what is not said yet
        self.slower = 0  # ns, what is reported

    def quirk(self, text):
        try:
            with open(WHERE + "/quirks") as f:
                return text in f.read().split("\n")
        except FileNotFoundError:
            return False

    def set(self, on):
        self.boot += 1
        self.on = on
        self.answers = False
        for c in self.kept:
            c.close()
        self.kept = []
        self.held = None
        self.slower = 0
        if on:
            begun = threading.Event()
            threading.Thread(target=self.run, args=(self.boot, begun), daemon=True).start()
            begun.wait(60)

    def power(self, verb):
        """The reply to a command, or None."""
        if self.quirk("stuck " + verb):
            return None
        if verb == "get":
            return "0\non\n" if self.on else "0\noff\n"
        if not self.quirk("deaf " + verb):
            if verb in ("off", "cycle", "reset"):
                self.set(False)
            if verb in ("on", "cycle", "reset"):
                self.set(True)
        return "0\n"

    def run(self, boot, begun):
        with open(WHERE + "/plan") as f:
            steps = [s.split(" ", 1) for s in f.read().split("\n") if s]
        try:
            first = next((i for i, s in enumerate(steps) if s[0] not in ("say", "file")), len(steps))
            self.steps(boot, steps[:first])
            begun.set()
            self.steps(boot, steps, first)
        except Off:
            pass
        except OSError as e:
            begun.set()
            # The server cut a fetch off: the boot is over for it.
            print("boot %d: %s" % (boot, e), file=sys.stderr)

    def steps(self, boot, steps, first=0):
        for i, (verb, *rest) in enumerate(steps):
            if i < first:
                continue
            if boot != self.boot:
                raise Off
            if verb == "repeat":
                for _ in range(int(rest[0]) - 1):
                    self.steps(boot, steps[:i])
            else:
                getattr(self, "do_" + verb)(*rest)

    def write(self, data):
        if self.held is not None:
            self.held += data
            return
        with console_lock:
            for c in clients:
                try:
                    c.sendall(data)
                except OSError:
                    pass

    def fetch(self, url):
        return urllib.request.urlopen(url, timeout=120)

    def do_say(self, text):
        self.write(text.encode() + b"\r\n")

    def do_file(self, path):
        with open(path, "rb") as f:
            self.write(f.read())

    def do_script(self):
        with self.fetch("%s/ipxe?mac=%s" % (URL, MAC)) as f:
            self.script = f.read().decode()

    def base(self):
        return re.search(r"^kernel .*?(http://\S+)/xen ", self.script, re.M).group(1)

    def line(self):
        return re.search(r"^kernel .*?/xen (.*) \|\| goto failed$", self.script, re.M).group(1)

    def do_load(self, names):
        for name in names.split():
            with self.fetch(self.base() + "/" + name) as f:
                while f.read(65536):
                    pass

    def do_part(self, name):
        f = self.fetch(self.base() + "/" + name)
        f.read(1000000)
        self.kept.append(f)

    def do_failed(self):
        self.fetch(self.base() + "/failed?errno=Exec%20format%20error").close()

    def do_banner(self, line=None):
        self.write(
            b"(XEN) Xen version 4.17.5 (x) (gcc 12.2.0) debug=n Mon Nov 30 00:00:00 UTC 2026\r\n"
            b"(XEN) Command line: " + (line or self.line()).encode() + b"\r\n(XEN) Brought up 8 CPUs\r\n"
        )

    def do_report(self, options=""):
        report = Report(self.line() if self.script else "", dict(o.split("=", 1) for o in options.split()))
        report.ns += self.slower
        self.write(report.text().encode())

    def do_hold(self):
        self.held = b""

    def do_release(self):
        data, self.held = self.held, None
        self.write(data)

    def do_await(self, regex):
        boot = self.boot
        for _ in range(6000):
            with open(WHERE + "/../err", "rb") as f:
                if re.search(regex.encode(), f.read(), re.M):
                    return
            if boot != self.boot:
                raise Off
            time.sleep(0.02)
        raise OSError("waited in vain for " + regex)

    def under_way(self, regex):
        with open(WHERE + "/../err", errors="replace") as f:
            stages = [line for line in f if re.search(r"boot \d+/\d+ [^:]+: [a-z-]+$", line)]
        return stages and re.search(regex, stages[-1])

    def do_stay(self, regex):
        if self.under_way(regex):
            raise Off

    def do_slow(self, options):
        regex, ns = options.rsplit(" ", 1)
        self.slower = self.boot * 100 + (int(ns) if self.under_way(regex) else 0)

    def do_answer(self):
        self.answers = True

    def typed(self, data):
        with open(WHERE + "/typed", "ab") as f:
            f.write(data)
        if self.answers and self.on and b"d" in data:
            self.write(
                b"(XEN) 'd' pressed -> dumping registers\r\n(XEN) \r\n(XEN) *** Dumping CPU0 host state: ***\r\n"
                b"(XEN) RIP:    e008:[<ffff82d04033e0fa>] flush_area_mask+0xca/0x120\r\n"
            )


def listen(server, handle):
    server.listen(8)
    poll.register(server, selectors.EVENT_READ, handle)


def accept_console(server):
    c, _ = server.accept()
    with console_lock:
        clients.append(c)
    poll.register(c, selectors.EVENT_READ, read_console)


def read_console(c):
    try:
        data = c.recv(4096)
    except OSError:
        data = b""
    if data:
        machine.typed(data)
        return
    with console_lock:
        clients.remove(c)
    poll.unregister(c)
    c.close()


def accept_power(server):
    c, _ = server.accept()
    poll.register(c, selectors.EVENT_READ, read_power)


def read_power(c):
    verb = c.recv(64).decode().strip()
    poll.unregister(c)
    reply = machine.power(verb) if verb else ""
    if reply is None:
        held.append(c)
        return
    try:
        c.sendall(reply.encode())
    except OSError:
        pass
    c.close()


machine = Machine()
held = []
poll = selectors.DefaultSelector()
power = socket.socket(socket.AF_UNIX)
power.bind(WHERE + "/power.sock")
listen(power, accept_power)
console = socket.socket()
console.bind(("127.0.0.1", 0))
listen(console, accept_console)
with open(WHERE + "/port.new", "w") as f:
    f.write(str(console.getsockname()[1]))
os.rename(WHERE + "/port.new", WHERE + "/port")
while True:
    for key, _ in poll.select(timeout=0.1):
        key.data(key.fileobj)
    if not machine.on and machine.quirk("chatter"):
        machine.write(b"still here\r\n")
        time.sleep(0.01)
