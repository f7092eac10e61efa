"""Drives a headless Chromium by its DevTools protocol, over the two pipes that --remote-debugging-pipe opens.

Messages are JSON, each followed by a zero byte: https://chromedevtools.github.io/devtools-protocol
"""
import base64, json, os, select, shutil, subprocess, tempfile, time
from pathlib import Path

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WAIT = 60  # seconds for an answer; a busy machine takes its time
KEYS = {"Tab": 9, "Enter": 13, " ": 32, "Escape": 27}


class Browser:
    """A browser with one page."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="apsp-chromium-")
        to_read, self.to = os.pipe()
        self.of, to_write = os.pipe()
        argv = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                "--no-first-run", "--disable-background-networking", f"--user-data-dir={self.profile}",
                "--remote-debugging-pipe", "about:blank"]

        def pipes():  # the browser reads from 3 and writes to 4
            spare = [os.dup2(fd, place) for fd, place in ((to_read, 103), (to_write, 104))]
            for fd, place in zip(spare, (3, 4)):
                os.dup2(fd, place)
        self.process = subprocess.Popen(argv, preexec_fn=pipes, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.left, self.events, self.session = 0, b"", [], None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.of)
        shutil.rmtree(self.profile, ignore_errors=True)

    def receive(self):
        while b"\0" not in self.left:
            if not select.select([self.of], [], [], WAIT)[0]:
                raise TimeoutError(f"Chromium does not answer within {WAIT} s")
            got = os.read(self.of, 1 << 20)
            if not got:
                raise ConnectionError(f"Chromium has ended: exit {self.process.wait()}")
            self.left += got
        message, _, self.left = self.left.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        """What the browser answers. Events before it are kept in self.events."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while (answer := self.receive()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url):
        """Loads the page; self.events has all that happened since."""
        self.events = []
        self.call("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def script(self, expression):
        """The value of a JavaScript expression, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """Errors and warnings of the console, and exceptions of scripts."""
        self.script("new Promise(done => setTimeout(done, 50))")
        return [event for event in self.events if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")
                or event["method"] == "Runtime.consoleAPICalled" and event["params"]["type"] in ("error", "warning", "assert")]

    def requests(self):
        """The addresses that the page asked for."""
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    def show(self, width=1280, height=900, dark=False, media=""):
        """Sets the size of the window, and what style sheets ask for. media: "print", or "" for the screen."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def press(self, key, modifiers=0):
        """Presses a key of KEYS, or types a text. modifiers: 8 is Shift."""
        if key not in KEYS:
            return self.call("Input.insertText", text=key)
        text = {"Enter": "\r", " ": " "}.get(key, "")
        common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": KEYS[key], "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def screenshot(self, path, whole=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        Path(path).write_bytes(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)["data"])
