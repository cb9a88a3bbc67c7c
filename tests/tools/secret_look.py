#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where is a secret to be seen?

secret_look.py execs FILE TRACE   each program that `strace -f -v -s 65536 -e trace=execve` saw being started
                                  with the secret, a line "argv NAME" or "env NAME VARIABLE", each once
secret_look.py memory FILE PID    each piece of what a core dump of the process would hold that has it: the
                                  name of the mapping; also "environ".  The address sanitizer's own copy of
                                  the environment does not count

FILE holds the secret.
"""
import re
import sys


def unescape(text):
    return re.sub(r'\\([0-7]{1,3}|x[0-9a-f]{2}|.)', lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def execs(secret, trace):
    string = r'"(?:[^"\\]|\\.)*"'
    call = re.compile(r'execve\((%s), \[(.*?)\], \[(.*)\]\)? ' % string)
    seen = []
    calls = 0
    for line in open(trace, errors="replace"):
        if "execve(" not in line:
            continue
        m = call.search(line + " ")
        if not m or "..." in line.replace('"...', "").split("execve(")[0]:
            print("unread", line.strip()[:300])
            continue
        calls += 1
        argv = [unescape(s[1:-1]) for s in re.findall(string, m[2])]
        env = [unescape(s[1:-1]) for s in re.findall(string, m[3])]
        # What setpriv starts with the same environment is who it is for.
        name = argv[argv.index("--") + 1] if argv and argv[0] == "setpriv" and "--" in argv else argv[0] if argv else "?"
        name = name.split("/")[-1]
        if any(secret in a for a in argv):
            seen.append("argv " + name)
        seen += ["env %s %s" % (name, v.split("=")[0]) for v in env if secret in v]
    for line in sorted(set(seen)):
        print(line)
    print("calls" if calls else "no calls")


def memory(secret, pid):
    needle = secret.encode()
    if needle in open("/proc/%s/environ" % pid, "rb").read():
        print("environ")
    maps = []
    for line in open("/proc/%s/smaps" % pid):
        m = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ (\d+) *(.*)", line)
        if m:
            maps.append([int(m[1], 16), int(m[2], 16), m[3], m[5].strip() or "anonymous", ""])
        elif line.startswith("VmFlags:"):
            maps[-1][4] = line
    sanitized = any("libasan" in m[3] for m in maps)
    with open("/proc/%s/mem" % pid, "rb", 0) as mem:
        for start, end, mode, name, flags in maps:
            # The kernel leaves out what was given MADV_DONTDUMP.
            if "w" not in mode or " dd" in flags or name.startswith("[v"):
                continue
            while start < end:
                n = min(end - start, 1 << 24)
                try:
                    mem.seek(start)
                    data = mem.read(n)
                    if sanitized:
                        data = data.replace(b"HARNESS_TEST_WORD=" + needle, b"")
                    if needle in data:
                        print(name)
                        break
                except OSError:
                    pass
                start += n
    print("looked")


if __name__ == "__main__":
    with open(sys.argv[2]) as f:
        word = f.read().strip()
    {"execs": execs, "memory": memory}[sys.argv[1]](word, sys.argv[3])
