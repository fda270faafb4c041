"""A page in headless Chromium, driven by its DevTools protocol over two pipes: what the page says on
its console, what it asks the network for, and what a script within it finds."""

import base64
import itertools
import json
import os
import signal
import subprocess
import tempfile
import time

SECONDS = 100  # in which Chromium has to answer
NAME = "chromium"


class Chromium:
    """open() shows a page, and the other calls are of the page that is open; close() ends it."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        there, back = (os.path.join(self._folder.name, name) for name in ("there", "back"))
        os.mkfifo(there)
        os.mkfifo(back)
        self._process = subprocess.Popen(
            ["sh", "-c", 'there=$1 back=$2; shift 2; exec "$@" 3<"$there" 4>"$back"', "sh", there,
             back, NAME, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe",
             f"--user-data-dir={self._folder.name}/data", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self._there, self._back = open(there, "wb", buffering=0), open(back, "rb")
        os.set_blocking(self._back.fileno(), False)
        self._numbers, self._rest = itertools.count(1), b""
        self._session = self._target = None
        self.complaints, self.requests = [], []

    def close(self):
        os.killpg(self._process.pid, signal.SIGKILL)  # its helpers, too
        self._process.wait()
        self._there.close()
        self._back.close()
        self._folder.cleanup()  # as far as possible: a helper may still write

    def open(self, url, width, dark=False):
        """Shows a page of this width, and waits until it is drawn."""
        before = self._target
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        if before:
            self._call("Target.closeTarget", targetId=before)
        self._target = target
        self._session = self._call("Target.attachToTarget", targetId=target,
                                   flatten=True)["sessionId"]
        self.complaints, self.requests = [], []
        self._call("Page.bringToFront")  # a page behind another one is not drawn
        for domain in ("Runtime", "Log", "Network", "Page"):
            self._call(f"{domain}.enable")
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=2000,
                   deviceScaleFactor=1, mobile=False)
        self._call("Emulation.setScrollbarsHidden", hidden=True)  # as on a telephone
        self._call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self._call("Page.navigate", url=url)
        self.evaluate("""new Promise(resolve => {
            const drawn = () => requestAnimationFrame(() => requestAnimationFrame(resolve));
            document.readyState === 'complete' ? drawn() : addEventListener('load', drawn); })""")

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page, or what it promises."""
        done = self._call("Runtime.evaluate", expression=expression, awaitPromise=True,
                          returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(json.dumps(done["exceptionDetails"]))
        return done["result"].get("value")

    def printed(self):
        """The page on paper, as PDF."""
        return base64.b64decode(self._call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def _call(self, method, **parameters):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session and not method.startswith("Target."):
            message["sessionId"] = self._session
        self._there.write(json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']['message']}")
                return found["result"]
            self._note(found)

    def _next(self):
        until = time.monotonic() + SECONDS
        while b"\0" not in self._rest:
            part = self._back.read()
            if part == b"" or time.monotonic() > until:
                raise RuntimeError(f"{NAME} ended, or is silent")
            self._rest += part or b""
            if part is None:
                time.sleep(0.005)
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def _note(self, event):
        if event.get("sessionId") != self._session:
            return
        of = event["params"]
        if event["method"] == "Runtime.consoleAPICalled" and of["type"] in (
                "error", "warning", "assert"):
            self.complaints.append(f"{of['type']}: {of['args']}")
        elif event["method"] == "Runtime.exceptionThrown":
            self.complaints.append(f"exception: {of['exceptionDetails']}")
        elif event["method"] == "Log.entryAdded" and of["entry"]["level"] in ("error", "warning"):
            self.complaints.append(f"{of['entry']['level']}: {of['entry']['text']}")
        elif event["method"] == "Network.requestWillBeSent":
            self.requests.append(of["request"]["url"])
