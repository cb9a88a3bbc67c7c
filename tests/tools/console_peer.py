#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A console server, or a machine at the end of a serial line, that behaves as its argument says.

  console_peer.py KIND FILE     TCP on 127.0.0.1; the port's number is written to FILE
      hang-up     says "Port already in use" and closes at once
      slam        the same, and resets the connection
      later       says "hello" after the client's first second, then closes
      reset       the same, and resets the connection
      silent      takes what comes and says nothing
      full        has no room in its queue: a SYN gets no answer
      speed       telnet with RFC 2217, and answers 9600 baud whatever was asked
      deaf        the same, and never answers a setting
  console_peer.py echo DEVICE   types back on a serial device what it reads
"""
import os
import socket
import struct
import sys
import time
import tty

AGREED = bytes.fromhex("fffd00fffb00fffd03fffb03fffd2c")


def publish(server, file):
    with open(file + ".tmp", "w") as f:
        f.write(str(server.getsockname()[1]))
    os.rename(file + ".tmp", file)


def serve(kind, c):
    if kind in ("hang-up", "slam"):
        c.sendall(b"Port already in use\r\n")
    elif kind in ("later", "reset"):
        time.sleep(1)
        c.sendall(b"hello\r\n")
        time.sleep(0.2)
    elif kind in ("speed", "deaf"):
        c.sendall(AGREED)
        if kind == "speed":
            c.sendall(bytes.fromhex("fffa2c6500002580fff0"))
        while c.recv(4096):
            pass
    else:
        while c.recv(4096):
            pass
    if kind in ("slam", "reset"):
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    c.close()


def main():
    kind, where = sys.argv[1:]
    if kind == "echo":
        fd = os.open(where, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(fd)
        print("ready", flush=True)
        while True:
            os.write(fd, os.read(fd, 4096))
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    if kind == "full":
        s.listen(0)
        ours = []
        for _ in range(4):
            c = socket.socket()
            c.setblocking(False)
            c.connect_ex(s.getsockname())
            ours.append(c)
        time.sleep(0.2)
        publish(s, where)
        time.sleep(120)
    s.listen(4)
    s.settimeout(120)
    publish(s, where)
    while True:
        try:
            serve(kind, s.accept()[0])
        except ConnectionError:
            pass


try:
    main()
except (TimeoutError, KeyboardInterrupt):
    pass
