"""Steps of every system on batches of few shapes: replayed from CUDA graphs against eager, on the same batches."""

from dataclasses import replace
from itertools import islice

import pytest
import torch

from saccade.data.batches import Position
from saccade.data.bucketed import BucketedBatches
from saccade.models.capabilities import CountingModel, Penalised, reads_packed
from saccade.models.catalogue import ARCHITECTURES, build
from saccade.training.distributed import World
from saccade.training.objective import Objective
from saccade.training.optimizer import adam
from saccade.training.parallelize import parallelize
from saccade.training.step_cuda_graph import CudaGraphStepper
from saccade.training.step_eager import EagerStepper

SYSTEMS = ("rctm", "rnn-encoder-decoder", "seq2seq", "rnnsearch", "luong", "lstmn", "convs2s", "rnn-language-model")


def model_of(name, vocabulary, **changes):
    kind = ARCHITECTURES[name].config
    known = {"width": 32, "layers": 2, "encoder_layers": 2, "decoder_layers": 2, "embedding_width": 16, "dropout": 0.0}
    fields = kind.__dataclass_fields__
    torch.manual_seed(5)
    settings = {key: value for key, value in (known | changes).items() if key in fields}
    return build(name, kind(**settings), vocabulary, vocabulary)


def steppers(name, toy, gpu, batches, **changes):
    config = replace(toy.CONFIG, precision="float32", accumulate=1, clip=1.0)
    vocabulary = int(max(store.source_ids.max() for store in batches.stores)) + 8
    made = []
    for captured in (False, True):
        model = model_of(name, vocabulary, **changes).train()
        placement = parallelize(Objective(model, 0.1, autocast=False), config, World(gpu))
        optimizer = adam(placement.model, config)
        if captured:
            made.append((model, CudaGraphStepper(placement.objective, optimizer, config, gpu)))
        else:
            made.append((model, EagerStepper(placement, optimizer, config, placement.world)))
    return made


def batches_of(toy, folder):
    return BucketedBatches([toy.store(folder, pairs=400)], 120, seed=3)


@pytest.mark.parametrize("name", SYSTEMS)
def test_replayed_steps_are_eager_steps(name, toy, gpu, tmp_path):
    batches = batches_of(toy, tmp_path)
    (eager, plain), (captured, replaying) = steppers(name, toy, gpu, batches)
    assert not reads_packed(eager)
    assert not isinstance(eager, CountingModel | Penalised)
    for step, pairs in enumerate(islice(batches.stream(Position()), 24), 1):
        expected, found = (
            stepper.take([pairs], pairs.target.total, step, 1e-3).loss() for stepper in (plain, replaying)
        )
        assert found.smoothed == pytest.approx(expected.smoothed, rel=2e-3)
        assert found.gradient_norm == pytest.approx(expected.gradient_norm, rel=2e-2)
    assert len(replaying.captured) > 1
    trained = dict(eager.named_parameters())
    for name_, parameter in captured.named_parameters():
        torch.testing.assert_close(parameter, trained[name_], rtol=1e-2, atol=3e-3, msg=name_)


@pytest.mark.parametrize("name", ["luong", "seq2seq", "convs2s"])
def test_each_step_draws_dropout_of_its_own_and_always_the_same(name, toy, gpu, tmp_path):
    batches = batches_of(toy, tmp_path)
    _, (_, stepper) = steppers(name, toy, gpu, batches, dropout=0.3)
    pairs = next(batches.stream(Position()))
    one, two, again = (stepper.take([pairs], pairs.target.total, step, 0.0).loss().smoothed for step in (1, 2, 1))
    assert one == again
    assert one != two
