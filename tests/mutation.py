"""Mutation testing: which small changes of the code does no test notice?

    pip install cosmic-ray
    python -m tests.mutation                                    # every file below
    python -m tests.mutation src/saccade/training/schedule.py --jobs 4

The mutants are cosmic-ray's. Each is tested in a forked process, so that torch is imported only once, with the tests
of its own file; no source file is changed. Survivors of a first pass without shape checks are tested again with them,
as the suite has them. A mutant that uses far more CPU time than the unchanged code counts as killed.
"""

import argparse
import ast
import importlib
import os
import random
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path

import parso
from cosmic_ray.operators import (
    binary_operator_replacement,
    boolean_replacer,
    break_continue,
    comparison_operator_replacement,
    number_replacer,
    unary_operator_replacement,
    zero_iteration_for_loop,
)

ROOT = Path(__file__).parents[1]
FILES = (
    "src/saccade/training/schedule.py",
    "src/saccade/decoding/beam.py",
    "src/saccade/attention/attend.py",
    "src/saccade/data/batches.py",
    *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "src/saccade/evaluation").glob("[!_]*.py")),
)
# Tests of a file other than tests/unit/<room>/test_<file>.py.
TESTS = {
    "src/saccade/evaluation/metric_score.py": ["test_metric_score.py", "test_error_rates.py", "test_accuracy.py"],
}
# Tests that take long and concern many files at once.
DESELECTED = "not multi30k and not real_captions and not published_test_set"
# Imported once, before the fork.
PRELOADED = ("torch", "numpy", "hypothesis", "beartype", "jaxtyping", "pytest", "sacrebleu")

_COMPARISONS = ["Eq_NotEq", "NotEq_Eq", "Lt_LtE", "Lt_GtE", "LtE_Lt", "LtE_Gt", "Gt_GtE", "Gt_LtE", "GtE_Gt", "GtE_Lt"]
_COMPARISONS += ["Is_IsNot", "IsNot_Is", "In_NotIn", "NotIn_In"]
_BINARY = ["Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Div", "FloorDiv_Mul", "Mod_FloorDiv", "Pow_Mul"]
_BINARY += ["BitOr_BitAnd", "BitAnd_BitOr"]
_UNARY = ["Delete_USub", "Delete_Not", "Delete_Invert"]


def operators() -> list:
    """One or two replacements of every operator, numbers one up and one down, conditions negated, loops skipped."""
    chosen = [
        (comparison_operator_replacement, [f"ReplaceComparisonOperator_{name}" for name in _COMPARISONS]),
        (binary_operator_replacement, [f"ReplaceBinaryOperator_{name}" for name in _BINARY]),
        (unary_operator_replacement, [f"ReplaceUnaryOperator_{name}" for name in _UNARY]),
        (boolean_replacer, ["ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"]),
        (boolean_replacer, ["AddNot"]),
        (break_continue, ["ReplaceBreakWithContinue", "ReplaceContinueWithBreak"]),
        (number_replacer, ["NumberReplacer"]),
        (zero_iteration_for_loop, ["ZeroIterationForLoop"]),
    ]
    return [getattr(module, name)() for module, names in chosen for name in names if hasattr(module, name)]


@dataclass(frozen=True)
class Mutant:
    """A file with one change."""

    file: str
    operator: str
    line: int
    code: str

    @property
    def changed(self) -> str:
        """The changed line."""
        before, after = ((ROOT / self.file).read_text().splitlines(), self.code.splitlines())
        return next((new.strip() for old, new in zip(before, after, strict=False) if old != new), "")


def mutants_of(file: str) -> Iterator[Mutant]:
    """Every mutant of a file, apart from annotations, decorators and imports."""
    source = (ROOT / file).read_text()
    skipped = _not_executed(source)
    tree = parso.parse(source)
    for operator in operators():
        for node in list(_nodes(tree)):
            for index, ((line, column), _) in enumerate(operator.mutation_positions(node)):
                if any(start <= (line, column) < end for start, end in skipped):
                    continue
                code = _replaced(tree, node, operator, index)
                assert tree.get_code() == source
                if code != source:
                    yield Mutant(file, type(operator).__name__.split("_", 1)[-1], line, code)


def _nodes(node) -> Iterator:
    yield node
    for child in getattr(node, "children", ()):
        yield from _nodes(child)


def _replaced(tree, node, operator, index: int) -> str:
    """The code with this node replaced; the tree is left as it was."""
    values = [(one, one.value) for one in _nodes(node) if hasattr(one, "value")]
    children = [(one, list(one.children)) for one in (node.parent, *_nodes(node)) if hasattr(one, "children")]
    mutated = operator.mutate(node, index)
    siblings = node.parent.children
    place = next(place for place, one in enumerate(siblings) if one is node)
    siblings[place : place + 1] = [] if mutated is None else [mutated]
    code = tree.get_code()
    for one, value in values:
        one.value = value
    for one, before in children:
        one.children[:] = before
    return code


def _not_executed(source: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where annotations, decorators, imports and assertions' messages stand."""
    nodes = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            nodes += [
                node.returns,
                *node.decorator_list,
                *(one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)),
            ]
        elif isinstance(node, ast.ClassDef):
            nodes += [*node.decorator_list, *node.bases]
        elif isinstance(node, ast.AnnAssign):
            nodes.append(node.annotation)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            nodes.append(node)
    return [
        ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)) for node in nodes if node is not None
    ]


def tests_of(file: str) -> list[str]:
    """The test files that concern a file."""
    room, name = Path(file).parts[-2:]
    names = TESTS.get(file, [f"test_{name}"])
    return [path for name in names if (ROOT / (path := f"tests/unit/{room}/{name}")).exists()]


def start(mutant: Mutant | None, file: str, seconds: int, checks: bool) -> int:
    """Forks a process that runs the tests with this mutant in place of its file."""
    process = os.fork()
    if process:
        return process
    try:
        output = os.open(
            os.devnull if mutant else f"{tempfile.gettempdir()}/mutation_baseline.log",
            os.O_WRONLY | os.O_CREAT | os.O_TRUNC,
        )
        os.dup2(output, 1)
        os.dup2(output, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        code = _run(mutant, file, checks)
        sys.stdout.flush()
    except BaseException:
        traceback.print_exc()
        code = 99
    os._exit(code)


def _run(mutant: Mutant | None, file: str, checks: bool) -> int:
    import jaxtyping
    import pytest
    import torch

    torch.set_num_threads(1)
    sys.dont_write_bytecode = True
    if not checks:
        jaxtyping.install_import_hook = lambda *_: None
    if mutant is not None:
        _put_in_place(str(ROOT / mutant.file), mutant.code.encode())
    options = [
        "-x",
        "-q",
        "--assert=plain",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "--hypothesis-seed=0",
        "-k",
        DESELECTED,
    ]
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.mkdtemp()
    return int(pytest.main([*options, *tests_of(file)]))


def _put_in_place(path: str, code: bytes) -> None:
    """Whoever imports this path gets this code, never bytecode compiled before."""
    read, stats = SourceFileLoader.get_data, SourceFileLoader.path_stats

    def get_data(self, asked):
        return code if asked == path else read(self, asked)

    def path_stats(self, asked):
        if asked == path:
            raise OSError("no bytecode of a mutant")
        return stats(self, asked)

    SourceFileLoader.get_data, SourceFileLoader.path_stats = get_data, path_stats


def baseline(file: str, checks: bool) -> int:
    """The CPU seconds a mutant may use: far more than the unchanged code, whose tests must pass."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _, status = os.waitpid(start(None, file, 1200, checks), 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = Path(tempfile.gettempdir(), "mutation_baseline.log").read_text()
    assert os.waitstatus_to_exitcode(status) == 0, f"the tests of {file} must pass unchanged, but fail:\n{log[-3000:]}"
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{file}: {used:.1f} s of CPU time unchanged; {log.strip().splitlines()[-1]}", flush=True)
    return int(4 * used) + 20


def survivors(mutants: Sequence[Mutant], jobs: int, checks: bool) -> list[Mutant]:
    """Those that no test notices."""
    limits = {file: baseline(file, checks) for file in dict.fromkeys(mutant.file for mutant in mutants)}
    waiting, running, found = list(mutants), {}, []
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop(0)
            running[start(mutant, mutant.file, limits[mutant.file], checks)] = mutant
        process, status = os.waitpid(-1, 0)
        mutant = running.pop(process)
        code = os.waitstatus_to_exitcode(status)
        assert code not in (5, 99), f"the tests of {mutant.file} must run, but end with {code}: {mutant.changed}"
        if code == 0:
            found.append(mutant)
            when = "" if checks else " without checks"
            print(f"survives{when}: {mutant.file}:{mutant.line} {mutant.operator}: {mutant.changed}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", default=FILES)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sample", type=float, default=1.0, help="the share of mutants to test, drawn at random")
    parser.add_argument("--lines", help="only mutants of these lines, as 17 or 17-23")
    asked = parser.parse_args()
    os.chdir(ROOT)
    for name in PRELOADED:
        importlib.import_module(name)
    mutants = [mutant for file in asked.files for mutant in mutants_of(file)]
    if asked.lines:
        first, _, last = asked.lines.partition("-")
        mutants = [mutant for mutant in mutants if int(first) <= mutant.line <= int(last or first)]
    if asked.sample < 1:
        mutants = random.Random(0).sample(mutants, round(asked.sample * len(mutants)))
    began = time.monotonic()
    print(f"{len(mutants)} mutants", flush=True)
    left = survivors(survivors(mutants, asked.jobs, checks=False), asked.jobs, checks=True)
    total, alive = (Counter(mutant.file for mutant in some) for some in (mutants, left))
    print(f"\n{'file':<45}{'mutants':>9}{'killed':>9}{'survived':>10}")
    for file in total:
        print(f"{file:<45}{total[file]:>9}{total[file] - alive[file]:>9}{alive[file]:>10}")
    print(
        f"{'all':<45}{len(mutants):>9}{len(mutants) - len(left):>9}{len(left):>10}   {time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
