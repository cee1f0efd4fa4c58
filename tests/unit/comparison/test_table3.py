import json
from datetime import UTC, datetime
from random import Random

import pytest

from saccade.comparison.compare import draw_again
from saccade.comparison.execute import ExecutionSettings
from saccade.comparison.search_settings import searches
from saccade.comparison.system_spec import SystemSpec
from saccade.comparison.table3 import BASE, BEYOND, TableRow, table3_rows
from saccade.comparison.table3_report import compare_table3, table3_request
from saccade.comparison.table3_verdicts import judged, shared_variance, verdicts
from saccade.decoding.beam import BeamConfig
from saccade.errors import ConfigError
from saccade.papers import VASWANI2017
from saccade.recipes.recipe import load_recipe

NAMES = [row.name for row in VASWANI2017.table3]


def test_at_the_paper_s_own_size_the_rows_are_the_paper_s_own_recipes():
    base = load_recipe("vaswani2017-base")
    for row in table3_rows(base):
        if row.paper is None:
            continue
        theirs = load_recipe(row.paper.slug)
        ours = base.with_overrides(row.spec.overrides)
        assert (ours.model, ours.training) == (theirs.model, theirs.training), row.name


def test_at_half_the_width_every_size_is_halved_and_rates_differ_as_much():
    base = load_recipe("multi30k", ["model.encoder_layers=6", "model.decoder_layers=6", "model.heads=8"])
    made = {row.name: base.with_overrides(row.spec.overrides) for row in table3_rows(base)}
    assert [made[f"heads-{heads}"].model.key_width for heads in (1, 4, 16, 32)] == [256, 64, 16, 8]
    assert (made["key-16"].model.key_width, made["key-16"].model.value_width) == (8, 32)
    assert made["width-1024"].model.width == 512
    assert made["layers-2"].model.encoder_layers == 2
    assert (made["dropout-0.0"].model.dropout, made["dropout-0.2"].model.dropout) == (0.0, 0.4)
    assert made["big"].training.steps == 3 * base.training.steps
    assert {recipe.training.average for recipe in made.values()} == {1}
    assert made["without warm-up"].training.schedule == "without_warmup"
    assert made["without the scale"].model.score == "dot"
    assert made["post-norm"].model.norm == "post"


def test_a_size_that_cannot_be_divided_is_refused_with_what_it_must_be():
    with pytest.raises(
        ConfigError, match="`inner_width` must be a multiple of 2 for the row inner-1024 .* but is 1025"
    ):
        table3_rows(load_recipe("multi30k", ["model.inner_width=1025"]))


def test_layers_and_heads_are_rounded():
    base = load_recipe("multi30k")
    made = {row.name: base.with_overrides(row.spec.overrides).model for row in table3_rows(base)}
    assert [made[f"heads-{heads}"].heads for heads in (1, 4, 16, 32)] == [1, 2, 8, 16]
    assert [made[f"layers-{layers}"].encoder_layers for layers in (2, 4, 8)] == [1, 3, 5]


def test_rows_that_would_be_the_same_are_refused():
    few = ["model.encoder_layers=1", "model.decoder_layers=1", "model.heads=8"]
    with pytest.raises(ConfigError, match="layers-2 and layers-4 of Table 3 must differ"):
        table3_rows(load_recipe("multi30k", few))


def test_only_a_transformer_has_a_table_3():
    with pytest.raises(ConfigError, match="but bahdanau2015 trains rnnsearch"):
        table3_rows(load_recipe("bahdanau2015"))


def of_paper(name):
    row = next(row for row in VASWANI2017.table3 if row.name == name)
    return TableRow(row.letter, name, SystemSpec("transformer"), row)


def outcome(name, base, mine):
    scores = {BASE: [(value, 2.0) for value in base], name: [(value, 2.0) for value in mine]}
    return judged([of_paper(BASE), of_paper(name)], scores)[1].by_bleu.outcome


def outcome_by_perplexity(name, base, mine):
    scores = {BASE: [(30.0, value) for value in base], name: [(30.0, value) for value in mine]}
    return judged([of_paper(BASE), of_paper(name)], scores)[1].by_perplexity.outcome


def test_a_difference_counts_from_three_standard_errors_on():
    # The variance of both rows is 0.01, which stands for 0.01 / (8 / 9)^3; three standard errors are 0.292.
    base = (30.0, 30.1, 29.9)
    assert outcome("heads-1", base, (29.7, 29.8, 29.6)) == "as in the paper"
    assert outcome("heads-1", base, (29.72, 29.82, 29.62)) == "undecided"
    assert outcome("heads-1", base, (30.3, 30.4, 30.2)) == "otherwise"
    assert outcome("big", base, (30.3, 30.4, 30.2)) == "as in the paper"


def test_what_the_paper_found_equal_must_be_within_half_a_point():
    base = (30.0, 30.1, 29.9)
    assert outcome("positions-learned", base, (30.2, 30.3, 30.1)) == "as in the paper"
    assert outcome("positions-learned", base, (30.4, 30.5, 30.3)) == "undecided"
    assert outcome("positions-learned", base, (29.0, 29.1, 28.9)) == "otherwise"


def test_perplexities_are_judged_by_their_ratio_and_less_is_better():
    # The paper: without smoothing 4.67 where base has 4.92; with one head 5.29; learned positions are equal.
    base = (6.0, 6.06, 5.94)
    assert outcome_by_perplexity("smoothing-0.0", base, (5.4, 5.45, 5.35)) == "as in the paper"
    assert outcome_by_perplexity("smoothing-0.0", base, (6.6, 6.65, 6.55)) == "otherwise"
    assert outcome_by_perplexity("heads-1", base, (6.6, 6.65, 6.55)) == "as in the paper"
    assert outcome_by_perplexity("heads-1", base, (6.1, 6.15, 6.05)) == "undecided"
    assert outcome_by_perplexity("positions-learned", base, (6.6, 6.65, 6.55)) == "otherwise"


def test_one_seed_decides_nothing():
    assert outcome("heads-1", (30.0,), (20.0,)) == "undecided"
    assert shared_variance([[1.0], [2.0]]) is None


def test_rows_that_hardly_learn_do_not_hide_the_others_but_are_not_trusted_themselves():
    steady = {name: [(30.0 + shift, 2.0), (30.1 + shift, 2.0), (29.9 + shift, 2.0)] for name, shift in
              ((BASE, 0.0), ("heads-1", -1.0), ("key-16", -1.0))}  # fmt: skip
    wild = {"layers-2": [(20.0, 2.0), (28.0, 2.0), (36.0, 2.0)]}
    rows = [of_paper(name) for name in (*steady, *wild)]
    found = {one.row.name: one.by_bleu for one in judged(rows, steady | wild)}
    assert found["heads-1"].outcome == found["key-16"].outcome == "as in the paper"
    assert found["layers-2"].outcome == "undecided"


def test_the_shared_variance_is_that_of_the_distribution():
    random = Random(7)
    samples = [[random.gauss(0.0, 2.0) for _ in range(3)] for _ in range(20_000)]
    assert shared_variance(samples) == pytest.approx(4.0, rel=0.05)


def test_a_group_holds_when_all_of_its_rows_do():
    base = [(30.0, 2.0), (30.1, 2.0)]
    lower, same, higher = ([(value + shift, 2.0) for value, _ in base] for shift in (-2.0, 0.0, 2.0))
    rows = [of_paper(name) for name in (BASE, "key-16", "key-32")]
    verdict = {
        answer: verdicts(judged(rows, {BASE: base, "key-16": lower, "key-32": other}))["B"]["bleu"]
        for answer, other in (("holds", lower), ("part", same), ("not", higher))
    }
    assert verdict["holds"] == "holds"
    assert verdict["part"] == "as in the paper: key-16; the rest is undecided"
    assert verdict["not"] == "as in the paper: key-16; otherwise: key-32"


def test_each_search_changes_one_thing():
    own = BeamConfig(size=5, alpha=0.6)
    for varied, _, search in searches(own):
        changed = [name for name in vars(own) if getattr(own, name) != getattr(search, name)]
        assert set(changed) <= {{"beam": "size", "length penalty": "alpha", "stop rule": "stop"}[varied]}


@pytest.mark.slow
def test_the_whole_table_is_trained_and_reported(tmp_path):
    overrides = (
        *("training.steps=3", "training.batch_tokens=256", "training.checkpoint_every=1", "training.validate_every=3"),
        *("model.encoder_layers=3", "model.decoder_layers=3", "model.width=64", "model.inner_width=64"),
        *("model.heads=8", "decoding.size=1", "decoding.extra_length=1", "model.tie=none"),
    )
    request = table3_request("tiny", 1, (*overrides, "training.seed=4"))
    settings = ExecutionSettings(device="cpu", command="saccade compare --table3")
    result = compare_table3(request, tmp_path / "out", settings, now=datetime(2026, 3, 14, tzinfo=UTC))
    report = json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    assert all(path.name.endswith("-seed-4") for path in (tmp_path / "out" / "runs").iterdir())
    assert [row["name"] for row in report["rows"]][: len(NAMES)] == NAMES
    assert {row["group"] for row in report["rows"]} == {"base", "A", "B", "C", "D", "E", "big", BEYOND}
    assert {verdict for one in report["groups"] for verdict in one["verdicts"].values()} == {"undecided"}
    assert {one["varied"] for one in report["tried"]} == {
        *("beam", "length penalty", "stop rule", "average of checkpoints")
    }
    page = result.page.read_text(encoding="utf-8")
    assert all(name in page for name in NAMES)
    result.page.unlink()
    assert draw_again(tmp_path / "out" / "report.json", tmp_path / "out").page.read_text(encoding="utf-8") == page
