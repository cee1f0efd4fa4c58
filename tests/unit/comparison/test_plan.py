from dataclasses import replace

import pytest

from saccade.comparison.budget import read_budget
from saccade.comparison.plan import CLIP, base_recipe, make_plan
from saccade.data.prepare import prepare
from saccade.errors import ConfigError
from saccade.training.schedule import learning_rate


@pytest.fixture(scope="module")
def prepared(tmp_path_factory, asked):
    request = asked()
    return prepare(base_recipe(request.recipe, request.overrides).data, tmp_path_factory.mktemp("plan") / "data")


@pytest.fixture
def planned(prepared, tmp_path):
    def plan(request, measure_throughput=None, folder="plan"):
        measure_throughput = measure_throughput or (lambda recipes: [2.0] * len(recipes))
        return make_plan(request, prepared, tmp_path / folder, measure_throughput)

    return plan


def test_everybody_reaches_the_same_rate(planned, asked):
    plan = planned(asked(budget=read_budget("100steps")))
    base = plan.base
    highest = learning_rate(base.training.warmup, base.model.width, base.training)
    for entry in plan.entries:
        training = entry.recipe.training
        assert learning_rate(training.warmup, entry.recipe.model.width, training) == pytest.approx(highest)


def without_a_cadence(asked, budget):
    """A request that leaves it to the plan how often a run validates."""
    overrides = tuple(one for one in asked().overrides if not one.startswith("training.validate_every"))
    return asked(budget=read_budget(budget), overrides=overrides)


def test_what_happens_every_so_many_steps_keeps_its_share(planned, asked):
    plan = planned(without_a_cadence(asked, "200steps"))  # the recipe has 400, and validates every 200
    for entry in plan.entries:
        training = entry.recipe.training
        assert (training.steps, training.validate_every, training.checkpoint_every) == (200, 100, 50)
        assert training.warmup == 50
        assert training.clip == CLIP
        assert training.patience is None


@pytest.mark.parametrize(("budget", "validate_every"), [("20steps", 20), ("4steps", 4), ("60steps", 30)])
def test_a_small_budget_is_not_spent_on_validations(planned, asked, budget, validate_every):
    plan = planned(without_a_cadence(asked, budget))
    assert {entry.recipe.training.validate_every for entry in plan.entries} == {validate_every}


def test_a_run_validates_ten_times_at_most(planned, asked, tmp_path):
    frequent = tmp_path / "frequent.toml"
    frequent.write_text('based_on = "tiny"\n[training]\nvalidate_every = 4\n')
    plan = planned(replace(without_a_cadence(asked, "1000steps"), recipe=str(frequent)))
    assert {entry.recipe.training.validate_every for entry in plan.entries} == {100}


def test_a_number_of_steps_between_validations_that_was_set_is_kept(planned, asked):
    plan = planned(asked(budget=read_budget("200steps")))
    assert {entry.recipe.training.validate_every for entry in plan.entries} == {2}


def test_tokens_become_steps(planned, asked):
    (entry,) = planned(asked("transformer", budget=read_budget("100k tok"))).entries
    steps = entry.recipe.training.steps
    assert steps * entry.tokens_per_step == pytest.approx(100_000, rel=0.01)
    assert 0.4 * 256 < entry.tokens_per_step <= 256


def test_operations_become_steps_and_a_costlier_system_gets_fewer(planned, asked):
    plan = planned(asked(budget=read_budget("1e10flop")))
    for entry in plan.entries:
        spent = entry.recipe.training.steps * entry.tokens_per_step * entry.operations.training
        assert spent == pytest.approx(1e10, rel=0.05)


def test_time_becomes_steps_by_the_measured_throughput(planned, asked):
    seen = []

    def measure_throughput(recipes):
        seen.extend(recipe.architecture for recipe in recipes)
        return [10.0, 3.0]

    plan = planned(asked(budget=read_budget("100s")), measure_throughput)
    steps = [entry.recipe.training.steps for entry in plan.entries]
    assert seen == ["transformer", "seq2seq"]
    assert steps == [1000, 300]


def test_no_clock_of_the_recipe_cuts_a_schedule_off(planned, asked):
    overrides = (*asked().overrides, "training.minutes=3")
    plan = planned(asked("transformer,transformer:training.minutes=5", overrides=overrides))
    assert [entry.recipe.training.minutes for entry in plan.entries] == [None, 5]


def test_an_earlier_plan_is_kept_and_a_new_system_joins_it(planned, asked):
    def never(_recipes):
        raise AssertionError("rehearsed twice")

    hundred = read_budget("100s")
    first = planned(asked("transformer", budget=hundred))
    assert planned(asked("transformer", budget=hundred), never).entries == first.entries
    both = planned(asked("seq2seq:layers=1,transformer", budget=hundred))
    assert both.entries[1] == first.entries[0]
    assert planned(asked("seq2seq:layers=1,transformer", budget=hundred), never).entries == both.entries


def test_a_system_that_is_only_trained_otherwise_has_the_size_and_cost_of_its_twin(planned, asked):
    both = planned(asked("seq2seq:layers=1,seq2seq:layers=1,training.clip=5.0")).entries
    assert both[0].recipe.model == both[1].recipe.model
    assert (both[0].parameters, both[0].operations) == (both[1].parameters, both[1].operations)
    (alone,) = planned(asked("seq2seq:layers=1,training.clip=5.0"), folder="alone").entries
    assert alone == both[1]


def test_a_setting_of_a_system_is_left_alone(planned, asked):
    (entry,) = planned(asked("seq2seq:layers=1,training.clip=5.0,training.learning_rate_factor=0.3")).entries
    assert entry.recipe.training.clip == 5.0
    assert entry.recipe.training.learning_rate_factor == 0.3


def test_a_system_may_have_a_rate_of_its_own(planned, asked):
    (entry,) = planned(asked("seq2seq:layers=1,training.learning_rate=0.004")).entries
    training = entry.recipe.training
    assert learning_rate(training.warmup, entry.recipe.model.width, training) == pytest.approx(0.004)


def test_other_models_take_over_length_and_dropout(planned, asked):
    (entry,) = planned(asked("seq2seq:layers=1")).entries
    assert entry.recipe.model.maximum_length == 64
    assert entry.recipe.model.dropout == 0.0


def test_a_width_that_does_not_fit_is_refused(planned, asked):
    with pytest.raises(ConfigError, match="Leave the width out"):
        planned(asked("seq2seq:layers=1,width=100"))


@pytest.mark.parametrize("budget", ["99999999999999999999steps", "1e300flop"])
def test_a_budget_of_more_steps_than_can_be_counted_is_refused(planned, asked, budget):
    with pytest.raises(ConfigError, match=rf"budget of a run must be less than 2\^63 steps, but {budget} is more\."):
        planned(asked("transformer", budget=read_budget(budget)))


def test_another_budget_in_the_same_folder_is_refused(planned, asked):
    planned(asked("transformer"))
    with pytest.raises(ConfigError, match="`budget` was '4steps' and is now '5steps'"):
        planned(asked("transformer", budget=read_budget("5steps")))


def test_without_a_budget_the_recipe_s_own_counts(planned, asked):
    plan = planned(asked("transformer", budget=None))
    assert plan.entries[0].recipe.training.steps == 400
    assert plan.budget.words == "400 steps"
