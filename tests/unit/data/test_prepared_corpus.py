import json
from hashlib import blake2b

import pytest
from tests.unit.data.small_corpus import small_corpus

from saccade.data.config import DataConfig
from saccade.data.prepare import prepare
from saccade.data.prepared_corpus import fingerprint
from saccade.data.tasks import TASKS
from saccade.errors import FormatError, SaccadeError


@pytest.fixture
def config(tmp_path) -> DataConfig:
    return small_corpus(tmp_path)


def test_a_damaged_stamp_is_refused_in_one_line(config, tmp_path):
    prepare(config, tmp_path / "out")
    (tmp_path / "out" / "prepared.json").write_text("{")
    with pytest.raises(SaccadeError, match=r"prepared\.json"):
        prepare(config, tmp_path / "out")


def without_seal(folder):
    """As an earlier version wrote it."""
    stamp = json.loads((folder / "prepared.json").read_text())
    del stamp["seal"], stamp["checksums"]
    (folder / "prepared.json").write_text(json.dumps(stamp))


def test_what_an_earlier_version_prepared_is_opened(config, tmp_path):
    first = prepare(config, tmp_path / "out")
    without_seal(tmp_path / "out")
    made = (tmp_path / "out" / "joint.model").stat().st_ino
    assert prepare(config, tmp_path / "out").valid_text == first.valid_text
    assert (tmp_path / "out" / "joint.model").stat().st_ino == made


def with_earlier_fingerprints(folder):
    """As an earlier version wrote it: with a hash of both ends of each file."""
    without_seal(folder)
    stamp = json.loads((folder / "prepared.json").read_text())
    for files in stamp["files"].values():
        for file in files:
            ends = (folder.parent / file[0]).read_bytes()
            file[2] = blake2b(ends[: 1 << 20] + ends[-(1 << 20) :], digest_size=16).hexdigest()
    (folder / "prepared.json").write_text(json.dumps(stamp))


def test_text_is_recognised_by_the_fingerprints_of_an_earlier_version(config, tmp_path):
    prepare(config, tmp_path / "out")
    with_earlier_fingerprints(tmp_path / "out")
    made = (tmp_path / "out" / "joint.model").stat().st_ino
    prepare(config, tmp_path / "out")
    assert (tmp_path / "out" / "joint.model").stat().st_ino == made


def test_other_text_is_noticed_by_the_fingerprints_of_an_earlier_version(config, tmp_path):
    prepare(config, tmp_path / "out")
    with_earlier_fingerprints(tmp_path / "out")
    text = (tmp_path / "train.en").read_text()
    (tmp_path / "train.en").write_text(text.replace("Anna sees Bert", "Anna hits Bert"))
    prepare(config, tmp_path / "out")
    assert "hits" in tokenized_targets(prepare(config, tmp_path / "out"))


def tokenized_targets(prepared) -> str:
    stores = (*prepared.train, prepared.valid)
    return " ".join(
        prepared.target_tokenizer.decode(store[index][1].tolist()) for store in stores for index in range(len(store))
    )


def test_an_edit_in_the_middle_of_a_large_file_is_noticed(tmp_path):
    large = tmp_path / "large.txt"
    content = bytearray(b"a b c d\n" * (3 << 17))
    large.write_bytes(content)
    before = fingerprint(large)
    content[len(content) // 2] = ord("e")
    large.write_bytes(content)
    assert fingerprint(large)[:2] == before[:2]
    assert fingerprint(large) != before


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("content", ["[]", "{}", '{"format": 1}', '{"format": 1, "config": [], "files": {}}'])
def test_a_stamp_of_another_shape_is_refused_in_one_line(config, tmp_path, content, earlier):
    prepare(config, tmp_path / "out")
    if earlier:
        without_seal(tmp_path / "out")
    (tmp_path / "out" / "prepared.json").write_text(content)
    with pytest.raises(FormatError, match=r"prepared\.json` .*Remove its folder, and it is made again\.$"):
        prepare(config, tmp_path / "out")


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("content", ["{}", "[]", '{"splits": []}', '{"splits": {"train": 3}}', "\xff"])
def test_a_report_of_another_shape_is_refused_in_one_line(config, tmp_path, content, earlier):
    prepare(config, tmp_path / "out")
    if earlier:
        without_seal(tmp_path / "out")
    (tmp_path / "out" / "report.json").write_bytes(content.encode("latin-1"))
    with pytest.raises(FormatError, match=r"report\.json.* Remove its folder, and it is made again\.$"):
        prepare(config, tmp_path / "out")


@pytest.mark.parametrize("earlier", [False, True])
@pytest.mark.parametrize("name", ["valid.source.txt", "valid.target.txt"])
def test_a_line_fewer_of_validation_text_is_refused_in_one_line(config, tmp_path, name, earlier):
    prepare(config, tmp_path / "out")
    if earlier:
        without_seal(tmp_path / "out")
    path = tmp_path / "out" / name
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(FormatError, match=rf"{name}.* Remove its folder, and it is made again\.$"):
        prepare(config, tmp_path / "out")


@pytest.mark.parametrize("name", ["valid.source.txt", "joint.model", "report.json", "prepared.json"])
def test_an_altered_file_is_noticed(config, tmp_path, name):
    prepare(config, tmp_path / "out")
    path = tmp_path / "out" / name
    content = path.read_bytes()
    changed = content.replace(b"D", b"A", 1).replace(b'"seed": 1', b'"seed": 2').replace(b'"kept": ', b'"kept": 1')
    assert changed != content
    path.write_bytes(changed)
    with pytest.raises(FormatError, match=rf"{name}"):
        prepare(config, tmp_path / "out")


@pytest.mark.parametrize("name", ["train-0/target.ids", "valid/target.ids", "valid/source.offsets"])
def test_a_flipped_bit_in_a_store_is_noticed(config, tmp_path, name):
    prepare(config, tmp_path / "out")
    content = bytearray((tmp_path / "out" / name).read_bytes())
    content[8] ^= 2
    (tmp_path / "out" / name).write_bytes(content)
    with pytest.raises(FormatError, match=rf"{name}` is damaged or altered"):
        prepare(config, tmp_path / "out")


def test_the_report_is_readable_by_people_and_programs(config, tmp_path):
    prepared = prepare(config, tmp_path / "out")
    assert "98 pairs read" in prepared.report.text(TASKS["translation"])
    assert json.loads((tmp_path / "out" / "report.json").read_text())["splits"]["train"]["read"] == 98
