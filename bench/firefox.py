"""A headless Firefox, driven by its own protocol (Marionette): JSON over a socket, as no driver here speaks to it.

    with Firefox(path) as page:
        page.goto(address)
        page.evaluate("async (given) => ...", given)

What is evaluated is a module of the page, so that it may import what the page imports.
"""

import base64
import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

SECONDS = 600
STARTING = 60
"""Seconds until a Firefox that has not answered is given up."""
PREFERENCES = {"marionette.port": 0, "app.update.auto": False, "datareporting.policy.dataSubmissionEnabled": False}

EVALUATING = """
const [source, given, done] = arguments;
window.given = given;
window.addEventListener("said", () => done(window.said), { once: true });
const script = document.createElement("script");
script.type = "module";
script.src = source;
document.head.append(script);
"""
MODULE = """// %d
const answer = async () => (%s)(JSON.parse(globalThis.given));
answer()
  .then((value) => ({ value: value ?? null }), (error) => ({ error: String(error) }))
  .then((said) => {
    globalThis.said = JSON.stringify(said);
    dispatchEvent(new Event("said"));
  });
"""


def firefox() -> str | None:
    """Where a Firefox is, if one is installed."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """One window of a Firefox with a profile of its own."""

    def __init__(self, path: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="firefox-")
        profile = Path(self._folder.name)
        preferences = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items())
        (profile / "user.js").write_text("\n".join(preferences), encoding="utf-8")
        command = [path, "--headless", "--marionette", "--profile", str(profile)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._socket = socket.create_connection(("127.0.0.1", self._port(profile)))
        self._stream = self._socket.makefile("rwb")
        self._asked = 0
        self._read()  # it says who it is
        self.version = self._ask("WebDriver:NewSession", capabilities={})["capabilities"]["browserVersion"]
        self._ask("WebDriver:SetTimeouts", script=1000 * SECONDS, pageLoad=1000 * SECONDS)

    def _port(self, profile: Path) -> int:
        """The port it has chosen, which it writes into its profile once it listens."""
        written, until = profile / "MarionetteActivePort", time.monotonic() + STARTING
        while not (written.exists() and written.read_text(encoding="utf-8")):
            if self._process.poll() is not None or time.monotonic() > until:
                raise RuntimeError("Firefox must start, but did not. Start it by hand to see why.")
            time.sleep(0.05)
        return int(written.read_text(encoding="utf-8"))

    def _read(self) -> Any:
        length = b""
        while (byte := self._stream.read(1)) != b":":
            length += byte
        return json.loads(self._stream.read(int(length)))

    def _ask(self, command: str, **parameters: Any) -> Any:
        self._asked += 1
        message = json.dumps([0, self._asked, command, parameters]).encode()
        self._stream.write(b"%d:%b" % (len(message), message))
        self._stream.flush()
        _, _, error, answer = self._read()
        if error is not None:
            raise RuntimeError(f"Firefox must do {command}, but says: {error['message']}")
        return answer

    def goto(self, address: str) -> None:
        """Opens an address."""
        self._ask("WebDriver:Navigate", url=address)

    def evaluate(self, function: str, given: Any = None) -> Any:
        """What a function in the page returns for JSON."""
        module = base64.b64encode((MODULE % (self._asked, function)).encode()).decode()
        arguments = [f"data:text/javascript;base64,{module}", json.dumps(given)]
        said = json.loads(self._ask("WebDriver:ExecuteAsyncScript", script=EVALUATING, args=arguments)["value"])
        if "error" in said:
            raise RuntimeError(said["error"])
        return said["value"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait()
        self._folder.cleanup()
