"""What will be run: for each system a recipe with the size and the number of steps that the rules give it.

    out/
      plan.json            the request, and the size and cost of each system
      recipes/NAME.toml    the recipe of each system; only the seed differs between its runs
      data/                tokenized data, prepared once for all runs
      runs/NAME-seed-1/    an ordinary run folder
      report.html report.json figures/

The rules: all systems read the same tokens of the same data, have the same number of parameters within 5 %, warm up for
the same share of their steps to the same learning rate, clip gradients at the same norm, and spend the same budget.
A system's own settings take precedence.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from saccade.comparison.budget import Budget
from saccade.comparison.operations import Operations, operations_of
from saccade.comparison.parameter_matching import TOLERANCE, outline, sized, widths
from saccade.comparison.system_spec import SystemSpec, read_system_specs
from saccade.data.prepared_corpus import Prepared
from saccade.errors import ConfigError
from saccade.folders import atomic_write
from saccade.hardware import choose_device
from saccade.json_files import StrictContent, checked, read_json
from saccade.models.catalogue import architecture
from saccade.recipes.recipe import Recipe, build_recipe, load_recipe
from saccade.recipes.toml import write_recipe
from saccade.runs.run import check_that_it_can_be_built, training_batches
from saccade.training.distributed import World
from saccade.weights import parameter_count

FORMAT = 1
_ELSEWHERE = "Choose another --out."
CLIP = 1.0
"""The gradient norm for a recipe without clipping: recurrent networks need it, and it does not hurt the others."""
_VALIDATIONS, _STEPS_BETWEEN = 10, 25
"""At most so many validations a run, and at least so many steps between them: translating is slower than training."""
_SHARED = ("maximum_length", "dropout")
"""What every architecture takes over from the recipe's own model, where it has it."""

StepsPerSecond = Callable[[Sequence[Recipe]], Sequence[float]]


@dataclass(frozen=True)
class ComparisonRequest:
    """What to compare. `parameters` None: as many as the recipe's own model has.

    Unless systems are `matched`, each is what its settings make of the recipe: of any size, for as many steps as the
    recipe says.
    """

    recipe: str
    systems: tuple[SystemSpec, ...]
    budget: Budget | None = None
    seeds: int = 3
    parameters: int | None = None
    overrides: tuple[str, ...] = ()
    matched: bool = True
    sweep: Budget | None = None
    """What each trial of a sweep before the comparison may spend (`sweep.py`); None: there is none."""


@dataclass(frozen=True)
class PlannedSystem:
    """One system: its recipe, with the first seed, and its size and cost."""

    spec: SystemSpec
    recipe: Recipe
    parameters: int
    tokens_per_step: float
    operations: Operations

    def seeded(self, seed: int) -> Recipe:
        """The recipe of one of its runs."""
        return replace(self.recipe, training=replace(self.recipe.training, seed=seed))


@dataclass(frozen=True)
class Plan:
    """Everything that will be run."""

    request: ComparisonRequest
    base: Recipe
    parameters: int
    entries: tuple[PlannedSystem, ...]

    @property
    def budget(self) -> Budget:
        """What each may spend: what was asked for, or what the recipe says."""
        steps = self.base.training.steps
        return self.request.budget or Budget("steps", float(steps), f"{steps}steps")


def base_recipe(recipe: str, overrides: Sequence[str]) -> Recipe:
    """The recipe all systems start from."""
    base = load_recipe(recipe, overrides).with_absolute_paths()
    if base.fine_tuning is not None:
        raise ConfigError(
            f"`recipe` must train from nothing, since systems of other shapes cannot begin from a model, but {recipe} "
            "has [fine_tuning]. Train the runs with `saccade train`, then compare them: saccade compare RUN RUN."
        )
    return base


def check_systems(request: ComparisonRequest) -> None:
    """Refuses what can be known before any text is read: a wrong key of a system, a model that cannot be built."""
    base = base_recipe(request.recipe, request.overrides)
    for spec in request.systems:
        check_that_it_can_be_built(_of_architecture(spec, base))


def make_plan(
    request: ComparisonRequest,
    prepared: Prepared,
    out: Path,
    measure_throughput: StepsPerSecond,
    device: str | None = None,
) -> Plan:
    """Decides sizes and lengths, and writes them down; what an earlier plan in this folder decided stays."""
    base = base_recipe(request.recipe, request.overrides)
    vocabularies = prepared.source_tokenizer.size, prepared.target_tokenizer.size
    known = _earlier(request, base, out)
    target = request.parameters or parameter_count(outline(base.architecture, base.model, vocabularies))
    plan = Plan(request, base, target, ())
    sketches: list[PlannedSystem] = []
    for spec in (one for one in request.systems if one.label not in known):
        twin = next((one for one in (*known.values(), *sketches) if one.spec.model == spec.model), None)
        sketches.append(_sketch(spec, base, prepared, target if request.matched else None, device, twin))
    if request.matched:
        sketches = _with_budget(sketches, plan, vocabularies, measure_throughput)
    known |= {one.spec.label: one for one in sketches}
    plan = replace(plan, entries=tuple(known[one.label] for one in request.systems))
    _write(replace(plan, entries=tuple(known.values())), out)
    return plan


def _with_budget(
    sketches: Sequence[PlannedSystem], plan: Plan, vocabularies: tuple[int, int], measure_throughput: StepsPerSecond
) -> list[PlannedSystem]:
    """The same with as many steps as each has for the budget."""
    if plan.budget.kind == "seconds" and sketches:
        rates = measure_throughput([one.recipe for one in sketches])
        steps = [int(rate * plan.budget.amount) for rate in rates]
    else:
        steps = [_steps(plan.budget, one) for one in sketches]
    if any(count >= 2**63 for count in steps):
        raise ConfigError(
            f"the budget of a run must be less than 2^63 steps, but {plan.budget.text} is more. Choose a smaller one."
        )
    return [_lasting(sketch, plan, max(count, 1), vocabularies) for sketch, count in zip(sketches, steps, strict=True)]


def _sketch(
    spec: SystemSpec,
    base: Recipe,
    prepared: Prepared,
    target: int | None,
    device: str | None,
    twin: PlannedSystem | None,
) -> PlannedSystem:
    """The system at the right size, where one is asked for; the number of steps is not decided yet.

    `twin` has the same model and is only trained otherwise: its size and cost need not be found once more.
    """
    vocabularies = prepared.source_tokenizer.size, prepared.target_tokenizer.size
    recipe = _of_architecture(spec, base)
    if twin is not None:
        recipe = replace(recipe, model=twin.recipe.model)
    elif target is None:
        pass
    elif any(spec.sets(f"model.{name}") for name in widths(recipe.model)):
        count = parameter_count(outline(recipe.architecture, recipe.model, vocabularies))
        if abs(count / target - 1) > TOLERANCE:
            raise ConfigError(
                f"`{spec.label}` must have {target:,} parameters within {TOLERANCE:.0%}, but has {count:,} with "
                "the width it was given. Leave the width out, and one that fits is found."
            )
    else:
        recipe = replace(recipe, model=sized(recipe.architecture, recipe.model, vocabularies, target))
    model = outline(recipe.architecture, recipe.model, vocabularies)
    training = recipe.training
    batches = training_batches(model, prepared.train, training, World(choose_device(device)))
    tokens = (prepared.report.target_tokens + len(prepared.train[0])) / len(batches.plan(0)) * training.accumulate
    counted = operations_of(recipe.architecture, recipe.model, prepared) if twin is None else twin.operations
    return PlannedSystem(spec, recipe, parameter_count(model), tokens, counted)


def _of_architecture(spec: SystemSpec, base: Recipe) -> Recipe:
    """The base recipe with another model in it, which starts from its own defaults."""
    document: dict[str, Any] = base.document()
    document["name"] = f"{base.name}-{spec.slug}"
    if spec.architecture != base.architecture:
        its = {field.name for field in fields(architecture(spec.architecture).config)}
        shared = {name: getattr(base.model, name) for name in _SHARED if name in its and hasattr(base.model, name)}
        document["model"] = {"architecture": spec.architecture, **shared}
        document["summary"] = f"{architecture(spec.architecture).summary}; compared under {base.name}."
        document["departures"] = []
    # A rate can be said in two ways, and one of them at a time: the system's own setting replaces the recipe's.
    if spec.sets("training.learning_rate"):
        document["training"]["learning_rate_factor"] = 1.0
    if spec.sets("training.learning_rate_factor"):
        document["training"]["learning_rate"] = "none"
    return build_recipe(document, spec.overrides)


def _steps(budget: Budget, sketch: PlannedSystem) -> int:
    match budget.kind:
        case "tokens":
            return round(budget.amount / sketch.tokens_per_step)
        case "operations":
            return round(budget.amount / (sketch.tokens_per_step * sketch.operations.training))
    return round(budget.amount)


def _lasting(sketch: PlannedSystem, plan: Plan, steps: int, vocabularies: tuple[int, int]) -> PlannedSystem:
    """The same with so many steps: everything that happens every so many steps keeps its share of them."""
    training, share = sketch.recipe.training, steps / sketch.recipe.training.steps

    def scaled(count: int) -> int:
        return max(round(count * share), 1)

    changes: dict[str, Any] = {
        "steps": steps,
        "minutes": None,
        "patience": None,
        "warmup": min(scaled(training.warmup), training.warmup),
        "validate_every": max(scaled(training.validate_every), -(-steps // _VALIDATIONS), min(steps, _STEPS_BETWEEN)),
        "checkpoint_every": scaled(training.checkpoint_every),
        "journal_every": min(scaled(training.journal_every), training.journal_every),
        "clip": training.clip or CLIP,
    }
    if not sketch.spec.sets("training.learning_rate_factor") and getattr(training, "learning_rate", None) is None:
        base, own = plan.base, outline(sketch.recipe.architecture, sketch.recipe.model, vocabularies).width
        theirs = outline(base.architecture, base.model, vocabularies).width
        peak = base.training.learning_rate_factor / math.sqrt(theirs * base.training.warmup)
        changes["learning_rate_factor"] = peak * math.sqrt(own * changes["warmup"])
    if any(one.partition("=")[0].strip() == "training.validate_every" for one in plan.request.overrides):
        del changes["validate_every"]  # who names a number of steps means it
    changes = {key: value for key, value in changes.items() if not sketch.spec.sets(f"training.{key}")}
    return replace(sketch, recipe=replace(sketch.recipe, training=replace(training, **changes)))


class _Contender(StrictContent):
    """What plan.json says about one system."""

    parameters: int
    tokens_per_step: float
    operations: Operations


class _PlanFile(StrictContent):
    """plan.json."""

    format: int
    recipe: str
    budget: str | None
    parameters: int | None
    overrides: list[str]
    matched: bool = True
    sweep: str | None = None
    seeds: int
    target_parameters: int
    contenders: dict[str, _Contender]


def _asked(request: ComparisonRequest) -> dict[str, Any]:
    """What must be the same when a comparison goes on; systems and seeds may be added."""
    return {
        "recipe": request.recipe,
        "budget": request.budget.text if request.budget else None,
        "parameters": request.parameters,
        "overrides": list(request.overrides),
        "matched": request.matched,
        "sweep": request.sweep.text if request.sweep else None,
    }


def _write(plan: Plan, out: Path) -> None:
    recipes = out / "recipes"
    recipes.mkdir(parents=True, exist_ok=True)
    for entry in plan.entries:
        write_recipe(entry.recipe, recipes / f"{entry.spec.slug}.toml")
    content = {
        "format": FORMAT,
        **_asked(plan.request),
        "seeds": plan.request.seeds,
        "target_parameters": plan.parameters,
        "contenders": {
            entry.spec.label: {
                "parameters": entry.parameters,
                "tokens_per_step": entry.tokens_per_step,
                "operations": asdict(entry.operations),
            }
            for entry in plan.entries
        },
    }
    atomic_write(out / "plan.json", json.dumps(content, indent=2))


def _earlier(request: ComparisonRequest, base: Recipe, out: Path) -> dict[str, PlannedSystem]:
    """What a plan in this folder decided for each system, if it was for the same request."""
    path = out / "plan.json"
    if not path.is_file():
        return {}
    held = checked(_PlanFile, read_json(path, FORMAT, _ELSEWHERE), path, _ELSEWHERE)
    for key, value in _asked(request).items():
        if (before := getattr(held, key)) != value:
            raise ConfigError(
                f"the comparison in `{out}` must go on as it began, but `{key}` was {before!r} and is now "
                f"{value!r}. Choose another --out, or ask for the same."
            )
    known = {}
    for label, facts in held.contenders.items():
        (spec,) = read_system_specs(label, base.data.task)
        recipe = load_recipe(out / "recipes" / f"{spec.slug}.toml")
        if recipe.data != base.data:
            raise ConfigError(f"`{out}` must hold runs on the data of {base.name}, but holds others. Choose another.")
        known[label] = PlannedSystem(spec, recipe, facts.parameters, facts.tokens_per_step, facts.operations)
    return known
