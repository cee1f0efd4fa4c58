"""Heat shows the tensor: digits, pixels, labels and the inspector, in words and in pieces."""

import base64
import csv
import io
import re
import xml.etree.ElementTree as ElementTree
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from saccade.tracing.options import TraceOptions
from saccade.tracing.tensors import from_json

KINDS = {
    "enc": ("enc.{}.self", "source", "source"),
    "dec": ("dec.{}.self", "target", "reads"),
    "cross": ("dec.{}.cross", "target", "source"),
}


@pytest.fixture(scope="module")
def trace(session, sentence):
    return session.trace("tiny", sentence, TraceOptions())


def digits(value: float, places: int = 4) -> str:
    """As JavaScript rounds: exactly, and half away from zero."""
    return str(Decimal(float(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP))


def weights(trace, kind: str, layer: int, head: int | str) -> np.ndarray:
    found = from_json(trace["tensors"][KINDS[kind][0].format(layer) + ".weights"]).astype(np.float64)
    return found.mean(0) if head == "mean" else found[head]


def by_words(matrix: np.ndarray, rows: list[dict], columns: list[dict]) -> np.ndarray:
    """A row is the mean of its pieces, a column their sum."""
    summed = np.stack([matrix[:, column["pieces"]].sum(1) for column in columns], 1)
    return np.stack([summed[row["pieces"]].mean(0) for row in rows])


@pytest.mark.core
@pytest.mark.parametrize(
    ("kind", "layer", "head"), [("enc", 0, 1), ("dec", 1, 0), ("cross", 0, "mean"), ("cross", 1, 1)]
)
@pytest.mark.parametrize("unit", ["piece", "word"])
def test_the_table_has_the_tensors_digits_and_labels_on_the_right_axes(
    visit, server, trace, route, sentence, kind, layer, head, unit
):
    page = visit(server + "/" + route("heat", s=sentence, m="tiny", kind=kind, l=layer, h=head, u=unit, table=1))
    _, row_axis, column_axis = KINDS[kind]
    rows, columns = trace["axes"][row_axis], trace["axes"][column_axis]
    expected = weights(trace, kind, layer, head)
    name = "piece"
    if unit == "word":
        expected = by_words(expected, rows["words"], columns["words"])
        name = "text"
    along = ("tokens", "piece") if unit == "piece" else ("words", "text")
    assert page.locator("figure.matrix thead th").all_inner_texts()[1:] == [one[name] for one in columns[along[0]]]
    assert page.locator("figure.matrix tbody th").all_inner_texts() == [one[name] for one in rows[along[0]]]
    shown = [line.locator("td").all_inner_texts() for line in page.locator("figure.matrix tbody tr").all()]
    allowed = np.ones_like(weights(trace, kind, layer, head))
    allowed = np.tril(allowed) if kind == "dec" else allowed
    allowed = allowed if unit == "piece" else by_words(allowed, rows["words"], columns["words"])
    assert shown == [
        [digits(value) if may else "not allowed" for value, may in zip(*line, strict=True)]
        for line in zip(expected, allowed, strict=True)
    ]


def ink(share: float, dark: bool) -> np.ndarray:
    """The colour of a share between 0 and 1, by Ottosson's OKLab and the sRGB curve."""
    start, end = (0.215, 0.93) if dark else (0.985, 0.30)
    lightness = start + (end - start) * share
    chroma = 0.145 * np.sin(np.pi * min(1.0, 0.06 + 0.8 * share)) * min(1.0, 6 * share + 0.1) * (share > 0)
    hue = np.radians(235 + 33 * share)
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    to_cones = np.array(
        [[1, 0.3963377774, 0.2158037573], [1, -0.1055613458, -0.0638541728], [1, -0.0894841775, -1.291485548]]
    )
    to_linear = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.707614701],
        ]
    )
    linear = np.clip(to_linear @ (to_cones @ np.array([lightness, a, b])) ** 3, 0, 1)
    return 255 * np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


def pixels(page) -> np.ndarray:
    """What the matrix's canvas holds."""
    url = page.locator("figure.matrix .cells canvas").evaluate("canvas => canvas.toDataURL('image/png')")
    return picture(base64.b64decode(url.partition(",")[2]))


def picture(png: bytes) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(float)


TRANSFERS = {
    "sqrt": np.sqrt,
    "linear": lambda values: values,
    "rowmax": lambda values: values / values.max(1, keepdims=True),
}


@pytest.mark.parametrize("transfer", TRANSFERS)
@pytest.mark.parametrize("dark", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_pixels_of_a_cell_have_the_colour_of_its_weight(visit, server, trace, route, sentence, transfer, dark):
    hash = route("heat", s=sentence, m="tiny", kind="cross", l=1, h=0, u="piece", t=transfer)
    drawn = pixels(visit(f"{server}/{hash}", dark=dark))
    shares = TRANSFERS[transfer](weights(trace, "cross", 1, 0))
    size = drawn.shape[0] / shares.shape[0]
    for i, j in np.ndindex(*shares.shape):
        corner = drawn[int((i + 0.15) * size), int((j + 0.15) * size)]  # beside the digits
        np.testing.assert_allclose(corner, ink(shares[i, j], dark), atol=2)


@pytest.mark.core
def test_masked_cells_are_hatched_and_not_coloured(visit, server, trace, route, sentence):
    drawn = pixels(visit(f"{server}/{route('heat', s=sentence, m='tiny', kind='dec', l=0, h=0, u='piece')}"))
    count = len(trace["axes"]["reads"]["tokens"])
    size = drawn.shape[0] // count
    masked = drawn[2 : size - 2, (count - 1) * size + 2 : count * size - 2].reshape(-1, 3)
    assert len(np.unique(masked.round(), axis=0)) >= 2
    np.testing.assert_allclose(np.median(masked, 0), ink(0, dark=False), atol=3)


@pytest.mark.core
def test_the_inspector_tells_the_chosen_cell(visit, server, trace, route, sentence):
    q, k, layer, head = 2, 3, 1, 1
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', kind='cross', l=layer, h=head, u='piece', q=q, k=k)}")
    expected = weights(trace, "cross", layer, head)
    facts = dict(
        zip(page.locator(".side dt").all_inner_texts(), page.locator(".side dd").all_inner_texts(), strict=True)
    )
    assert facts["weight"] == digits(expected[q, k])
    assert facts["rank in its row"] == f"{1 + (expected[q] > expected[q, k]).sum()} of {expected.shape[1]}"
    assert facts["spread of the row"] == f"{-(expected[q] * np.log2(expected[q])).sum():.2f} bits"
    said = page.locator(".side .say").inner_text()
    assert trace["axes"]["target"]["tokens"][q]["piece"] in said
    assert trace["axes"]["source"]["tokens"][k]["piece"] in said
    strongest = np.sort(expected[q])[::-1][:5]
    assert page.locator(".side .bar .number").all_inner_texts() == [
        digits(value) for value in strongest if value > 0.0005
    ]


def test_rows_named_by_what_they_read_group_by_the_words_read(visit, server, trace, route, sentence):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', kind='cross', l=1, h=0, shift=0, table=1)}")
    words = trace["axes"]["reads"]["words"]
    expected = by_words(weights(trace, "cross", 1, 0), words, trace["axes"]["source"]["words"])
    assert page.locator("figure.matrix tbody th").all_inner_texts() == [word["text"] for word in words]
    shown = [line.locator("td").all_inner_texts() for line in page.locator("figure.matrix tbody tr").all()]
    assert shown == [[digits(value) for value in line] for line in expected]


@pytest.mark.parametrize("share", [0, 1])
def test_hidden_special_tokens_are_divided_out_only_when_asked(visit, server, trace, route, sentence, share):
    hash = route("heat", s=sentence, m="tiny", kind="enc", l=0, h=1, u="piece", hide=1, share=share, table=1)
    page = visit(f"{server}/{hash}")
    plain = [i for i, token in enumerate(trace["axes"]["source"]["tokens"]) if token["special"] is None]
    expected = weights(trace, "enc", 0, 1)[:, plain]
    if share:
        expected = expected / expected.sum(1, keepdims=True)
    shown = [line.locator("td").all_inner_texts() for line in page.locator("figure.matrix tbody tr").all()]
    assert shown == [[digits(value) for value in line] for line in expected]


def test_the_mean_of_all_layers(visit, server, trace, route, sentence):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', kind='enc', h=0, u='piece', avg=1, table=1)}")
    expected = (weights(trace, "enc", 0, 0) + weights(trace, "enc", 1, 0)) / 2
    shown = [line.locator("td").all_inner_texts() for line in page.locator("figure.matrix tbody tr").all()]
    assert shown == [[digits(value) for value in line] for line in expected]


def saved(page, button: str) -> bytes:
    with page.expect_download() as started:
        page.locator("figure.matrix figcaption button", has_text=re.compile(f"^{button}$")).click()
    return started.value.path().read_bytes()


@pytest.mark.slow
def test_a_saved_table_has_every_digit_and_a_saved_drawing_every_cell(visit, server, trace, route, sentence):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', kind='cross', l=1, h=0, u='piece')}")
    expected = weights(trace, "cross", 1, 0)
    lines = list(csv.reader(io.StringIO(saved(page, "CSV").decode())))
    assert lines[0][1:] == [token["piece"] for token in trace["axes"]["source"]["tokens"]]
    np.testing.assert_allclose(np.array([line[1:] for line in lines[1:]], dtype=float), expected, rtol=1e-6)
    drawing = ElementTree.fromstring(saved(page, "SVG"))
    name = "{http://www.w3.org/2000/svg}"
    cells = [cell for cell in drawing.iter(f"{name}rect") if cell.get("width") == cell.get("height")]
    assert len(cells) == expected.size
    colours = [[int(part) for part in re.findall(r"\d+", cell.get("fill"))] for cell in cells]
    np.testing.assert_allclose(colours, [ink(share, dark=False) for share in np.sqrt(expected).ravel()], atol=1)
    texts = [text.text for text in drawing.iter(f"{name}text")]
    assert trace["source_text"] in " ".join(texts)
    assert picture(saved(page, "PNG")).shape[1] == 2 * float(drawing.get("width"))


def test_links_of_one_row_say_where_it_looks(visit, server, trace, route, sentence):
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', kind='cross', l=1, h=0, u='piece', links=1, q=1)}")
    row = weights(trace, "cross", 1, 0)[1]
    first, second = np.argsort(-row)[:2]
    source = [token["piece"] for token in trace["axes"]["source"]["tokens"]]
    label = page.locator(".links button[data-row='1']").get_attribute("aria-label")
    assert label.endswith(
        f"looks at {source[first]} {digits(row[first], 2)}, {source[second]} {digits(row[second], 2)}"
    )


@pytest.mark.slow
def test_the_second_opinion_is_what_was_measured_of_the_words(visit, server, session, route, sentence):
    measured = session.trace("tiny", sentence, TraceOptions(detail=("influence",)))
    axes = measured["axes"]
    for how in ("gradient", "occlusion"):
        found = from_json(measured["tensors"][measured["influence"]["tensors"][how]]).astype(np.float64)
        expected = by_words(found, axes["target"]["words"], axes["source"]["words"])
        if how == "gradient":
            expected = expected / expected.sum(1, keepdims=True)
        else:  # log-probabilities of pieces add up to that of their word
            expected = expected * [[len(word["pieces"])] for word in axes["target"]["words"]]
        page = visit(f"{server}/{route('heat', s=sentence, m='tiny', o=how, table=1)}")
        shown = np.array(
            [line.locator("td").all_inner_texts() for line in page.locator("figure.matrix tbody tr").all()], dtype=float
        )
        np.testing.assert_allclose(shown, expected, atol=5.1e-5)
        assert page.locator("figure.matrix tbody th").all_inner_texts() == [
            word["text"] for word in axes["target"]["words"]
        ]


def test_a_button_leads_to_the_head_that_agrees_best(visit, server, session, route, sentence):
    best = session.trace("tiny", sentence, TraceOptions(detail=("influence",)))["alignment"]["best"]
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', o='gradient')}")
    page.get_by_role("button", name="Head that aligns best").click()
    hash = page.evaluate("location.hash")
    assert f"l={best['block'].split('.')[1]}" in hash
    assert f"h={best['head']}" in hash
    assert "shift=0" not in hash


def test_without_a_choice_rows_are_those_of_the_layer_that_aligns_words(visit, server, session, route, sentence):
    trace = session.trace("tiny", sentence, TraceOptions())
    (aligned,) = trace["alignment"]["blocks"]
    page = visit(f"{server}/{route('heat', s=sentence, m='tiny', table=1)}")
    layer = int(aligned.split(".")[1])
    assert f"layer {layer + 1}" in page.locator("figure.matrix").inner_text()
    assert page.locator("figure.matrix tbody th").all_inner_texts() == [
        word["text"] for word in trace["axes"]["target"]["words"]
    ]
    page = visit(f"{server}/{route('translate', s=sentence, m='tiny')}")
    assert f"layer {layer + 1}" in page.locator(".side .where").inner_text()
