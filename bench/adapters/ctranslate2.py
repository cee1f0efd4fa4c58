"""CTranslate2, which only decodes: a model of random weights is written to a temporary folder and loaded.

Variants: the type it computes in, float32 or int8. With "-split" after it, threads work on parts of a batch side by
side instead of together on one; a batch of one then has one thread.
"""

import tempfile

import ctranslate2
import numpy as np
from ctranslate2.specs import TransformerSpec, common_spec


class Adapter:
    def __init__(self, setup):
        size = setup.size
        assert setup.mode == "decode"
        computes, _, split = setup.variant.partition("-")
        self.workers = setup.threads if split else 1
        self.words = ["<unk>", "<s>", "</s>", *(f"w{index}" for index in range(size.vocabulary - 3))]
        spec = _spec(size)
        spec.register_source_vocabulary(self.words)
        spec.register_target_vocabulary(self.words)
        spec.validate()
        spec.optimize(quantization=None if computes == "float32" else computes)
        self.folder = tempfile.TemporaryDirectory()
        spec.save(self.folder.name)
        self.translator = ctranslate2.Translator(
            self.folder.name,
            device="cpu",
            compute_type=computes,
            inter_threads=self.workers,
            intra_threads=setup.threads // self.workers,
        )
        self.info = {"version": ctranslate2.__version__, "computes": self.translator.compute_type}

    def decode(self, group, beam):
        length = len(group[0]) + 1
        found = self.translator.translate_batch(
            [[*(self.words[token] for token in sentence), "</s>"] for sentence in group],
            beam_size=beam,
            min_decoding_length=length,
            max_decoding_length=length,
            max_batch_size=-(-len(group) // self.workers),
        )
        return [result.hypotheses[0] for result in found]


def _spec(size):
    generator = np.random.default_rng(1)
    width, inner = size.width, size.inner

    def random(*shape):
        return (generator.standard_normal(shape) * shape[-1] ** -0.5).astype(np.float32)

    def linear(spec, outer, inner):
        spec.weight, spec.bias = random(outer, inner), np.zeros(outer, np.float32)

    def norm(spec):
        spec.gamma, spec.beta = np.ones(width, np.float32), np.zeros(width, np.float32)

    def attention(spec, parts):
        for layer, part in zip(spec.linear, parts, strict=True):
            linear(layer, part * width, width)
        norm(spec.layer_norm)

    def feedforward(spec):
        linear(spec.linear_0, inner, width)
        linear(spec.linear_1, width, inner)
        norm(spec.layer_norm)

    spec = TransformerSpec.from_config(
        (size.layers, size.layers), size.heads, pre_norm=False, activation=common_spec.Activation.RELU
    )
    table = random(size.vocabulary, width)
    embeddings = spec.encoder.embeddings
    for embedding in [*(embeddings if isinstance(embeddings, list) else [embeddings]), spec.decoder.embeddings]:
        embedding.weight = table
    angles = np.arange(512)[:, None] * np.exp(np.arange(0, width, 2) * (-np.log(10_000.0) / width))
    positions = np.concatenate([np.sin(angles), np.cos(angles)], 1).astype(np.float32)
    spec.encoder.position_encodings.encodings = positions
    spec.decoder.position_encodings.encodings = positions
    for layer in spec.encoder.layer:
        attention(layer.self_attention, (3, 1))
        feedforward(layer.ffn)
    for layer in spec.decoder.layer:
        attention(layer.self_attention, (3, 1))
        attention(layer.attention, (1, 2, 1))
        feedforward(layer.ffn)
    spec.decoder.projection.weight = table
    spec.decoder.projection.bias = np.zeros(size.vocabulary, np.float32)
    return spec
