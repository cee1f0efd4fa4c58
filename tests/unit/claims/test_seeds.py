import json
from dataclasses import replace

import pytest
from tests.unit.claims.test_results import NOW

from saccade.claims.catalogue import CLAIMS
from saccade.claims.results import load, measure, save, take_apart
from saccade.claims.seeds import forget_seeds, load_seed, measure_seed, measure_side_by_side, save_seed
from saccade.errors import FormatError
from saccade.hardware import machine
from saccade.json_files import sealed

CLAIM = CLAIMS["A2"]


def silent(_: float) -> None:
    pass


def test_a_seed_that_was_measured_is_not_measured_again(tmp_path):
    first = measure_seed(CLAIM, 1, silent, "cpu", tmp_path)
    never = replace(CLAIM, measure=lambda *_: pytest.fail("it was measured again"))
    assert measure_seed(never, 1, silent, "cpu", tmp_path) == first
    with pytest.raises(pytest.fail.Exception):
        measure_seed(never, 2, silent, "cpu", tmp_path)


def test_seeds_that_are_kept_make_the_result_that_measuring_at_once_makes(tmp_path):
    measure_seed(CLAIM, 1, silent, "cpu", tmp_path)
    result = measure(CLAIM, NOW, silent, seeds=2, folder=tmp_path)
    assert result.findings == measure(CLAIM, NOW, silent, seeds=2).findings
    assert sorted(path.name for path in tmp_path.iterdir()) == ["A2-0.json", "A2-1.json"]
    save(result, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["A2.json"]


def test_a_result_names_every_machine_that_measured_one_of_its_seeds(tmp_path):
    save_seed(replace(measure_seed(CLAIM, 0, silent, "cpu", None), machine="NVIDIA H200, 16 cores (x86_64)"), tmp_path)
    result = measure(CLAIM, NOW, silent, seeds=3, folder=tmp_path)
    assert result.machine == f"NVIDIA H200, 16 cores (x86_64); {machine('cpu')}"
    save(result, tmp_path)
    take_apart(load(CLAIM, tmp_path), tmp_path)
    assert measure(CLAIM, NOW, silent, seeds=3, folder=tmp_path).machine == result.machine


def test_seeds_and_results_from_before_machines_were_kept_are_read(tmp_path):
    measure_seed(CLAIM, 0, silent, "cpu", tmp_path)
    without_machine(tmp_path / "A2-0.json")
    result = measure(CLAIM, NOW, silent, seeds=1, folder=tmp_path)
    assert result.machine == ""
    save(result, tmp_path)
    without_machine(tmp_path / "A2.json")
    assert load(CLAIM, tmp_path) == result


def without_machine(path):
    """The file as it was written before it said on which machine."""
    held = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(sealed({key: held[key] for key in held if key not in ("machine", "seal")})))


def test_a_result_taken_apart_leaves_only_new_seeds_to_measure(tmp_path):
    save(measure(CLAIM, NOW, silent, seeds=2), tmp_path)
    asked = []

    def measured(generator, progress):
        asked.append(generator.initial_seed())
        return CLAIM.measure(generator, progress)

    take_apart(load(CLAIM, tmp_path), tmp_path)
    result = measure(replace(CLAIM, measure=measured), NOW, silent, seeds=4, folder=tmp_path)
    assert asked == [2, 3]
    assert result.findings == measure(CLAIM, NOW, silent, seeds=4).findings


def test_what_was_measured_otherwise_does_not_count(tmp_path):
    measure_seed(CLAIM, 0, silent, "cpu", tmp_path)
    assert load_seed(CLAIM, 0, "cpu", tmp_path) is not None
    assert load_seed(CLAIM, 0, "cuda", tmp_path) is None
    assert load_seed(CLAIM, 1, "cpu", tmp_path) is None
    assert load_seed(replace(CLAIM, rule="another"), 0, "cpu", tmp_path) is None


def test_a_seed_that_was_altered_is_named(tmp_path):
    measure_seed(CLAIM, 0, silent, "cpu", tmp_path)
    path = tmp_path / "A2-0.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"seconds": 1.0}))
    with pytest.raises(FormatError, match=r"A2-0\.json"):
        load_seed(CLAIM, 0, "cpu", tmp_path)


def test_only_the_seeds_of_one_claim_are_forgotten(tmp_path):
    for name in ("A2-0.json", "A2-13.json", "A20-0.json", "A2-x.json", "A2.json"):
        (tmp_path / name).write_text("{}")
    forget_seeds("A2", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"A20-0.json", "A2-x.json", "A2.json"}


@pytest.mark.slow
def test_seeds_measured_side_by_side_are_those_measured_one_after_another(tmp_path):
    claims = [CLAIMS["A2"], CLAIMS["W4"]]
    measure_seed(CLAIMS["A2"], 0, silent, "cpu", tmp_path)
    done = {(claim.id, seed) for claim, seed, _ in measure_side_by_side(claims, tmp_path, "cpu", 2)}
    wanted = {(claim.id, seed) for claim in claims for seed in range(claim.seeds)}
    assert done == wanted - {("A2", 0)}
    for claim in claims:
        never = replace(claim, measure=lambda *_: pytest.fail("it was measured again"))
        result = measure(never, NOW, silent, folder=tmp_path)
        assert result.findings == measure(claim, NOW, silent).findings
        save(result, tmp_path)
        assert load(claim, tmp_path) == result
