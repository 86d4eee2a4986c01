"""Drives a headless Chromium by its debugging protocol (python3-websocket): opens a page, looks at it,
takes pictures, and keeps what the page wrote to the console."""

import base64
import json
import os
import subprocess
import time

import websocket

LIMIT_S = 30
LOOK_AGAIN_S = 0.05


class Browser:
    """One page in a browser of its own, which ends with it. `folder` is for its files."""

    def __init__(self, program, folder, arguments=()):
        port_file = os.path.join(folder, "DevToolsActivePort")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-extensions", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={folder}", *arguments, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.number = 0
        self.faults = []  # of the console, and exceptions
        try:
            self._attach(port_file)
        except BaseException:
            self.close()
            raise

    def _attach(self, port_file):
        def address():
            try:
                with open(port_file, encoding="ascii") as file:
                    port, path = file.read().split()
                return f"ws://127.0.0.1:{port}{path}"
            except (OSError, ValueError):
                if self.process.poll() is not None:
                    raise RuntimeError("the browser has ended") from None
                return None

        self.socket = websocket.create_connection(await_true(address, "the browser"), timeout=LIMIT_S)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def call(self, method, **parameters):
        """Asks the browser for something; returns its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session is not None:
            message["sessionId"] = self.session
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self._note(answer)

    def _note(self, event):
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.faults.append(json.dumps(parameters["exceptionDetails"])[:2000])
        elif event.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert"):
            self.faults.append(json.dumps(parameters["args"])[:2000])
        elif event.get("method") == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            entry = parameters["entry"]
            self.faults.append(f"{entry['text']} {entry.get('url', '')}")

    def show(self, width, height, dark=False, scale=1):
        """The window's size, and what the visitor prefers."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, url):
        self.call("Page.navigate", url=url)

    def value(self, script):
        """What the expression is worth in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{script}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, script):
        """Waits until the expression holds in the page."""
        def look():
            try:
                return self.value(f"!!({script})")
            except RuntimeError:
                return None  # While it loads there is nothing to ask.
        await_true(look, script)

    def press(self, key, code=0):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                      **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))

    def picture(self, path, whole=True):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                         **({"clip": self._whole()} if whole else {}))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def _whole(self):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}


def await_true(look, what):
    deadline = time.monotonic() + LIMIT_S
    while True:
        value = look()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {LIMIT_S} s: {what}")
        time.sleep(LOOK_AGAIN_S)
