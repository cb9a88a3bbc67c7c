#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Do to the mails of an mbox what mailers and archives do.

damage.py WAY… <mbox >mbox: each WAY is applied in turn.
"""
import base64
import quopri
import re
import sys

WIDTH = 72


def mails(data):
    parts = re.split(rb'(?m)^(?=From \S+ \w{3} \w{3} +\d+ [\d:]+ \d{4}$)', data)
    return [p for p in parts if p.strip()]


def head_body(mail):
    head, _, body = mail.partition(b'\n\n')
    return head, body


def without(head, names):
    pattern = rb'(?mi)^(%s):.*\n(?:[ \t].*\n)*' % b'|'.join(names)
    return re.sub(pattern, b'', head + b'\n').rstrip(b'\n')


def encoded(mail, name, encode):
    head, body = head_body(mail)
    head = without(head, [b'Content-Type', b'Content-Transfer-Encoding', b'MIME-Version'])
    head += b'\nMIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8'
    return head + b'\nContent-Transfer-Encoding: ' + name + b'\n\n' + encode(body) + b'\n'


def qp(body):
    # A CR of a file is no end of a line.
    return quopri.encodestring(body.replace(b'\r', b'\x01')).replace(b'=01', b'=0D')


def wrapped(line, way):
    out = []
    while len(line) > WIDTH:
        if way == 'hard':
            at, skip = WIDTH, 0
        else:
            at = line.rfind(b' ', 1, WIDTH)
            # Not within the blanks that the line begins with.
            if not line[1:at].strip():
                break
            at, skip = (at + 1, 0) if way == 'kept' else (at, 1)
        out.append(line[:at])
        line = line[at + skip:]
    return out + [line]


def wrap(mail, way):
    head, body = head_body(mail)
    at = body.find(b'\ndiff --git')
    lines = body[at:].split(b'\n')
    lines = [w for line in lines for w in wrapped(line, way)]
    return head + b'\n\n' + body[:at] + b'\n'.join(lines)


def multipart(mail, kind):
    head, body = head_body(mail)
    head = without(head, [b'Content-Type', b'Content-Transfer-Encoding', b'MIME-Version'])
    words, _, patch = body.partition(b'\n---\n')
    plain = b'Content-Type: text/plain; charset="utf-8"\n'
    if kind == 'attached':
        parts = [plain + b'\n' + words + b'\n---\n',
                 b'Content-Type: text/x-patch; name="x.patch"\nContent-Transfer-Encoding: base64\n'
                 b'Content-Disposition: attachment; filename="x.patch"\n\n' +
                 base64.encodebytes(patch)]
        kind = 'mixed'
    else:
        html = b'Content-Type: text/html\n\n<pre>diff --git a/x b/x</pre>\n'
        parts = [plain + b'\n' + body, html]
    head += b'\nMIME-Version: 1.0\nContent-Type: multipart/' + kind.encode()
    head += b';\n boundary="=_part_1"\n\nnot for MIME readers\n'
    return head + b''.join(b'\n--=_part_1\n' + p for p in parts) + b'\n--=_part_1--\n'


def headerless(mail):
    """A page of an archive that was saved: the words and the patch, no fields."""
    return head_body(mail)[1]


def masked(mail):
    def mask(m):
        return b'From: ' + m.group(2).replace(b'@', b' at ') + b' (' + m.group(1) + b')'
    return re.sub(rb'(?m)^From: (?:=\?UTF-8\?q\?)?([A-Za-z ]+).*<(.*)>$', mask, mail, count=1)


def mboxrd(mail):
    head, body = head_body(mail)
    return head + b'\n\n' + re.sub(rb'(?m)^(>*From )', rb'>\1', body)


def tabs(mail, tabless):
    head, body = head_body(mail)
    at = body.find(b'\ndiff --git')
    if tabless == 'line':
        patch = body[at:].expandtabs(8)
    else:
        patch = b'\n'.join(line[:1] + line[1:].expandtabs(8) for line in body[at:].split(b'\n'))
    return head + b'\n\n' + body[:at] + patch


WAYS = {
    'qp': lambda m: encoded(m, b'quoted-printable', qp),
    'base64': lambda m: encoded(m, b'base64', base64.encodebytes),
    'base64-crlf': lambda m: encoded(m, b'base64',
                                     lambda b: base64.encodebytes(b.replace(b'\n', b'\r\n'))),
    'crlf': lambda m: m.replace(b'\n', b'\r\n'),
    'kept': lambda m: wrap(m, 'kept'),
    'dropped': lambda m: wrap(m, 'dropped'),
    'hard': lambda m: wrap(m, 'hard'),
    'attached': lambda m: multipart(m, 'attached'),
    'alternative': lambda m: multipart(m, 'alternative'),
    'headerless': headerless,
    'noheaders': lambda m: re.sub(rb'(?m)^From .*\n', b'', without(
        head_body(m)[0], [b'From', b'Subject', b'Date']), count=1) + b'\n\n' + head_body(m)[1],
    'masked': masked,
    'mboxrd': mboxrd,
    'tabs-line': lambda m: tabs(m, 'line'),
    'tabs-text': lambda m: tabs(m, 'text'),
    'unsigned': lambda m: re.sub(rb'\n-- \n[0-9.]+\n\n$', b'', m) + b'\n\n',
    'nofrom': lambda m: re.sub(rb'^From .*\n', b'', m, count=1),
    'trailer': lambda m: m + b'\n_______________\nlist mailing list\nhttps://list.example/\n\n',
    'stripped': lambda m: re.sub(rb'(?m)[ \t]+$', b'', m.replace(b'\n-- \n', b'\n--\n')),
}

data = sys.stdin.buffer.read()
for way in sys.argv[1:]:
    if way == 'reversed':
        data = b''.join(reversed(mails(data)))
    elif way == 'cut':
        data = data.rstrip(b'\n')
    else:
        data = b''.join(WAYS[way](m) for m in mails(data))
sys.stdout.buffer.write(data)
