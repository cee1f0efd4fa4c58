"""A loss that is not finite, from the command that met it to the operation that made it."""

import re


def test_a_loss_that_is_not_finite_ends_in_the_name_of_an_operation(saccade, training, tmp_path):
    out = tmp_path / "run"
    absurd = {"training__warmup": 1, "training__learning_rate_factor": 1e22}  # finite weights, infinite products
    done = saccade(*training(out, **absurd, training__checkpoint_every=1))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    error = done.stderr.splitlines()[-1]
    assert "error: the loss of step 2 must be finite, but is not. The last good checkpoint is step 1." in error
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["step-000001"]

    advised = re.search(r"Do: saccade (replay .*)", error)
    replayed = saccade(*advised[1].split(" ", 1))
    assert replayed.returncode == 0, replayed.stderr
    assert re.match(r"step 2, micro-batch 0: .*inf.* comes from `aten\.\w+` in module `encoder\.", replayed.stdout)
