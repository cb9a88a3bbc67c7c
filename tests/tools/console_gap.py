#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A console server that drops its client in the middle of a probe report.

  console_gap.py LAB-PORT FILE CUT RESUME

Passes the serial line at 127.0.0.1:LAB-PORT on to one client at a time; the port for the client is written to FILE.
CUT and RESUME are PASS:RECORD of the report: from the first on what comes is lost and clients are hung up on, from
the second on it is kept for the client that comes.  RESUME "never": clients are refused for good.
Only the first report is treated so.
"""
import os
import re
import selectors
import socket
import sys

RECORD = re.compile(rb"HPP1 [0-9a-f]{8} (\d+) ")


def place(text):
    return tuple(int(n) for n in text.split(":")) if text != "never" else (99, 0)


cut, resume = place(sys.argv[3]), place(sys.argv[4])
lab = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen(4)
with open(sys.argv[2] + ".tmp", "w") as f:
    f.write(str(server.getsockname()[1]))
os.rename(sys.argv[2] + ".tmp", sys.argv[2])

poll = selectors.DefaultSelector()
poll.register(lab, selectors.EVENT_READ)
poll.register(server, selectors.EVENT_READ)
client, away, over, was, kept, rest = None, False, False, (0, -1), b"", b""


def drop():
    global client
    if client:
        poll.unregister(client)
        client.close()
    client = None


def take(line):
    """One line of the machine, with its end."""
    global away, over, was, kept
    m = RECORD.search(line)
    if m and not over:
        n = int(m.group(1))
        was = (was[0] + (n <= was[1] or was[0] == 0), n)
        if not away and was >= cut:
            away = True
            # The line is cut in two.
            send(line[: len(line) // 2])
            drop()
            return
        if away and was >= resume:
            away, over = False, True
    if not away:
        send(line)


def send(data):
    global kept
    if client:
        client.sendall(data)
    elif over:
        kept += data


while True:
    for key, _ in poll.select(timeout=120):
        if key.fileobj is server:
            c, _ = server.accept()
            if away:
                c.close()
                continue
            drop()
            client = c
            poll.register(c, selectors.EVENT_READ)
            client.sendall(kept)
            kept = b""
        elif key.fileobj is lab:
            data = lab.recv(65536)
            if not data:
                sys.exit(0)
            rest += data
            *lines, rest = rest.split(b"\n")
            for one in lines:
                take(one + b"\n")
        elif key.fileobj is client:
            data = client.recv(65536)
            if data:
                lab.sendall(data)
            else:
                drop()
