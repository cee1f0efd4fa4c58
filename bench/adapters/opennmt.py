"""OpenNMT-py 3.5: its own model builder, LossCompute and Translator.

Modules it imports and never uses here (spacy, fasttext) are replaced by empty ones where they are missing.
"""

import importlib
import sys
import types

for name in ("spacy", "fasttext", "ahocorasick"):
    try:
        importlib.import_module(name)
    except ImportError:
        sys.modules[name] = types.ModuleType(name)

import onmt  # noqa: E402
import onmt.opts  # noqa: E402
import torch  # noqa: E402
from onmt.model_builder import build_base_model  # noqa: E402
from onmt.translate import GNMTGlobalScorer, Translator  # noqa: E402
from onmt.utils.loss import LossCompute  # noqa: E402
from onmt.utils.optimizers import Optimizer, build_torch_optimizer  # noqa: E402
from onmt.utils.parse import ArgumentParser  # noqa: E402
from pyonmttok import build_vocab_from_tokens  # noqa: E402

from bench.adapters.teacher_forcing import padded, parameter_count  # noqa: E402

SPECIALS = ["<unk>", "<blank>", "<s>", "</s>"]
PAD, BOS, EOS = 1, 2, 3


class Adapter:
    def __init__(self, setup):
        size = setup.size
        options = _options(size)
        words = [*SPECIALS, *(f"w{index}" for index in range(size.vocabulary - len(SPECIALS)))]
        vocabulary = build_vocab_from_tokens(words, maximum_size=size.vocabulary, special_tokens=SPECIALS)
        self.vocabularies = {
            "src": vocabulary,
            "tgt": vocabulary,
            "data_task": "seq2seq",
            "decoder_start_token": "<s>",
        }
        self.model = build_base_model(options, self.vocabularies)
        for module in self.model.modules():  # built without initialisation: the memory holds whatever was there
            if isinstance(module, torch.nn.Linear | torch.nn.LayerNorm | torch.nn.Embedding):
                module.reset_parameters()
        for parameter in self.model.parameters():
            if parameter.dim() > 1:
                torch.nn.init.xavier_uniform_(parameter)
        self.info = {"version": onmt.__version__, "torch": torch.__version__, "parameters": parameter_count(self.model)}
        self.model.train(setup.mode == "train")
        self.translators = {}
        if setup.mode == "train":
            self.loss = LossCompute.from_opts(options, self.model, vocabulary)
            adam = build_torch_optimizer(self.model, options)
            self.optimizer = Optimizer(adam, options.learning_rate, max_grad_norm=0)

    def collate(self, batch):
        return {
            "src": padded([[*source, EOS] for source, _ in batch], PAD).unsqueeze(2),
            "srclen": torch.tensor([len(source) + 1 for source, _ in batch]),
            "tgt": padded([[BOS, *target, EOS] for _, target in batch], PAD).unsqueeze(2),
            "tokens": sum(len(target) + 1 for _, target in batch),
        }

    def step(self, batch):
        self.optimizer.zero_grad(set_to_none=True)
        output, attention = self.model(batch["src"], batch["tgt"], batch["srclen"], bptt=False, with_align=False)
        loss, _ = self.loss(batch, output, attention, trunc_start=0, trunc_size=batch["tgt"].size(1))
        loss = loss / batch["tokens"]
        self.optimizer.backward(loss)
        self.optimizer.step()
        return loss.item()

    def decode(self, group, beam):
        length = len(group[0]) + 1
        if beam not in self.translators:
            self.translators[beam] = Translator(
                self.model,
                self.vocabularies,
                beam_size=beam,
                global_scorer=GNMTGlobalScorer(0.0, 0.0, "none", "none"),
                random_sampling_topk=1 if beam == 1 else 0,
                dump_beam="",
            )
        translator = self.translators[beam]
        translator.min_length = translator.max_length = length
        source = padded([[*sentence, EOS] for sentence in group], PAD).unsqueeze(2)
        lengths = torch.full((len(group),), length)
        found = translator.translate_batch({"src": source, "srclen": lengths}, attn_debug=False)
        return [[int(token) for token in best[0]] for best in found["predictions"]]


def _options(size):
    parser = ArgumentParser()
    onmt.opts.train_opts(parser)
    words = f"""--encoder_type transformer --decoder_type transformer --layers {size.layers}
        --hidden_size {size.width} --word_vec_size {size.width} --heads {size.heads} --transformer_ff {size.inner}
        --dropout {size.dropout} --attention_dropout {size.dropout} --label_smoothing {size.smoothing}
        --position_encoding --share_embeddings --share_decoder_embeddings --share_vocab
        --param_init 0 --param_init_glorot --optim adam --adam_beta2 0.98 --learning_rate 0.0003
        --normalization tokens --max_grad_norm 0 --src_vocab none --data none"""
    options, _ = parser.parse_known_args(words.split())
    ArgumentParser.update_model_opts(options)
    return options
