"""The kernels of a live page: their bytes are their sources, and their products are those of plain JavaScript."""

import pytest
import wasmtime
from tests.page_modules import run_in_node

from saccade.explorer.live_page import kernels
from saccade.explorer.page import FOLDER

ARITHMETIC = FOLDER / "engine" / "arithmetic"
PRODUCTS = """
import { Matrix } from "page/engine/arithmetic/matrix";
import { plainProducts } from "page/engine/arithmetic/plain-products";
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
import { bytesOf } from "page/trace/trace";
export default async ({ kernels, cases }) => {
  const products = await wasmProducts(bytesOf(kernels.products), bytesOf(kernels.digits));
  let seed = 7;
  const drawn = () => (seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5;
  const compared = cases.map(({ rows, columns, outputs, small, biased }) => {
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
  return { name: products.name, compared };
}
"""


@pytest.mark.parametrize("name", ["products", "digits"])
def test_the_bytes_are_the_source_assembled(name):
    source = (ARITHMETIC / f"{name}.wat").read_text(encoding="utf-8")
    assert wasmtime.wat2wasm(source) == (ARITHMETIC / f"{name}.wasm").read_bytes()


def test_without_simd_there_is_no_kernel():
    program = """
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
export default async () => {
  WebAssembly.validate = () => false;
  return wasmProducts(new Uint8Array(8), new Uint8Array(8));
}
"""
    assert run_in_node(program, None) is None


@pytest.mark.parametrize(
    ("name", "without"), [("WebAssembly, relaxed SIMD", ""), ("WebAssembly", "digits")], ids=["relaxed", "simd"]
)
def test_products_are_those_of_plain_javascript(name, without):
    cases = [
        {"rows": rows, "columns": columns, "outputs": outputs, "small": small, "biased": biased}
        for rows, columns, outputs in ((1, 16, 5), (3, 37, 11), (4, 48, 2), (9, 256, 19), (2, 4112, 3))
        for small in (True, False)
        for biased in (True, False)
    ]
    known = {one: "" if one == without else kernel for one, kernel in kernels().items()}
    found = run_in_node(PRODUCTS, {"kernels": known, "cases": cases})
    assert found["name"] == name
    assert all(one["same"] and one["error"] < 1e-5 for one in found["compared"])


def test_the_largest_sums_fit():
    program = """
import { Matrix } from "page/engine/arithmetic/matrix";
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
import { bytesOf } from "page/trace/trace";
export default async ({ kernels, width }) => {
  const products = await wasmProducts(bytesOf(kernels.products), bytesOf(kernels.digits));
  const stored = { shape: [1, width], data: new Int8Array(width).fill(-127) };
  const numbers = [5, 0, -5].map((value) => new Matrix(1, width, new Float32Array(width).fill(value)));
  const weight = products.hold(stored, new Float32Array([1]));
  return numbers.map((each) => weight.linear(each).data[0]);
}
"""
    width = 4096
    largest = 5 * 127 * width
    assert run_in_node(program, {"kernels": kernels(), "width": width}) == pytest.approx([-largest, 0, largest])


def test_one_large_number_does_not_round_the_others_in_a_trace():
    program = """
import { Matrix } from "page/engine/arithmetic/matrix";
import { exactly } from "page/engine/arithmetic/precision";
import { wasmProducts } from "page/engine/arithmetic/wasm-products";
import { bytesOf } from "page/trace/trace";
export default async ({ kernels }) => {
  const products = await wasmProducts(bytesOf(kernels.products), bytesOf(kernels.digits));
  const stored = { shape: [1, 3], data: Int8Array.of(0, 100, 27) };
  const weight = products.hold(stored, new Float32Array([0.5]));
  const numbers = new Matrix(1, 3, Float32Array.of(1e6, 0.25, 0.125));
  const product = () => weight.linear(numbers).data[0];
  return [product(), exactly(product), product()];
}
"""
    searching, tracing, again = run_in_node(program, {"kernels": kernels()})
    assert tracing == 0.5 * (100 * 0.25 + 27 * 0.125)
    assert again == searching != tracing
