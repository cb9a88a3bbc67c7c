# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium for tests, spoken to over a pipe (DevTools protocol, NUL-separated JSON).

    with Browser() as b:
        page = b.page()
        page.open("/tmp/report.html")
        page.js("document.title")
        page.errors, page.requests      what the page complained about and asked for

The profile is a folder of its own, no port is opened, and every wait has a deadline.  Whatever
happens, the browser's process group is ended and the profile removed.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

DEADLINE = 60  # seconds for any one answer: a loaded machine is slow, not broken
LIMIT = 256 << 20  # bytes of one answer
FLAGS = [
    "--headless",
    "--remote-debugging-pipe",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-default-browser-check",
    "--no-first-run",
    "--hide-scrollbars",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]


class BrowserError(Exception):
    pass


def find():
    path = shutil.which("chromium")
    if not path:
        raise BrowserError("no chromium here: install the package chromium")
    return path


class Browser:
    def __init__(self, deadline=DEADLINE):
        self.deadline = deadline
        self.last_id = 0
        self.buffer = b""
        self.pages = {}
        self.child = None
        self.profile = tempfile.mkdtemp(prefix="harness-browser-")
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def _start(self):
        ours, theirs = [], []
        for way in range(2):
            r, w = os.pipe()
            mine, its = (w, r) if way == 0 else (r, w)
            # Away from 3 and 4, which the shell below moves them to.
            theirs.append(fcntl.fcntl(its, fcntl.F_DUPFD, 10))
            os.close(its)
            ours.append(mine)
        self.to, self.come = ours
        args = [find(), *FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        if os.geteuid() == 0:
            args.insert(1, "--no-sandbox")
        r, w = theirs
        # The browser's own remarks go to a file, shown when it does not start.
        self.said = open(os.path.join(self.profile, "said"), "w+b")
        self.child = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{r} 4>&{w} {r}<&- {w}>&-', "browser", *args],
            pass_fds=theirs,
            stdin=subprocess.DEVNULL,
            stdout=self.said,
            stderr=self.said,
            env={**os.environ, "HOME": self.profile, "XDG_RUNTIME_DIR": self.profile},
            start_new_session=True,
        )
        for fd in theirs:
            os.close(fd)
        self.call("Browser.getVersion")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.child:
            try:
                os.killpg(self.child.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.child.wait(self.deadline)
            self.child = None
            os.close(self.to)
            os.close(self.come)
            self.said.close()
        # What its processes still write while they end may come back once.
        for _ in range(50):
            shutil.rmtree(self.profile, ignore_errors=True)
            if not os.path.exists(self.profile):
                break
            time.sleep(0.1)

    def _why(self):
        self.said.seek(0)
        return self.said.read()[-1500:].decode(errors="replace")

    def _message(self, until):
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.come], [], [], left)[0]:
                raise BrowserError(f"the browser did not answer within {self.deadline} s")
            part = os.read(self.come, 1 << 20)
            if not part:
                raise BrowserError("the browser ended: " + self._why())
            self.buffer += part
            if len(self.buffer) > LIMIT:
                raise BrowserError("the browser's answer is too long")
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        page = self.pages.get(message.get("sessionId"))
        if page and "method" in message:
            page.event(message["method"], message.get("params", {}))
        return message

    def call(self, method, params=None, session=None):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        text = json.dumps(message).encode() + b"\0"
        try:
            while text:
                text = text[os.write(self.to, text):]
        except BrokenPipeError:
            raise BrowserError("the browser ended: " + self._why()) from None
        until = time.monotonic() + self.deadline
        while True:
            answer = self._message(until)
            if answer.get("id") != self.last_id:
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error'].get('message')}")
            return answer["result"]

    def page(self):
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        return Page(self, target, session["sessionId"])


class Page:
    """One tab.  It notes all that goes wrong from before the first document on."""

    def __init__(self, browser, target, session):
        self.browser, self.target, self.session = browser, target, session
        self.errors, self.requests, self.loads = [], [], 0
        browser.pages[session] = self
        for domain in ("Page", "Network", "Log", "Runtime", "DOM", "Accessibility"):
            self.call(domain + ".enable")

    def call(self, method, **params):
        return self.browser.call(method, params, self.session)

    def event(self, method, p):
        if method == "Page.loadEventFired":
            self.loads += 1
        elif method == "Network.requestWillBeSent":
            self.requests.append(p["request"]["url"])
        elif method == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
            self.errors.append(p["entry"]["text"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(p["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(p["args"])[:500])
        elif method == "Page.javascriptDialogOpening":
            self.errors.append("a dialog opened: " + p["message"])

    def _loaded(self, before):
        until = time.monotonic() + self.browser.deadline
        while self.loads == before:
            self.browser._message(until)

    def open(self, path):
        before = self.loads
        answer = self.call("Page.navigate", url="file://" + os.path.abspath(path))
        if answer.get("errorText"):
            raise BrowserError(f"{path}: {answer['errorText']}")
        self._loaded(before)

    def reload(self):
        before = self.loads
        self.call("Page.reload")
        self._loaded(before)

    def js(self, expression):
        """The value of an expression, or of what it promises."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise BrowserError(json.dumps(answer["exceptionDetails"])[:1000])
        return answer["result"].get("value")

    def size(self, width, height=900):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def theme(self, name, media=""):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": name}])

    def scripts(self, on):
        self.call("Emulation.setScriptExecutionDisabled", value=not on)

    def key(self, name, code, shift=False):
        more = {"modifiers": 8 if shift else 0, "key": name, "code": name,
                "windowsVirtualKeyCode": code}
        if name == "Enter":
            more["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", **more)

    def picture(self, file, top=0, height=None, width=None):
        """A PNG of the page, for a person to look at."""
        box = self.js("[document.documentElement.clientWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": top, "width": width or box[0], "scale": 1,
                "height": min(height or box[1], box[1] - top)}
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})
        del self.browser.pages[self.session]
