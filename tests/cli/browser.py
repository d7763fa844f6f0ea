"""Chromium without a window, led through its debugging pipe: open a page, press keys, ask it, look at it."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    def __init__(self, size=(1400, 1000)):
        self.profile = tempfile.mkdtemp(prefix="keel-browser-")
        to_read, self.writer = os.pipe()
        self.reader, to_write = os.pipe()

        def pipes():
            """Chromium reads 3 and writes 4."""
            kept = os.dup2(to_read, 100), os.dup2(to_write, 101)
            os.dup2(kept[0], 3)
            os.dup2(kept[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--user-data-dir=" + self.profile, "--remote-debugging-pipe", "--window-size=%d,%d" % size],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=pipes,
            env=dict(os.environ, HOME=self.profile))
        os.close(to_read)
        os.close(to_write)
        self.rest, self.next, self.session = b"", 0, None
        self.complaints, self.requests = [], []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(domain + ".enable")
        self.resize(*size)

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.writer)
        os.close(self.reader)
        shutil.rmtree(self.profile, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def message(self, seconds):
        end = time.time() + seconds
        while b"\0" not in self.rest:
            if not select.select([self.reader], [], [], max(0, end - time.time()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.reader, 1 << 20)
            if not piece:
                raise EOFError("the browser has ended")
            self.rest += piece
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def note(self, message):
        about, method = message.get("params", {}), message.get("method")
        if method == "Runtime.consoleAPICalled" and about["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([one.get("value", one.get("description")) for one in about["args"]]))
        if method == "Runtime.exceptionThrown":
            details = about["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        if method == "Log.entryAdded" and about["entry"]["level"] in ("error", "warning"):
            self.complaints.append(about["entry"]["text"])
        if method == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])

    def send(self, method, seconds=60, **parameters):
        self.next += 1
        number = self.next
        wanted = {"id": number, "method": method, "params": parameters}
        if self.session:
            wanted["sessionId"] = self.session
        os.write(self.writer, json.dumps(wanted).encode() + b"\0")
        while True:
            got = self.message(seconds)
            if got.get("id") != number:
                self.note(got)
                continue
            if "error" in got:
                raise RuntimeError("%s: %s" % (method, got["error"]["message"]))
            return got["result"]

    def resize(self, width, height, mobile=False):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def open(self, address):
        self.send("Page.navigate", url=address)

    def ask(self, script, seconds=60):
        """The value of an expression, or of what it promises."""
        got = self.send("Runtime.evaluate", seconds, expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"].get("exception", {}).get("description", script))
        return got["result"].get("value")

    def wait(self, script, seconds=60):
        """Until the expression is true; how long that took."""
        begin = time.time()
        while time.time() - begin < seconds:
            if self.ask(script):
                return time.time() - begin
            time.sleep(0.02)
        raise TimeoutError("not true within %g s: %s" % (seconds, script))

    def type(self, text):
        self.send("Input.insertText", text=text)

    def press(self, key, code=0, modifiers=0):
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=modifiers)

    def picture(self, path, full=True):
        got = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        with open(path, "wb") as file:
            file.write(base64.b64decode(got["data"]))
