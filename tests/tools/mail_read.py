#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read a mail as Python's email package does, and say what is wrong with it.

usage: mail_read.py MAIL ORIGINAL TEXT JSON

TEXT and JSON are the files that the report must equal.  Prints a line for each fault.
"""
import email
import email.policy
import json
import sys

mail, original, text, report = (open(name, "rb").read() for name in sys.argv[1:5])
policy = email.policy.default.clone(raise_on_defect=False)
m = email.message_from_bytes(mail, policy=policy)
o = email.message_from_bytes(original, policy=policy)


def hold(true, what):
    if not true:
        print(what)


def addresses(message, *names):
    return [a.addr_spec for n in names for a in (message[n].addresses if message[n] else ())]


for part in m.walk():
    hold(not part.defects, f"defects: {part.defects}")
    for name in part.keys():
        hold(not part[name].defects, f"{name}: {part[name].defects}")
        hold(len(part.get_all(name)) == 1, f"{name} twice")
hold(m["In-Reply-To"] == o["Message-ID"], "In-Reply-To")
hold(m["References"].split()[-1] == o["Message-ID"], "References")
hold(m["References"].split()[:-1] == (o["References"] or "").split(), "References before it")
hold(addresses(m, "To") == addresses(o, "From"), f"To: {m['To']}")
hold(addresses(m, "Cc") == [a for a in addresses(o, "To", "Cc")], f"Cc: {m['Cc']}")
hold(m["Subject"] == "Re: " + o["Subject"], f"Subject: {m['Subject']}")
hold(m["Date"].datetime is not None and m["Date"].datetime.tzinfo is not None, "Date")
hold([p.get_content_type() for p in m.walk()] ==
     ["multipart/mixed", "text/plain", "application/json"], "parts")
body, attached = m.iter_parts()
lines = body.get_content().replace("\r\n", "\n")
hold(lines.endswith("\n\n" + text.decode()), "the text is not the report")
hold(all(len(line) <= 72 for line in lines.splitlines()), "a line is wider than 72")
hold(attached.get_content() == report, "the attachment is not the report")
hold(json.loads(attached.get_content()), "the attachment is no JSON")
hold(attached.get_filename().endswith(".json"), "no name of a file")
hold(all(len(line) <= 998 for line in mail.splitlines()), "a line is longer than 998")
hold(b"<html" not in mail.lower(), "HTML")
