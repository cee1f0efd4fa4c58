"""The engine of a live page, run by node: given calls, asked for their results."""

import base64
from collections.abc import Sequence
from typing import Any

from tests.page_modules import run_in_node

from saccade.explorer.page import FOLDER

PROGRAM = """
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
import { loadModel } from "page/engine/live-model";
import { trace } from "page/engine/tracing/trace";
import { bytesOf } from "page/trace/trace";
export default async ({ kernel, model, calls }) => {
  const live = await loadModel(model, () => wasmProducts(bytesOf(kernel)));
  const answers = {
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
  for (const [name, argument] of calls) results.push(await answers[name](argument));
  return results;
}
"""


def answers(model: dict[str, Any], calls: Sequence[tuple[str, Any]]) -> list[Any]:
    """The result of each call, a name in the program above and its argument, with this model as a page holds it."""
    kernel = (FOLDER / "engine" / "arithmetic" / "products.wasm").read_bytes()
    given = {"kernel": base64.b64encode(kernel).decode("ascii"), "model": model, "calls": list(calls)}
    return run_in_node(PROGRAM, given)


def request(text: str, **options: Any) -> dict[str, Any]:
    """The body of a request for a trace."""
    decode = {"size": options.pop("size", None), "alpha": options.pop("alpha", None)}
    given = {"force": None, "prefix": None, "what_if": None, "detail": ["weights"], **options}
    return {"text": text, "decode": decode, **given}
