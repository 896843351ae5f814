"""A headless Chromium over its debugging pipe (file descriptors 3 and 4), with the standard library alone.

Messages are the Chrome DevTools Protocol, each a JSON document that ends with a zero byte."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chromium-headless-shell")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
         "--disable-dev-shm-usage", "--remote-debugging-pipe")
PATIENCE_S = 60


def find_chromium():
    """Path of the first Chromium there is, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """Starts a browser with a profile of its own; one page, opened anew by each `open`."""

    def __init__(self, program):
        self._profile = tempfile.mkdtemp(prefix="waferline-browser-")
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()

        def only_the_pipe():
            # Through numbers that neither end can have, since either may already be 3 or 4.
            os.dup2(to_browser, 100)
            os.dup2(from_browser, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self._log = open(os.path.join(self._profile, "stderr"), "wb")
        self._process = subprocess.Popen([program, *FLAGS, "--user-data-dir=" + self._profile, "about:blank"],
                                         preexec_fn=only_the_pipe, pass_fds=(3, 4), stdout=subprocess.DEVNULL,
                                         stderr=self._log)
        os.close(to_browser)
        os.close(from_browser)
        self._received = b""
        self._next_id = 0
        self._session = None
        self.events = []

    def close(self):
        """Ends the browser and removes its profile."""
        try:
            self._send("Browser.close", {}, None)
            self._process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        os.close(self._out)
        os.close(self._in)
        self._log.close()
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, file, width=1200, height=900, scheme="light", media="screen"):
        """Loads a file at a size, in a colour scheme, for a screen or for print. `events` then holds what happened."""
        if self._session:
            self._send_and_wait("Target.closeTarget", {"targetId": self._target}, None)
        self._target = self._send_and_wait("Target.createTarget", {"url": "about:blank"}, None)["targetId"]
        attached = self._send_and_wait("Target.attachToTarget", {"targetId": self._target, "flatten": True}, None)
        self._session = attached["sessionId"]
        self.events = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.show(width, height, scheme, media)
        self.call("Page.navigate", url="file://" + os.path.abspath(file))
        self._wait_for("Page.loadEventFired")
        # A turn of the page's own loop, so that what the load sets off is reported too.
        self.evaluate("new Promise((done) => setTimeout(done, 50))")

    def show(self, width=1200, height=900, scheme="light", media="screen"):
        """Shows the open page at a size, in a colour scheme, for a screen or for print, without loading it again."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def call(self, method, **parameters):
        """Result of a method of the protocol on the page."""
        return self._send_and_wait(method, parameters, self._session)

    def evaluate(self, expression):
        """Value of a JavaScript expression in the page, awaited where it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"])
        return answer["result"].get("value")

    def press(self, key):
        """One key, as a keyboard sends it."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9}[key])

    def screenshot(self, file):
        """The whole page as a PNG file."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"]
        with open(file, "wb") as out:
            out.write(base64.b64decode(data))

    def pdf(self):
        """The page as it would be printed on A4."""
        return base64.b64decode(self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"])

    def complaints(self):
        """What the page and the browser put on the console."""
        found = []
        for event in self.events:
            details = event["params"]
            if event["method"] == "Runtime.consoleAPICalled":
                found.append("console." + details["type"])
            elif event["method"] == "Runtime.exceptionThrown":
                found.append("exception: " + details["exceptionDetails"]["text"])
            elif event["method"] == "Log.entryAdded":
                found.append(details["entry"]["level"] + ": " + details["entry"]["text"])
        return found

    def requests(self):
        """Addresses that were asked for, the page's own and data in the page not counted."""
        asked = [event["params"]["request"]["url"] for event in self.events
                 if event["method"] == "Network.requestWillBeSent" and event["params"].get("type") != "Document"]
        return [url for url in asked if not url.startswith("data:")]

    def _send(self, method, parameters, session):
        self._next_id += 1
        message = {"id": self._next_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._out, data):]
        return self._next_id

    def _send_and_wait(self, method, parameters, session):
        sent = self._send(method, parameters, session)
        answer = self._receive_until(lambda message: message.get("id") == sent)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def _wait_for(self, event):
        if not any(seen["method"] == event for seen in self.events):
            self._receive_until(lambda message: message.get("method") == event)

    def _receive_until(self, wanted):
        end = time.monotonic() + PATIENCE_S
        while True:
            while b"\0" in self._received:
                text, self._received = self._received.split(b"\0", 1)
                message = json.loads(text)
                if "method" in message and message.get("sessionId") == self._session:
                    self.events.append(message)
                if wanted(message):
                    return message
            ready = select.select([self._in], [], [], max(0, end - time.monotonic()))[0]
            data = os.read(self._in, 1 << 16) if ready else b""
            if not data:
                with open(self._log.name, "rb") as log:
                    said = log.read()[-2000:].decode(errors="replace")
                raise RuntimeError(("the browser ended" if ready else "the browser does not answer") + "\n" + said)
            self._received += data
