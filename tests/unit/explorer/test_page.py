import base64
import gzip
import hashlib
import json
import re
from graphlib import TopologicalSorter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.explorer import trace_types

from saccade.errors import FormatError
from saccade.explorer.page import FOLDER, document, exported_page, json_in_html, modules, opened, served_page
from saccade.tracing import schema as trace_schema

PLAIN = re.compile(r'<script type="application/json" id="document"[^>]*>(.*?)</script>', re.DOTALL)


@given(st.text())
def test_json_in_a_page_is_the_same_text_and_ends_no_element(text):
    written = json_in_html({"text": text})
    assert json.loads(written) == {"text": text}
    assert not set("<>&\u2028\u2029") & set(written)


@settings(deadline=None, max_examples=20)
@given(st.text() | st.just("</script><!-- saccade: document -->"))
def test_a_document_comes_back_out_of_the_page_it_was_put_into(text):
    page = exported_page(document(route=text))
    assert json.loads(PLAIN.search(page)[1])["route"] == text


def test_a_large_document_is_packed_and_always_the_same_file():
    shown = document(models=[{"id": f"{n:06}" * 20} for n in range(2000)])
    page = exported_page(shown)
    assert page == exported_page(shown)
    packed = json.loads(PLAIN.search(page)[1])
    assert json.loads(gzip.decompress(base64.b64decode(packed))) == shown


def test_a_number_that_is_none_is_refused():
    with pytest.raises(ValueError, match="JSON compliant"):
        exported_page(document(cost={"seconds": float("nan")}))


@pytest.mark.parametrize("page", [served_page(document())[0], exported_page(document())], ids=["served", "exported"])
def test_every_name_a_module_imports_is_in_the_map(page):
    names = json.loads(re.search(r'<script type="importmap">(.*?)</script>', page)[1])["imports"]
    assert names.keys() == modules().keys()
    for name, source in modules().items():
        for wanted in re.findall(r'^(?:import|export)\b[^;]*?"(page/[^"]+)";', source, re.MULTILINE):
            assert wanted in names, f"{name} imports {wanted}"


def test_no_module_imports_itself_by_way_of_others():
    imports = {
        name: re.findall(r'^(?:import|\}) [^;*]*?"(page/[^"]+)";', source, re.MULTILINE)
        for name, source in modules().items()
    }
    assert sum(map(len, imports.values())) > len(imports)
    assert tuple(TopologicalSorter(imports).static_order()), "raises CycleError for a circle"


def test_the_page_s_types_of_a_trace_are_those_of_the_schema():
    schema = json.loads(trace_schema.PATH.read_text(encoding="utf-8"))
    assert trace_types.TYPES.read_text(encoding="utf-8") == trace_types.declarations(schema)


def test_the_policy_allows_the_two_inline_scripts_and_no_other():
    page, policy = served_page(document())
    scripts = re.findall(r'<script type="(?:importmap|module)">(.*?)</script>', page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    assert len(digests) == 2
    assert re.search(r"script-src ([^;]*)", policy)[1] == " ".join(["'self'", *(f"'sha256-{one}'" for one in digests)])
    assert "default-src 'none'" in policy


def test_an_exported_page_names_no_place_to_connect_to():
    page = exported_page(document())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src 'none'" in policy
    assert "connect-src" not in policy
    assert "frame-ancestors" not in policy  # browsers ignore it in a file, and say so
    assert re.findall(r"<(?:link|img|iframe|object|embed|base)\b[^>]*>", page) == ['<link rel="icon" href="data:,">']
    assert re.findall(r"url\(|@import", page) == []


def test_no_module_writes_markup_out_of_data_or_names_another_site():
    for name, source in modules().items():
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", source), (
            name
        )
        assert set(re.findall(r"https?://[^\s\"'`)]*", source)) <= {
            "http://www.w3.org/2000/svg",
            "http://www.w3.org/1998/Math/MathML",
        }, name


def test_no_module_is_longer_than_a_person_reads_at_once():
    long = {path.name for path in FOLDER.rglob("*.js") if path.read_text(encoding="utf-8").count("\n") > 400}
    assert long == set()
    translated = [FOLDER / "words" / language for language in ("de", "es")]
    own = [path for path in FOLDER.rglob("*.js") if not any(folder in path.parents for folder in translated)]
    assert sum(path.stat().st_size for path in own) < 1_300_000
    for folder in translated:
        assert sum(path.stat().st_size for path in folder.glob("*.js")) < 160_000


def test_a_trace_alone_or_a_document_can_be_opened(tmp_path):
    trace = {"schema": "explore-trace/1", "id": "x"}
    assert opened(json.dumps(trace), "f")["traces"] == [trace]
    assert opened(json.dumps(document([trace], route="#/heat?l=1")), "f")["route"] == "#/heat?l=1"


@pytest.mark.parametrize(
    "written",
    ["{", "[]", "3", '{"schema": "explore-trace/2"}', '{"schema": ["explore-trace/1"]}', "[" * 100_000, b"\xff\xfe\x00"]
    + ['{"schema": "explore-trace/1", "x": NaN}', '{"schema": "explore-trace/1", "x": 1e999}']
    + ['{"schema": "explore-trace/1", "x": "\\ud800"}', '{"schema": "explore-trace/1", "x": ' + "1" * 5000 + "}"]
    + [f'{{"schema": "explore-document/1", "traces": {traces}}}' for traces in ("[{}]", "3", "[3]", "{}", "null")]
    + ['{"schema": "explore-document/1"}', '{"schema": "explore-document/1", "traces": [], "route": 3}'],
    ids=lambda written: str(written)[:60],
)
def test_anything_else_is_refused_by_name(written):
    with pytest.raises(FormatError, match=r"^`?trace\.json`? (must be|is damaged)") as caught:
        opened(written, "trace.json")
    assert len(str(caught.value)) < 300
