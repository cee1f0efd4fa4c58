"""onnxruntime, running an export, gives each token the same logit step by step, whatever the lengths."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from tests.unit.interop.trained import SENTENCES, Trained, make

from saccade.data.tokenizer import Tokenizer
from saccade.interop.onnx import DECODER, DECODER_WITH_PAST, ENCODER, KINDS, export
from saccade.models.transformer import TransformerConfig
from saccade.sequences import Sequences
from saccade.special_tokens import BOS, EOS, PAD

onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
pytest.importorskip("onnxscript", reason="onnxscript is not installed")
pytestmark = pytest.mark.slow  # torch's exporter takes 20 seconds for the smallest model

CONFIG = TransformerConfig(
    encoder_layers=2, decoder_layers=2, width=27, inner_width=41, heads=3, dropout=0.1, maximum_length=67
)
MODELS = {
    "paper": {},
    "pre-norm, narrow keys": {"norm": "pre", "key_width": 5, "value_width": 7, "attention_bias": True},
    "learned positions, bias": {"positions": "learned", "output_bias": True, "start_of_target": "zero"},
}


@pytest.mark.parametrize("kind", MODELS)
def test_every_step_has_the_same_logits_and_greedy_search_the_same_output(kind, tmp_path):
    tokenizer = Tokenizer.train(SENTENCES * 3, pieces="bpe", size=330)
    model = make(replace(CONFIG, **MODELS[kind]), (tokenizer, tokenizer))
    export(Trained(model, tokenizer, tokenizer), tmp_path / "out", "A card.")
    graphs = {
        name: onnxruntime.InferenceSession(tmp_path / "out" / name, providers=["CPUExecutionProvider"])
        for name in (ENCODER, DECODER, DECODER_WITH_PAST)
    }
    for rows in (SENTENCES, SENTENCES[1:2]):
        compare(model, graphs, Sequences.of([[*tokens, EOS] for tokens in tokenizer.encode(rows)]))


def compare(model, graphs, source):
    mask = source.mask.long().numpy()
    (states,) = graphs[ENCODER].run(None, {"input_ids": source.tokens.numpy(), "attention_mask": mask})
    with torch.inference_mode():
        memory = model.encode(source)
        state = model.start(memory)
    np.testing.assert_allclose(states[source.mask], memory.states[source.mask].numpy(), rtol=0, atol=1e-5)
    reads = torch.full((len(source),), BOS)
    inputs = {"encoder_attention_mask": mask}
    past = {}
    for step in range(9):
        with torch.inference_mode():
            logits, state = model.step(reads, state)
        name = DECODER_WITH_PAST if step else DECODER
        first = {} if step else {"encoder_hidden_states": states}
        named = {"input_ids": reads.unsqueeze(1).numpy(), **inputs, **first, **past}
        outputs = [output.name for output in graphs[name].get_outputs()]
        found = dict(zip(outputs, graphs[name].run(None, named), strict=True))
        expected, scores = logits.numpy().copy(), found["logits"][:, 0]
        np.testing.assert_allclose(scores, expected, rtol=0, atol=2e-5)
        past |= {name.replace("present", "past_key_values"): found[name] for name in outputs[1:]}
        scores[:, [PAD, BOS]] = expected[:, [PAD, BOS]] = -np.inf
        reads = torch.from_numpy(expected.argmax(axis=1))
        assert scores.argmax(axis=1).tolist() == reads.tolist()
    assert len(past) == len(KINDS) * model.config.decoder_layers


def test_a_prefix_is_read_at_once(tmp_path):
    tokenizer = Tokenizer.train(SENTENCES * 3, pieces="bpe", size=330)
    model = make(replace(CONFIG, encoder_layers=1, decoder_layers=1), (tokenizer, tokenizer))
    export(Trained(model, tokenizer, tokenizer), tmp_path / "out", "A card.")
    source = Sequences.of([[*tokens, EOS] for tokens in tokenizer.encode(SENTENCES)])
    target = Sequences.of([[BOS, 300, 301, 302, 290, 291, 280]] * 3)
    with torch.inference_mode():
        memory = model.encode(source)
        expected = model.decode(target, memory).numpy()
    graph = onnxruntime.InferenceSession(tmp_path / "out" / DECODER, providers=["CPUExecutionProvider"])
    named = {"encoder_attention_mask": source.mask.long().numpy(), "encoder_hidden_states": memory.states.numpy()}
    found = graph.run(["logits"], {"input_ids": target.tokens.numpy(), **named})[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-5)


INTERRUPTED = """
import sys
import torch

def export(*_, **__):
    print("torch._dynamo.exc" in sys.modules)
    raise KeyboardInterrupt

torch.onnx.export = export
from saccade.cli.main import main
main()
"""


def test_torch_s_compiler_is_imported_before_its_exporter_could_lose_ctrl_c(tmp_path):
    command = [sys.executable, "-c", INTERRUPTED, "export", "en-es", "--to", "onnx", "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1:]) == (130, "True\n", ["interrupted"])
    assert not (tmp_path / "out").exists()
