"""Cases: a kind of fault and a seed, from which everything else follows."""

import importlib
import pkgutil
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from random import Random

from tests.faults import arguments, corruption, inputs, kills, materials, outputs, processes, server
from tests.faults.sandbox import Outcome, Sandbox
from tests.faults.verdict import Failed

KINDS: dict[str, tuple[int, Callable[[Sandbox, Random], None]]] = {
    # of two hundred cases, how many
    "arguments": (60, arguments.run),
    "inputs": (30, inputs.run),
    "outputs": (22, outputs.run),
    "corruption": (50, corruption.run),
    "kills": (25, kills.run),
    "server": (12, server.run),
    "processes": (1, processes.run),
}


@dataclass(frozen=True)
class Result:
    """How a case ended; `report` is for who looks at one case."""

    name: str
    kind: str
    failure: str | None
    report: str


def prepare(root: Path) -> None:
    """Imports everything, so that forks need not, and makes what the faults are done to."""
    import saccade

    for module in pkgutil.walk_packages(saccade.__path__, "saccade."):
        if "kernels" not in module.name and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    (root / "materials").mkdir()
    materials.make(root / "materials", root / "making")


def cases(root: Path, seed: int, kind: str | None, number: int | None) -> Iterator[tuple[Path, str, int]]:
    """Cases from this seed on, of all kinds in their shares."""
    shares = [name for name, (share, _) in KINDS.items() for _ in range(share)]
    every = ((root, kind or Random(one).choice(shares), one) for one in count(seed))
    return every if number is None else islice(every, number)


def run_case(case: tuple[Path, str, int]) -> Result:
    """Runs one case in a sandbox of its own."""
    root, kind, seed = case
    sandbox = Sandbox(root / f"{kind}-{seed}", root / "materials")
    failure = None
    try:
        KINDS[kind][1](sandbox, Random(f"{kind}:{seed}"))
    except Failed as problem:
        failure = str(problem)
    except Exception:
        failure = f"the campaign itself failed: {traceback.format_exc()}"
    finally:
        sandbox.remove()
    shown = "\n".join(map(_shown, sandbox.outcomes))
    if failure is not None and sandbox.outcomes:
        failure = (
            f"{failure}\n    $ saccade {' '.join(repr(word)[:80] for word in sandbox.outcomes[-1].arguments)[:600]}"
        )
        tail = [line for line in sandbox.outcomes[-1].stderr.strip().splitlines() if line.strip()]
        failure += "".join(f"\n    {line[:300]}" for line in tail[-12:])
    return Result(f"{kind}:{seed}", kind, failure, f"{shown}\n{failure or 'held'}")


def _shown(outcome: Outcome) -> str:
    words = " ".join(repr(word)[:200] for word in outcome.arguments)
    printed = outcome.stdout.decode("utf-8", "replace")[:2000] + outcome.stderr[-4000:]
    return f"$ saccade {words}\n{printed}[{outcome.code}] {outcome.seconds:.2f} s"
