#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Redfish service that misbehaves on purpose.

redfish_peer.py DIR [PASSWORD]

Makes a certificate for 127.0.0.1 in DIR (cert.pem, pin), listens on a port of 127.0.0.1 that the kernel
chooses (DIR/port), writes each request to DIR/log, the number of open sessions to DIR/sessions and the last
one's token to DIR/token.  User
"harness", password "sesame" unless given.  Ends after 600 s.  POST /begin with FAULT[=N] words begins anew with these
faults, N times each where N says so:

  login-401     the password is wrong       expire=N      a session ends after N requests
  busy=N        503, the first N logins     forbidden     403 to every change
  412=N         N changes meet another      428           a change needs If-Match: *
  moved=N       after N readings the system is elsewhere
  settings      changes go to another resource
  forget=N      N overrides are forgotten   legacy=N      N overrides become legacy
  no-pxe  no-mode  several  refuse-reset  stuck (power does not follow)
  garbage  array  slow  huge  cut           what the system's resource answers
  redirect      to another address          evil-link     the system's link names another host
  slow-login    the answer to a login takes 150 ms
"""
import base64
import hashlib
import http.server
import json
import os
import ssl
import subprocess
import sys
import threading
import time

folder = sys.argv[1]
password = sys.argv[2] if len(sys.argv) > 2 else "sesame"
faults = {}
state = {}
lock = threading.RLock()
RESETS = {"On": "On", "ForceOff": "Off", "ForceRestart": "On", "PowerCycle": "On"}


def begin(words):
    faults.clear()
    for word in words:
        name, _, n = word.partition("=")
        faults[name] = int(n or 1 << 30)
    state.update({"power": "Off", "etag": 1, "readings": 0, "sessions": {}, "next": 1,
                  "boot": {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideTarget": "None"}})
    if "no-mode" not in faults:
        state["boot"]["BootSourceOverrideMode"] = "Legacy"
    keep("sessions", "0")
    keep("log", "")


def happens(name):
    """True, and once less often from now on."""
    if faults.get(name, 0) <= 0:
        return False
    faults[name] -= 1
    return True


def keep(name, text):
    with open(f"{folder}/{name}.new", "w", encoding="ascii") as f:
        f.write(text)
    os.rename(f"{folder}/{name}.new", f"{folder}/{name}")


def system_path():
    moved = "moved" in faults and state["readings"] >= faults["moved"]
    return "/redfish/v1/Systems/" + ("Moved" if moved else "1")


def boot():
    b = dict(state["boot"])
    b["BootSourceOverrideTarget@Redfish.AllowableValues"] = ["None", "Hdd"] + \
        ([] if "no-pxe" in faults else ["Pxe"])
    return b


def system(path):
    reset = {"target": path + "/Actions/ComputerSystem.Reset",
             "ResetType@Redfish.AllowableValues": list(RESETS)}
    s = {"@odata.id": path, "PowerState": state["power"], "Actions": {"#ComputerSystem.Reset": reset}}
    if "settings" in faults:
        s["@Redfish.Settings"] = {"SettingsObject": {"@odata.id": path + "/Settings"}}
        s["Boot"] = {"BootSourceOverrideEnabled": "Disabled", "BootSourceOverrideMode": "UEFI"}
    else:
        s["Boot"] = boot()
    return s


class Peer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, o=None, headers=(), raw=None):
        text = raw if raw is not None else (json.dumps(o) if o is not None else "").encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def error(self, status, text, headers=()):
        self.answer(status, {"error": {"@Message.ExtendedInfo": [{"Message": text}]}}, headers)

    def allowed(self):
        basic = "Basic " + base64.b64encode(b"harness:" + password.encode()).decode()
        token = self.headers.get("X-Auth-Token")
        if self.headers.get("Authorization") == basic and "login-401" not in faults:
            return True
        if token not in state["sessions"]:
            return False
        state["sessions"][token] += 1
        if "expire" in faults and state["sessions"][token] > faults["expire"]:
            del state["sessions"][token]
            keep("sessions", str(len(state["sessions"])))
            return False
        return True

    def handle_one(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with lock:
            if self.path == "/begin":
                begin(body.decode().split())
                self.answer(204)
                return
            with open(f"{folder}/log", "a", encoding="ascii") as f:
                f.write(f"{self.command} {self.path} {self.headers.get('If-Match', '')} "
                        f"{body.decode() if b'Password' not in body else ''}".strip() + "\n")
            self.route(json.loads(body) if body else {})

    do_GET = do_POST = do_PATCH = do_DELETE = handle_one

    def route(self, body):
        path = self.path
        if path == "/redfish/v1/":
            if "redirect" in faults:
                self.answer(308, headers=[("Location", "https://other.invalid/redfish/v1/")])
                return
            self.answer(200, {"Systems": {"@odata.id": "/redfish/v1/Systems"},
                              "Links": {"Sessions": {"@odata.id": "/redfish/v1/SessionService/Sessions"}}})
        elif path == "/redfish/v1/SessionService/Sessions" and self.command == "POST":
            self.login(body)
        elif not self.allowed():
            self.error(401, "no valid session")
        elif path.startswith("/redfish/v1/SessionService/Sessions/") and self.command == "DELETE":
            del state["sessions"][path.rpartition("/")[2]]
            keep("sessions", str(len(state["sessions"])))
            self.answer(204)
        elif path == "/redfish/v1/Systems":
            link = "https://other.invalid/x" if "evil-link" in faults else system_path()
            members = [{"@odata.id": link}]
            if "several" in faults:
                members.insert(0, {"@odata.id": "/redfish/v1/Systems/Blade2"})
            self.answer(200, {"Members": members})
        elif path == system_path() and self.command == "GET":
            self.read_system(path)
        elif path == system_path() + "/Settings" and self.command == "GET" and "settings" in faults:
            self.answer(200, {"Boot": boot()}, [("ETag", f'"s{state["etag"]}"')])
        elif self.command == "PATCH":
            self.patch(body)
        elif path == system_path() + "/Actions/ComputerSystem.Reset" and self.command == "POST":
            self.reset(body)
        else:
            self.error(404, "no such resource")

    def login(self, body):
        if happens("busy"):
            self.error(503, "too many sessions", [("Retry-After", "0")])
        elif "login-401" in faults or body != {"UserName": "harness", "Password": password}:
            self.error(401, "wrong password")
        else:
            token = "%d-%s" % (state["next"], os.urandom(8).hex())
            keep("token", token + "\n")
            state["next"] += 1
            state["sessions"][token] = 0
            keep("sessions", str(len(state["sessions"])))
            if "slow-login" in faults:
                time.sleep(0.15)
            self.answer(201, {}, [("X-Auth-Token", token),
                                  ("Location", "https://127.0.0.1/redfish/v1/SessionService/Sessions/" + token)])

    def read_system(self, path):
        state["readings"] += 1
        raw = None
        if "garbage" in faults:
            raw = b'{"PowerState": "On'
        elif "array" in faults:
            raw = b'["On"]'
        elif "huge" in faults:
            raw = b'{"PowerState": "On", "x": "' + b"x" * (3 << 20) + b'"}'
        elif "slow" in faults or "cut" in faults:
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.end_headers()
            for _ in range(1 if "cut" in faults else 100):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.1)
            self.close_connection = True
            return
        self.answer(200, system(path), [("ETag", f'"{state["etag"]}"')], raw)

    def patch(self, body):
        want = system_path() + ("/Settings" if "settings" in faults else "")
        etag = f'"{"s" if "settings" in faults else ""}{state["etag"]}"'
        match = self.headers.get("If-Match")
        if self.path != want:
            self.error(404, "no such resource")
        elif "forbidden" in faults:
            self.error(403, "the user may only look")
        elif "428" in faults and match != "*":
            self.error(428, "say If-Match")
        elif happens("412"):
            state["etag"] += 1
            self.error(412, "somebody else was faster")
        elif match not in (etag, "*"):
            self.error(412, "wrong ETag")
        else:
            state["etag"] += 1
            if not happens("forget"):
                state["boot"].update(body["Boot"])
                if happens("legacy"):
                    state["boot"]["BootSourceOverrideMode"] = "Legacy"
            self.answer(200, {})

    def reset(self, body):
        kind = body.get("ResetType")
        if "forbidden" in faults:
            self.error(403, "the user may only look")
        elif "refuse-reset" in faults or kind not in RESETS:
            self.error(400, "the chassis is locked")
        elif kind == "On" and state["power"] == "On":
            self.error(409, "already on")
        else:
            if "stuck" not in faults:
                state["power"] = RESETS[kind]
            self.answer(204)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a client that goes away is what is tested


def main():
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/key.pem",
                    "-out", f"{folder}/cert.pem"], check=True, capture_output=True)
    key = subprocess.run(["openssl", "pkey", "-in", f"{folder}/key.pem", "-pubout", "-outform", "der"],
                         check=True, capture_output=True).stdout
    keep("pin", "sha256//" + base64.b64encode(hashlib.sha256(key).digest()).decode())
    begin([])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/cert.pem", f"{folder}/key.pem")
    server = Server(("127.0.0.1", 0), Peer)
    server.daemon_threads = True
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Timer(600, lambda: os._exit(0)).start()
    keep("port", str(server.server_address[1]))
    server.serve_forever()


main()
