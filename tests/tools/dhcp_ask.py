#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask DHCP for what each kind of firmware would ask for, and print what it is told to boot.

dhcp_ask.py INTERFACE KNOWN-MAC OTHER-MAC    a line an answer: machine, kind, address, server, file
dhcp_ask.py --service ADDRESS SERVER MAC ARCH   the second step of proxyDHCP, from ADDRESS

A server answers in the order of the requests.  So "nothing" is certain without waiting for it: each
request is followed by one of KNOWN-MAC that is answered, and what has not come by then does not come.
"""
import os
import socket
import struct
import sys
import time

DEADLINE = 60.0
AGAIN = 3.0
BINDTODEVICE = 25


def opt(code, value):
    return bytes([code, len(value)]) + value


def pxe(arch, client="PXEClient"):
    return opt(60, b"%s:Arch:%05d:UNDI:002001" % (client.encode(), arch)) + opt(93, struct.pack("!H", arch)) + \
        opt(94, b"\x01\x02\x01") + opt(97, b"\x00" + b"U" * 16)


IPXE = opt(175, b"\x13\x01\x01") + opt(77, b"iPXE")
KINDS = [("bios", pxe(0)), ("uefi7", pxe(7)), ("uefi9", pxe(9)), ("http16", pxe(16, "HTTPClient")),
         ("ipxe-bios", pxe(0) + IPXE), ("ipxe-uefi", pxe(7) + IPXE), ("system", b"")]


def request(mac, options, kind=1, ciaddr="0.0.0.0"):
    xid = os.urandom(4)
    head = struct.pack("!BBBB4sHH4s4s4s4s16s64s128s", 1, 1, 6, 0, xid, 0, 0x8000 if ciaddr == "0.0.0.0" else 0,
                       socket.inet_aton(ciaddr), bytes(4), bytes(4), bytes(4),
                       bytes.fromhex(mac.replace(":", "")), b"", b"")
    return xid, head + b"\x63\x82\x53\x63" + opt(53, bytes([kind])) + \
        opt(55, bytes([1, 3, 43, 54, 60, 66, 67, 97])) + options + b"\xff"


def told(reply):
    """Address, server and file of a reply; "-" for what it does not say."""
    options, i = {}, 240
    while i + 1 < len(reply) and reply[i] != 255:
        if reply[i]:
            options[reply[i]] = reply[i + 2:i + 2 + reply[i + 1]]
            i += 1 + reply[i + 1]
        i += 1
    file = options.get(67, b"").rstrip(b"\0") or reply[108:236].split(b"\0")[0]
    address, server = socket.inet_ntoa(reply[16:20]), socket.inet_ntoa(reply[20:24])
    return "%s %s %s" % ("address" if address != "0.0.0.0" else "-", server if file else "-", file.decode() or "-")


class Asker:
    def __init__(self, device=None, address="", port=68):
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if device:
            self.sock.setsockopt(socket.SOL_SOCKET, BINDTODEVICE, device.encode())
        self.sock.bind((address, port))
        self.end = time.monotonic() + DEADLINE

    def ask(self, packets, last, to):
        """Send the packets in order until the one whose id is last is answered."""
        replies, again = {}, 0.0
        while last not in replies:
            now = time.monotonic()
            if now >= self.end:
                sys.exit("no answer within %d s" % DEADLINE)
            if now >= again:
                for packet in packets:
                    self.sock.sendto(packet, to)
                again = now + AGAIN
            self.sock.settimeout(min(again, self.end) - now + 0.001)
            try:
                reply = self.sock.recv(2048)
            except socket.timeout:
                continue
            if len(reply) > 240 and reply[0] == 2:
                replies[reply[4:8]] = told(reply)
        return replies


def main():
    if sys.argv[1] == "--service":
        address, server, mac, arch = sys.argv[2:]
        # The boot server (type 0x8000) that the menu of the offer names.
        xid, packet = request(mac, pxe(int(arch)) + opt(43, opt(71, b"\x80\x00\x00\x00")), 3, address)
        print(Asker(address=address).ask([packet], xid, (server, 4011))[xid])
        return
    device, known, other = sys.argv[1:]
    asker = Asker(device)
    # From here on the server listens.
    last, sentinel = request(known, pxe(0) + IPXE)
    asker.ask([sentinel], last, ("255.255.255.255", 67))
    for mac in (known, other):
        for kind, options in KINDS:
            xid, packet = request(mac, options)
            last, sentinel = request(known, pxe(0) + IPXE)
            replies = asker.ask([packet, sentinel], last, ("255.255.255.255", 67))
            print("%s %s %s" % ("ours" if mac == known else "other", kind, replies.get(xid, "nothing")), flush=True)


main()
