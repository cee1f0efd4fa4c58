"""What will be run: for each contender a recipe with the size and the length of training that the rules give it.

    out/
      plan.json            what was asked for, and what each contender was given
      recipes/NAME.toml    the recipe of each contender; only the seed differs between its runs
      data/                text as tokens, made once; every run looks at it
      runs/NAME-seed-1/    an ordinary run folder
      report.html report.json figures/

The rules: everybody reads the same tokens from the same data, has the same number of parameters within a twentieth,
warms up for the same share of its steps to the same learning rate, clips its gradients at the same norm, and spends the
same budget. What a contender's own settings say is left alone.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from saccade.comparison.budget import Budget
from saccade.comparison.contender import Contender, read_contenders
from saccade.comparison.operations import Operations, operations_of
from saccade.comparison.parameter_matching import TOLERANCE, outline, sized, widths
from saccade.data.prepare import Prepared
from saccade.errors import ConfigError
from saccade.folders import atomic_write, read_json
from saccade.models.catalogue import architecture
from saccade.recipes.recipe import Recipe, build_recipe, load_recipe
from saccade.recipes.toml import write_recipe
from saccade.runs.run import training_batches
from saccade.weights import parameter_count

FORMAT = 1
CLIP = 1.0
"""The gradient norm for a recipe that has none: recurrent networks need one, and the others do not mind."""
_SPARE = 0.92
"""The share of the steps that fit into a time, as rehearsed, that are planned: no run should be cut off at the end."""
_SHARED = ("maximum_length", "dropout")
"""What every architecture takes over from the recipe's own model, where it has it."""

StepsPerSecond = Callable[[Sequence[Recipe]], Sequence[float]]


@dataclass(frozen=True)
class Request:
    """What was asked for. `parameters` None: as many as the recipe's own model has."""

    recipe: str
    contenders: tuple[Contender, ...]
    budget: Budget | None = None
    seeds: int = 3
    parameters: int | None = None
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True)
class Entry:
    """One contender: its recipe, with the first seed, and what is known about it before it runs."""

    contender: Contender
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

    request: Request
    base: Recipe
    parameters: int
    entries: tuple[Entry, ...]

    @property
    def budget(self) -> Budget:
        """What each may spend: what was asked for, or what the recipe says."""
        steps = self.base.training.steps
        return self.request.budget or Budget("steps", float(steps), f"{steps}steps")


def base_recipe(recipe: str, overrides: Sequence[str]) -> Recipe:
    """The recipe all contenders start from."""
    return load_recipe(recipe, overrides).with_absolute_paths()


def make_plan(request: Request, prepared: Prepared, out: Path, rehearse: StepsPerSecond) -> Plan:
    """Decides sizes and lengths, and writes them down; what an earlier plan in this folder decided stays."""
    base = base_recipe(request.recipe, request.overrides)
    vocabularies = prepared.source_tokenizer.size, prepared.target_tokenizer.size
    known = _earlier(request, base, out)
    target = request.parameters or parameter_count(outline(base.architecture, base.model, vocabularies))
    plan = Plan(request, base, target, ())
    new = [one for one in request.contenders if one.label not in known]
    sketches = [_sketch(one, base, prepared, target) for one in new]
    if plan.budget.kind == "seconds" and new:
        rates = rehearse([one.recipe for one in sketches])
        steps = [int(rate * plan.budget.amount * _SPARE) for rate in rates]
    else:
        steps = [_steps(plan.budget, one) for one in sketches]
    for sketch, count in zip(sketches, steps, strict=True):
        known[sketch.contender.label] = _lasting(sketch, plan, max(count, 1), vocabularies)
    plan = replace(plan, entries=tuple(known[one.label] for one in request.contenders))
    _write(replace(plan, entries=tuple(known.values())), out)
    return plan


def _sketch(contender: Contender, base: Recipe, prepared: Prepared, target: int) -> Entry:
    """The contender at the right size; how long it trains is not decided yet."""
    vocabularies = prepared.source_tokenizer.size, prepared.target_tokenizer.size
    recipe = _of_architecture(contender, base)
    if any(contender.sets(f"model.{name}") for name in widths(recipe.model)):
        count = parameter_count(outline(recipe.architecture, recipe.model, vocabularies))
        if abs(count / target - 1) > TOLERANCE:
            raise ConfigError(
                f"`{contender.label}` must have {target:,} parameters within {TOLERANCE:.0%}, but has {count:,} with "
                "the width it was given. Leave the width out, and one that fits is found."
            )
    else:
        recipe = replace(recipe, model=sized(recipe.architecture, recipe.model, vocabularies, target))
    model = outline(recipe.architecture, recipe.model, vocabularies)
    training = recipe.training
    batches = training_batches(model, prepared.train, training)
    tokens = (prepared.report.target_tokens + len(prepared.train[0])) / len(batches.plan(0)) * training.accumulate
    counted = operations_of(recipe.architecture, recipe.model, prepared)
    return Entry(contender, recipe, parameter_count(model), tokens, counted)


def _of_architecture(contender: Contender, base: Recipe) -> Recipe:
    """The base recipe with another model in it, which starts from its own defaults."""
    document: dict[str, Any] = base.document()
    document["name"] = f"{base.name}-{contender.slug}"
    if contender.architecture != base.architecture:
        its = {field.name for field in fields(architecture(contender.architecture).config)}
        shared = {name: getattr(base.model, name) for name in _SHARED if name in its and hasattr(base.model, name)}
        document["model"] = {"architecture": contender.architecture, **shared}
        document["summary"] = f"{architecture(contender.architecture).summary}; compared under {base.name}."
        document["departures"] = []
    # A rate can be said in two ways, and one of them at a time: a contender's own replaces the recipe's.
    if contender.sets("training.learning_rate"):
        document["training"]["learning_rate_factor"] = 1.0
    if contender.sets("training.learning_rate_factor"):
        document["training"]["learning_rate"] = "none"
    return build_recipe(document, contender.overrides)


def _steps(budget: Budget, sketch: Entry) -> int:
    match budget.kind:
        case "tokens":
            return round(budget.amount / sketch.tokens_per_step)
        case "operations":
            return round(budget.amount / (sketch.tokens_per_step * sketch.operations.training))
    return round(budget.amount)


def _lasting(sketch: Entry, plan: Plan, steps: int, vocabularies: tuple[int, int]) -> Entry:
    """The same with so many steps: everything that happens every so many steps keeps its share of them."""
    training, share = sketch.recipe.training, steps / sketch.recipe.training.steps

    def scaled(count: int) -> int:
        return max(round(count * share), 1)

    changes: dict[str, Any] = {
        "steps": steps,
        "patience": None,
        "warmup": min(scaled(training.warmup), training.warmup),
        "validate_every": scaled(training.validate_every),
        "checkpoint_every": scaled(training.checkpoint_every),
        "journal_every": min(scaled(training.journal_every), training.journal_every),
        "clip": training.clip or CLIP,
    }
    if plan.budget.kind == "seconds":
        changes["minutes"] = plan.budget.amount / 60
    if not sketch.contender.sets("training.learning_rate_factor") and getattr(training, "learning_rate", None) is None:
        base, own = plan.base, outline(sketch.recipe.architecture, sketch.recipe.model, vocabularies).width
        theirs = outline(base.architecture, base.model, vocabularies).width
        peak = base.training.learning_rate_factor / math.sqrt(theirs * base.training.warmup)
        changes["learning_rate_factor"] = peak * math.sqrt(own * changes["warmup"])
    changes = {key: value for key, value in changes.items() if not sketch.contender.sets(f"training.{key}")}
    return replace(sketch, recipe=replace(sketch.recipe, training=replace(training, **changes)))


def _asked(request: Request) -> dict[str, Any]:
    """What must be the same when a comparison goes on; contenders and seeds may be added."""
    return {
        "recipe": request.recipe,
        "budget": request.budget.text if request.budget else None,
        "parameters": request.parameters,
        "overrides": list(request.overrides),
    }


def _write(plan: Plan, out: Path) -> None:
    recipes = out / "recipes"
    recipes.mkdir(parents=True, exist_ok=True)
    for entry in plan.entries:
        write_recipe(entry.recipe, recipes / f"{entry.contender.slug}.toml")
    content = {
        "format": FORMAT,
        **_asked(plan.request),
        "seeds": plan.request.seeds,
        "target_parameters": plan.parameters,
        "contenders": {
            entry.contender.label: {
                "parameters": entry.parameters,
                "tokens_per_step": entry.tokens_per_step,
                "operations": asdict(entry.operations),
            }
            for entry in plan.entries
        },
    }
    atomic_write(out / "plan.json", json.dumps(content, indent=2))


def _earlier(request: Request, base: Recipe, out: Path) -> dict[str, Entry]:
    """What a plan in this folder decided for each contender, if it was for the same request."""
    path = out / "plan.json"
    if not path.is_file():
        return {}
    content = _read(path)
    asked = _asked(request)
    for key, value in asked.items():
        if content.get(key) != value:
            raise ConfigError(
                f"the comparison in `{out}` must go on as it began, but `{key}` was {content.get(key)!r} and is now "
                f"{value!r}. Choose another --out, or ask for the same."
            )
    known = {}
    for label, facts in content["contenders"].items():
        (contender,) = read_contenders(label, base.data.task)
        recipe = load_recipe(out / "recipes" / f"{contender.slug}.toml")
        if recipe.data != base.data:
            raise ConfigError(f"`{out}` must hold runs on the data of {base.name}, but holds others. Choose another.")
        known[label] = Entry(
            contender, recipe, facts["parameters"], facts["tokens_per_step"], Operations(**facts["operations"])
        )
    return known


def _read(path: Path) -> Mapping[str, Any]:
    return read_json(path, FORMAT, "Choose another --out.")
