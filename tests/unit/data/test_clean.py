import gzip
import json
import lzma
from pathlib import Path

import pytest

from saccade.data.clean import clean
from saccade.data.pair_filters import CleaningConfig
from saccade.data.parallel_text import PairFiles
from saccade.errors import InputError

PAIRS = [
    (b"The dog barks.", "El perro ladra."),
    (b"the dog barks", "el perro ladra"),
    (b"The dog barks.", "El perro ladra."),
    (b"The cat sleeps.", "El gato duerme mucho todos los días del año entero, como es sabido por todos."),
    (b"Caf\xe9", "Café"),
    (b"It rains &amp; rains.", "Lluâ€™eve y llueve."),
    (b"Contents", "Contenido"),
    (b"Contents", "Índice"),
    (b"Contents", "Los contenidos"),
]
REMOVED = {
    "near duplicate": [2],
    "duplicate": [3],
    "lengths out of proportion": [4],
    "not UTF-8": [5],
    "the same line many times": [9],
}
KEPT = [
    ("The dog barks.", "El perro ladra."),
    ("It rains & rains.", "Llu’eve y llueve."),
    ("Contents", "Contenido"),
    ("Contents", "Índice"),
]
CONFIG = CleaningConfig(repeats=2)


def files(folder: Path) -> PairFiles:
    with gzip.open(folder / "a.en.gz", "wb") as file:
        file.write(b"".join(source + b"\n" for source, _ in PAIRS))
    (folder / "a.es.xz").write_bytes(lzma.compress("".join(f"{target}\n" for _, target in PAIRS).encode()))
    return PairFiles(folder / "a.en.gz", folder / "a.es.xz")


def test_every_pair_is_kept_or_removed_for_a_reason_that_the_report_names(tmp_path):
    report = clean(files(tmp_path), tmp_path / "out", CONFIG, keep_removed=True)
    sources = gzip.decompress((tmp_path / "out" / "a.en.gz").read_bytes()).decode().splitlines()
    targets = lzma.decompress((tmp_path / "out" / "a.es.xz").read_bytes()).decode().splitlines()
    assert list(zip(sources, targets, strict=True)) == KEPT
    assert {reason: [one.line for one in found.examples] for reason, found in report.removed.items()} == REMOVED
    assert report.read == len(PAIRS) == report.kept + sum(found.count for found in report.removed.values())
    assert {name: found.count for name, found in report.repaired.items()} == {"decoded again": 1, "unescaped": 1}
    saved = json.loads((tmp_path / "out" / "report.json").read_text())
    assert saved["removed"]["duplicate"]["examples"] == [
        {"line": 3, "source": "The dog barks.", "target": "El perro ladra."}
    ]
    listed = [line.split("\t")[:2] for line in (tmp_path / "out" / "removed.tsv").read_text().splitlines()]
    assert sorted((int(line), reason) for line, reason in listed) == sorted(
        (lines[0], reason) for reason, lines in REMOVED.items()
    )
    assert "1 removed: near duplicate\n              2: the dog barks | el perro ladra" in str(report)


def test_the_same_files_give_the_same_bytes_in_place_of_the_old_ones(tmp_path):
    given = files(tmp_path)
    contents = []
    for _ in range(2):
        clean(given, tmp_path / "out", CONFIG)
        contents.append({path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()})
    assert contents[0] == contents[1]
    assert set(contents[0]) == {"a.en.gz", "a.es.xz", "report.json"}


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        ("a.tsv", "The dog\tEl perro\tmore\nx\t\n", "The dog\tEl perro\n"),
        ("a.jsonl", '["The dog", "El perro"]\n["", "x"]\n', '{"source": "The dog", "target": "El perro"}\n'),
    ],
)
def test_one_file_with_both_sides_stays_one_file(tmp_path, name, lines, expected):
    (tmp_path / name).write_text(lines)
    clean(PairFiles(tmp_path / name), tmp_path / "out", CONFIG)
    assert (tmp_path / "out" / name).read_text() == expected


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("a\nb\n", "c\n", "same number of lines"),
        ("12\n", "12\n", "pair worth keeping, but has none of 1: 1 hardly any letters"),
        ("", "", "at least one line"),
    ],
)
def test_a_failure_leaves_nothing(tmp_path, source, target, message):
    (tmp_path / "a.en").write_text(source)
    (tmp_path / "a.es").write_text(target)
    with pytest.raises(InputError, match=message):
        clean(PairFiles(tmp_path / "a.en", tmp_path / "a.es"), tmp_path / "out", CONFIG)
    assert {path.name for path in tmp_path.iterdir()} == {"a.en", "a.es"}


def test_the_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "report.json").write_text("{}")
    with pytest.raises(InputError, match="holds other files"):
        clean(files(tmp_path), tmp_path / "out", CONFIG)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.json"]
