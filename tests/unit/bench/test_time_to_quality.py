import json

import pytest
from bench.noise.rule import Difference
from bench.time_to_quality import ARMS, BASELINE, Outcome, main, table, verdict

from saccade.recipes.recipe import load_recipe


@pytest.mark.parametrize("recipe", ["multi30k", "europarl", "tiny"])
@pytest.mark.parametrize("arm", ARMS)
def test_every_arm_is_a_recipe_that_reads_as_many_tokens(recipe, arm):
    as_it_is = load_recipe(recipe)
    changed = as_it_is.with_overrides(ARMS[arm].overrides(as_it_is, 10_000_000)).training
    assert changed.steps * changed.batch_tokens == pytest.approx(10_000_000, rel=0.01)
    assert changed.warmup < changed.steps


def test_the_rule_asks_for_three_standard_errors_and_a_tenth():
    assert verdict(Difference(0.5, 0.1)) == "better"
    assert verdict(Difference(0.5, 0.2)) == "undecided"
    assert verdict(Difference(0.09, 0.01)) == "undecided"
    assert verdict(Difference(-0.5, 0.1)) == "worse"
    assert verdict(Difference.of([2.0], [1.0])) == "undecided"


def test_the_table_compares_seed_by_seed():
    found = {
        BASELINE: [Outcome(30.0, 4_000_000, 9.0), Outcome(31.0, None, 9.4)],
        "muon": [Outcome(31.0, 3_000_000, 10.0), Outcome(32.0, 2_500_000, 10.0)],
    }
    assert table(found).splitlines()[2:] == [
        "| as it is | 30.00, 31.00 | |  | 4.0, - | 9, 9 |",
        "| muon | 31.00, 32.00 | +1.00 ± 0.00 | better | 3.0, 2.5 | 10, 10 |",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"), [(["multi31k"], "multi31k"), (["tiny", "--set", "training.stepz=3"], "stepz")]
)
def test_a_recipe_that_is_none_is_refused_by_the_parser(arguments, message, tmp_path, capsys):
    recipe, *options = arguments
    with pytest.raises(SystemExit) as refused:
        main([recipe, str(tmp_path / "out"), "--tokens", "8000", *options])
    assert refused.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_arms_from_end_to_end(tmp_path):
    main(["tiny", str(tmp_path), "--tokens", "8000", "--seeds", "1", "--arms", "muon", "schedule-free"])
    found = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert list(found) == [BASELINE, "muon", "schedule-free"]
    assert len((tmp_path / "table.md").read_text(encoding="utf-8").splitlines()) == 5
