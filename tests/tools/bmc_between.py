#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""ipmi_sim with somebody in between, on the network and on the serial line; started in its place by the lab.

  bmc_between.py IPMI_SIM CHASSIS FOLDER -c lan.conf …

IPMI_SIM runs with a copy of lan.conf in which the BMC has another port, and the serial line and the chassis program
(`CHASSIS FOLDER`) are ours.  FOLDER/rules, read when it changes, says what goes wrong; one rule a line, numbers with
0x.  Packets are looked into as far as they are not encrypted: that takes cipher suite 1.

  answer NETFN CMD CODE [N]    the first N (all) answers to this command have this completion code
  drop NETFN CMD [N]           they are lost instead
  keep-flags [MASK]            a BMC that keeps the boot flags as it was told (ipmi_sim forgets all but the device)
  fade N                       and takes back "valid" after the N-th answer that has them
  hole PLACE                   at this place of the serial line the SOL session vanishes: nothing passes it any more
  hold PLACE                   from this place on the serial line is held, until FOLDER/release is there
  lose PLACE N                 N bytes after this place are lost
  repeat PLACE N               N bytes after this place come twice

PLACE is PASS:RECORD of the first probe report (its marker stands just before the place), "power-on" or "banner" (the
first byte, the first whole line after a rule came).  What the machine really sent is appended to FOLDER/serial, and
each use of answer and drop to FOLDER/hits.
"""
import os
import re
import selectors
import signal
import socket
import subprocess
import sys

SIM, CHASSIS, FOLDER = sys.argv[1:4]
RECORD = re.compile(rb"HPP1 [0-9a-f]{8} (\d+) ")
RMCP_PLUS, SOL = 6, 1


class Rules:
    def __init__(self):
        self.stamp, self.list = None, []

    def look(self):
        try:
            st = os.stat(FOLDER + "/rules")
            stamp = (st.st_mtime_ns, st.st_ino)
        except FileNotFoundError:
            stamp = None
        if stamp == self.stamp:
            return
        self.stamp = stamp
        self.list = []
        if stamp:
            with open(FOLDER + "/rules") as f:
                self.list = [one.split() for one in f.read().splitlines() if one.strip()]
        serial.place = (0, -1)
        serial.begun = False

    def count(self, verb, netfn, cmd, at):
        """The first rule of this kind for this command that is not used up; at: where its count stands."""
        for r in self.list:
            if r[0] != verb or int(r[1], 0) != netfn or int(r[2], 0) != cmd:
                continue
            if len(r) > at and int(r[at]) == 0:
                continue
            if len(r) > at:
                r[at] = str(int(r[at]) - 1)
            with open(FOLDER + "/hits", "a") as f:
                f.write("%s %d %#x\n" % (verb, netfn, cmd))
            return r
        return None

    def first(self, verb):
        return next((r for r in self.list if r[0] == verb), [])

    def place(self, verb, name):
        for r in self.list:
            if r[0] == verb and r[1] == name:
                self.list.remove(r)
                return r
        return None


class Flow:
    """One client of the BMC."""

    def __init__(self, client):
        self.client, self.gone = client, False
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.connect(("127.0.0.2", port))
        self.sock.setblocking(False)
        poll.register(self.sock, selectors.EVENT_READ, self.answer)

    def request(self, p):
        m = message(p)
        if m and m[0] == 0 and m[1] == 8 and p[m[2]] & 0x7F == 5:
            keep = rules.first("keep-flags")
            Flow.flags = p[m[2] + 1] & (int(keep[1], 0) if len(keep) > 1 else 0xFF)
        try:
            if not self.gone:
                self.sock.send(p)
        except ConnectionRefusedError:
            pass  # it is just coming up

    def answer(self):
        global sol
        try:
            p = bytearray(self.sock.recv(4096))
        except (ConnectionRefusedError, BlockingIOError):
            return
        if self.gone:
            return
        if len(p) > 16 and p[4] == RMCP_PLUS and p[5] & 0x3F == SOL:
            sol = self
        m = message(p)
        if m and m[0] & 1:
            netfn, cmd, at = m[0] - 1, m[1], m[2]
            if rules.count("drop", netfn, cmd, 3):
                return
            r = rules.count("answer", netfn, cmd, 4)
            if r:
                p[at] = int(r[3], 0)
                mend(p)
            if netfn == 0 and cmd == 9 and p[at + 2] & 0x7F == 5 and rules.first("keep-flags"):
                p[at + 3] = Flow.flags
                fade = rules.first("fade")
                if fade:
                    fade[1] = str(int(fade[1]) - 1)
                    if fade[1] == "0":
                        Flow.flags &= 0x7F
                        rules.list.remove(fade)
                mend(p)
        udp.sendto(p, self.client)

    flags = 0


def message(p):
    """(netfn, command, offset of what follows it) of an IPMI message that is not encrypted; or None."""
    if len(p) < 24 or p[0] != 6 or p[3] != 7 or p[4] != RMCP_PLUS or p[5] & 0xBF:
        return None
    return p[17] >> 2, p[21], 22


def mend(p):
    """The second checksum."""
    end = 16 + p[14] + (p[15] << 8)
    p[end - 1] = -sum(p[19:end - 1]) & 0xFF


class Serial:
    """From the machine to the BMC and back."""

    def __init__(self):
        self.lab, self.bmc, self.rest, self.kept = None, None, b"", b""
        self.place, self.begun, self.holding, self.lose, self.twice = (0, -1), False, False, 0, 0

    def connect(self):
        if self.bmc:
            poll.unregister(self.bmc)
            self.bmc.close()
        self.bmc, _ = listener.accept()
        self.bmc.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        poll.register(self.bmc, selectors.EVENT_READ, self.typed)
        if not self.lab:
            self.lab = socket.create_connection(("127.0.0.1", lab_port))
            self.lab.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            poll.register(self.lab, selectors.EVENT_READ, self.heard)

    def typed(self):
        data = self.bmc.recv(65536)
        if data:
            self.lab.sendall(data)
        else:
            poll.unregister(self.bmc)
            self.bmc.close()
            self.bmc = None

    def heard(self):
        data = self.lab.recv(65536)
        if not data:
            sys.exit(0)
        with open(FOLDER + "/serial", "ab") as f:
            f.write(data)
        if not self.begun:
            self.begun = True
            self.at("power-on")
        self.rest += data
        *lines, self.rest = self.rest.split(b"\n")
        for line in lines:
            self.take(line + b"\n")
        # Only the begin of a record must be whole.
        if b"HPP1" not in self.rest and len(self.rest) > 5:
            self.send(self.rest[:-5])
            self.rest = self.rest[-5:]

    def take(self, line):
        m = RECORD.search(line)
        if not m:
            self.send(line)
            self.at("banner")
            return
        n = int(m.group(1))
        self.place = (self.place[0] + (n <= self.place[1] or not self.place[0]), n)
        self.send(line[:m.start()])
        self.at("%d:%d" % self.place)
        self.send(line[m.start():])

    def at(self, place):
        global sol
        if rules.place("hole", place) and sol:
            sol.gone = True
            sol = None
        if rules.place("hold", place):
            self.holding = True
        r = rules.place("lose", place)
        if r:
            self.lose = int(r[2])
        r = rules.place("repeat", place)
        if r:
            self.twice = int(r[2])

    def send(self, data):
        lost = min(self.lose, len(data))
        self.lose -= lost
        data = data[lost:]
        twice = min(self.twice, len(data))
        self.twice -= twice
        data = data[:twice] + data
        self.kept += data
        self.flush()

    def flush(self):
        if self.holding and os.path.exists(FOLDER + "/release"):
            self.holding = False
        if self.bmc and not self.holding and self.kept:
            self.bmc.sendall(self.kept)
            self.kept = b""


def from_client():
    data, client = udp.recvfrom(4096)
    if client not in flows:
        flows[client] = Flow(client)
    flows[client].request(data)


args = sys.argv[4:]
conf = args[args.index("-c") + 1]
with open(conf) as f:
    text = f.read()
port = int(re.search(r"addr 127\.0\.0\.1 (\d+)", text).group(1))
lab_port = int(re.search(r'sol "tcp:127\.0\.0\.1:(\d+)"', text).group(1))
# Its answer to "sol activate" names the port, so it is the same one elsewhere.
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", port))
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(2)
text = text.replace("addr 127.0.0.1 ", "addr 127.0.0.2 ")
text = text.replace('tcp:127.0.0.1:%d"' % lab_port, 'tcp:127.0.0.1:%d"' % listener.getsockname()[1])
text = re.sub(r'chassis_control "[^"]*"', 'chassis_control "%s %s"' % (CHASSIS, FOLDER), text)
args[args.index("-c") + 1] = conf + ".between"
with os.fdopen(os.open(conf + ".between", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
    f.write(text)
sim = subprocess.Popen([SIM] + args)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
poll = selectors.DefaultSelector()
flows, sol = {}, None
serial, rules = Serial(), Rules()
poll.register(udp, selectors.EVENT_READ, from_client)
poll.register(listener, selectors.EVENT_READ, serial.connect)
try:
    while sim.poll() is None:
        ready = poll.select(timeout=0.1)
        rules.look()
        for key, _ in ready:
            key.data()
        serial.flush()
finally:
    sim.kill()
    sim.wait()
    os.unlink(conf + ".between")
