import json

import pytest
from tests.unit.data.small_corpus import small_corpus

from saccade.data.config import DataConfig
from saccade.data.prepare import prepare
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
