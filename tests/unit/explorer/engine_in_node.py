"""The engine of a live page, run by node: given calls, asked for their results."""

from collections.abc import Sequence
from typing import Any

from tests.page_modules import run_in_node

from saccade.explorer.live_page import kernels

PROGRAM = """
import { plainProducts } from "page/engine/arithmetic/plain-products";
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
import { loadModel } from "page/engine/live-model";
import { trace } from "page/engine/tracing/trace";
import { bytesOf } from "page/trace/trace";
export default async ({ kernels, model, calls }) => {
  const products = () => wasmProducts(bytesOf(kernels.products), bytesOf(kernels.digits));
  const live = await loadModel(model, async () => (await products()) ?? plainProducts);
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


def answers(model: dict[str, Any], calls: Sequence[tuple[str, Any]], without: Sequence[str] = ()) -> list[Any]:
    """The result of each call, a name in the program above and its argument, with this model as a page holds it.

    Kernels that are named as `without` are left out, as if the browser could not run them.
    """
    known = {name: "" if name in without else kernel for name, kernel in kernels().items()}
    return run_in_node(PROGRAM, {"kernels": known, "model": model, "calls": list(calls)})


def request(text: str, **options: Any) -> dict[str, Any]:
    """The body of a request for a trace."""
    decode = {"size": options.pop("size", None), "alpha": options.pop("alpha", None)}
    given = {"force": None, "prefix": None, "what_if": None, "detail": ["weights"], **options}
    return {"text": text, "decode": decode, **given}
