"""The kernel of a live page: its bytes are its source, and its products are those of plain JavaScript."""

import base64

import wasmtime
from tests.page_modules import run_in_node

from saccade.explorer.page import FOLDER

ARITHMETIC = FOLDER / "engine" / "arithmetic"
PRODUCTS = """
import { Matrix } from "page/engine/arithmetic/matrix";
import { plainProducts } from "page/engine/arithmetic/plain-products";
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
import { bytesOf } from "page/trace/trace";
export default async ({ kernel, cases }) => {
  const products = await wasmProducts(bytesOf(kernel));
  let seed = 7;
  const drawn = () => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5;
  return cases.map(({ rows, columns, outputs, small, biased }) => {
    const numbers = Float32Array.from({ length: rows * columns }, drawn);
    const data = small
      ? Int8Array.from({ length: outputs * columns }, () => 254 * drawn())
      : Float32Array.from({ length: outputs * columns }, drawn);
    const scales = small ? Float32Array.from({ length: outputs }, () => drawn() / 100) : null;
    const bias = biased ? Float32Array.from({ length: outputs }, drawn) : null;
    const stored = { shape: [outputs, columns], data };
    const [one, other] = [plainProducts, products].map((kind) => kind.hold(stored, scales));
    const input = new Matrix(rows, columns, numbers);
    const [plain, fast] = [one.linear(input, bias).data, other.linear(input, bias).data];
    const same = one.row(outputs - 1).every((value, at) => value === other.row(outputs - 1)[at]);
    return { same, error: plain.reduce((most, value, at) => Math.max(most, Math.abs(value - fast[at])), 0) };
  });
}
"""


def test_the_bytes_are_the_source_assembled():
    source = (ARITHMETIC / "products.wat").read_text(encoding="utf-8")
    assert wasmtime.wat2wasm(source) == (ARITHMETIC / "products.wasm").read_bytes()


def test_without_simd_there_is_no_kernel():
    program = """
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
export default async () => {
  WebAssembly.validate = () => false;
  return wasmProducts(new Uint8Array(8));
}
"""
    assert run_in_node(program, None) is None


def test_products_are_those_of_plain_javascript():
    kernel = base64.b64encode((ARITHMETIC / "products.wasm").read_bytes()).decode("ascii")
    cases = [
        {"rows": rows, "columns": columns, "outputs": outputs, "small": small, "biased": biased}
        for rows, columns, outputs in ((1, 16, 5), (3, 37, 11), (4, 48, 2), (9, 256, 19))
        for small in (True, False)
        for biased in (True, False)
    ]
    for found in run_in_node(PRODUCTS, {"kernel": kernel, "cases": cases}):
        assert found["same"]
        assert found["error"] < 1e-5
