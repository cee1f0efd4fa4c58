"""What the server and the live models say reaches a reader in the language of the page."""

import ast
import re
from itertools import chain
from pathlib import Path

import pytest
from tests.page_modules import run_in_node

import saccade
from saccade.errors import ConfigError, InputError
from saccade.explorer.page import FOLDER
from saccade.quality.faults import NAMES
from saccade.tracing.options import TraceOptions, checked_text
from saccade.tracing.what_if import WhatIf

SOURCE = Path(saccade.__file__).parent
SPEAKING = [
    *("explorer/session.py", "explorer/turns.py", "explorer/remarks.py"),
    *("tracing/options.py", "tracing/trace.py", "tracing/what_if.py", "tracing/modified_attention.py"),
]
"""Where what a reader of the page is told is written."""

IN_BOTH = """
import { saidIn } from "page/language/program";
const IN = ["en", "de", "es"];
export default (given) => given.map((one) => Object.fromEntries(IN.map((name) => [name, saidIn(one, name)])));
"""


def written(expression: ast.expr) -> str | None:
    """The text of an expression, 7 for whatever is put into it; None where it is no text."""
    if isinstance(expression, ast.Constant):
        return expression.value if isinstance(expression.value, str) else None
    if isinstance(expression, ast.BinOp):
        return written(expression.left)
    if not isinstance(expression, ast.JoinedStr):
        return None
    parts = []
    for part in expression.values:
        if isinstance(part, ast.Constant):
            parts.append(part.value)
        elif not (isinstance(part, ast.FormattedValue) and "did_you_mean" in ast.unparse(part)):
            parts.append("7")
    return "".join(parts)


def of_python(path: Path) -> list[str]:
    """What a module raises as a person's mistake, and what it appends to its remarks."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        call = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Expr) else None
        if not isinstance(call, ast.Call) or ast.unparse(call.func) not in {
            *("InputError", "ConfigError", "HTTPException", "found.append"),
        }:
            continue
        found += [text for text in map(written, call.args) if text is not None]
    return found


def of_engine(path: Path) -> list[str]:
    """What a module of the engine throws as a person's mistake: its title and its hint."""
    calls = re.findall(r"new EngineProblem\((.*?)\);", path.read_text(encoding="utf-8"), re.DOTALL)
    texts = chain.from_iterable(re.findall(r'"([^"]*)"|`([^`]*)`', call) for call in calls)
    found = [re.sub(r"\$\{[^}]*\}", "7", plain or template) for plain, template in texts]
    return [text.replace("This block has 7, and", "This block has the heads 0 to 7, and") for text in found]


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    """Each as the page gets it: the server cuts a message into its first sentence and the rest."""
    messages = [text for path in SPEAKING for text in of_python(SOURCE / path)]
    parts = chain.from_iterable(re.split(r"(?<=\.) (?=[A-Z])", text) for text in messages)
    return [*parts, *chain.from_iterable(of_engine(path) for path in sorted((FOLDER / "engine").rglob("*.js")))]


def test_everything_that_is_said_is_said_in_german_and_spanish(sentences):
    assert len(sentences) > 50
    for sentence, said in zip(sentences, run_in_node(IN_BOTH, sentences), strict=True):
        assert said["en"] == sentence
        for language in ("de", "es"):
            assert said[language] is not None, sentence
            assert said[language] != sentence
            assert "{" not in said[language]
            assert said[language].count("7") >= sentence.count("7"), said


def test_what_stood_in_the_places_stands_there_again():
    def told(cause) -> str:
        with pytest.raises((InputError, ConfigError)) as raised:
            cause()
        return str(raised.value).partition(". ")[0] + "."

    messages = [
        told(lambda: TraceOptions(size=99)),
        told(lambda: checked_text("text", "a" * 20_001)),
        told(lambda: WhatIf(name="temperature", value=-3)),
        "This looks like Spanish, but this model translates from English to German.",
        f"Seen in the translation: {NAMES['number_dropped']} (12), {NAMES['too_short']} (3 of 20).",
        "Nobody has ever said this.",
    ]
    german = [said["de"] for said in run_in_node(IN_BOTH, messages)]
    assert german[0] == "Die Breite des Beams muss zwischen 1 und 64 liegen, ist aber 99."
    assert german[1] == "`text` darf höchstens 20000 Zeichen haben, hat aber 20001."
    assert german[2].endswith("ist aber -3.")
    assert german[3].startswith("Das sieht nach Spanisch aus")
    assert german[3].endswith("Englisch – Deutsch.")
    assert german[4] == "In der Übersetzung fällt auf: Zahl fehlt (12), zu kurz (3 of 20)."
    assert german[5] is None


def test_every_fault_has_its_name_in_the_table():
    table = (FOLDER / "words" / "en" / "program.js").read_text(encoding="utf-8")
    assert re.findall(r'^  \w+: "([a-z ]+)",$', table.partition("FAULTS")[2], re.MULTILINE) == list(NAMES.values())
