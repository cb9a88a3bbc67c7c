#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Mail servers (aiosmtpd), one a mode, on ports of 127.0.0.1 that the kernel chooses, for one test.
#
# usage: smtp_peer.py DIR MODE...
#
# What a server does lies in DIR/MODE: each mail that it takes in N.eml, its envelope in N.json; the file
# "port" says that it listens.  Ends after 600 s.  MODE:
#   open          takes whatever comes
#   tls           nothing before STARTTLS, with the certificate DIR/cert and DIR/key
#   wrong         the same with DIR/other-cert and DIR/other-key
#   login         as tls, and nothing before a login as "lab" with the password in $PEER_PASSWORD
#   cut           goes away in the middle of the mail
#   cut-end       takes the whole mail, then goes away without a word
#   hang          takes the whole mail, makes the file "hanging", and says nothing
#   full          takes the whole mail, then says no
# Addresses that begin with "refused" are refused.  Should a process have $PEER_PASSWORD on its command
# line while a mail is there, DIR/MODE/seen has that line.
import asyncio
import json
import os
import pathlib
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

top = pathlib.Path(sys.argv[1])
password = os.environ["PEER_PASSWORD"].encode()


def look_at_processes(file):
    for process in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if password in process.read_bytes():
                file.write_bytes(process.read_bytes())
        except OSError:
            pass


class Handler:
    def __init__(self, mode):
        self.mode, self.folder, self.count = mode, top / mode, 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("refused"):
            return "550 5.1.1 nobody of that name here"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        look_at_processes(self.folder / "seen")
        if self.mode == "cut-end":
            server.transport.abort()
            await asyncio.sleep(3600)
        if self.mode == "hang":
            (self.folder / "hanging").touch()
            await asyncio.sleep(3600)
        if self.mode == "full":
            return "452 4.3.1 no room"
        self.count += 1
        name = self.folder / str(self.count)
        name.with_suffix(".eml").write_bytes(envelope.original_content)
        name.with_suffix(".json").write_text(json.dumps(
            {"from": envelope.mail_from, "to": envelope.rcpt_tos, "tls": session.ssl is not None}))
        return f"250 taken as {self.count}"


class Peer(SMTP):
    async def smtp_DATA(self, arg):
        if self.event_handler.mode != "cut":
            return await super().smtp_DATA(arg)
        await self.push("354 go on")
        await self._reader.readline()
        self.transport.abort()


def authenticator(server, session, envelope, mechanism, data):
    right = data.login == b"lab" and data.password == password
    return AuthResult(success=right, handled=False)


def make(handler):
    options = {"hostname": "peer.test", "data_size_limit": 1 << 30}
    if handler.mode in ("tls", "wrong", "login"):
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        other = "other-" if handler.mode == "wrong" else ""
        context.load_cert_chain(top / (other + "cert"), top / (other + "key"))
        options.update(tls_context=context, require_starttls=True)
    if handler.mode == "login":
        options.update(authenticator=authenticator, auth_required=True)
    return Peer(handler, **options)


async def listen(mode):
    handler = Handler(mode)
    handler.folder.mkdir()
    server = await asyncio.get_running_loop().create_server(lambda: make(handler), "127.0.0.1", 0)
    (handler.folder / "new").write_text(str(server.sockets[0].getsockname()[1]))
    (handler.folder / "new").rename(handler.folder / "port")
    return server


async def main():
    servers = [await listen(mode) for mode in sys.argv[2:]]
    await asyncio.sleep(600)
    del servers


asyncio.run(main())
