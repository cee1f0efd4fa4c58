"""eole: its own model, LossCompute and Translator, configured as its transformer recipe is."""

import logging
from types import SimpleNamespace

import eole
import torch
from eole.config.models import TransformerModelConfig
from eole.config.training import TrainingConfig
from eole.models.model import EncoderDecoderModel
from eole.predict import GNMTGlobalScorer
from eole.predict.translator import Translator
from eole.utils.loss import LossCompute
from pyonmttok import build_vocab_from_tokens

from bench.adapters.teacher_forcing import adam, padded, parameter_count

SPECIALS = ["<unk>", "<blank>", "<s>", "</s>"]
PAD, BOS, EOS = 1, 2, 3


class Adapter:
    def __init__(self, setup):
        size = setup.size
        logging.disable(logging.INFO)
        words = [*SPECIALS, *(f"w{index}" for index in range(size.vocabulary - len(SPECIALS)))]
        vocabulary = build_vocab_from_tokens(words, maximum_size=size.vocabulary, special_tokens=SPECIALS)
        self.vocabularies = {
            "src": vocabulary,
            "tgt": vocabulary,
            "specials": {"bos_token": "<s>", "pad_token": "<blank>", "eos_token": "</s>", "unk_token": "<unk>"},
            "decoder_start_token": "<s>",
            "data_task": "encoder_decoder",
        }
        self.config = TransformerModelConfig(
            architecture="transformer",
            layers=size.layers,
            hidden_size=size.width,
            heads=size.heads,
            transformer_ff=size.inner,
            embeddings={"word_vec_size": size.width, "position_encoding_type": "SinusoidalInterleaved"},
            share_embeddings=True,
            share_decoder_embeddings=True,
            add_qkvbias=True,
            add_final_linear_bias=True,
            add_ffnbias=True,
        )
        training = TrainingConfig(
            dropout=[size.dropout],
            attention_dropout=[size.dropout],
            label_smoothing=size.smoothing,
            world_size=0,
            gpu_ranks=[],
            optim="adam",
            compute_dtype="fp32",
            param_init_method="xavier_uniform",
            use_amp=False,
            normalization="tokens",
            log_attention_entropy=False,
        )
        self.model = EncoderDecoderModel.for_training(self.config, self.vocabularies, training, device_id=-1)
        self.info = {"version": eole.__version__, "torch": torch.__version__, "parameters": parameter_count(self.model)}
        if setup.mode == "train":
            self.model.train()
            both = SimpleNamespace(model=self.config, training=training)
            self.loss = LossCompute.from_config(both, self.model, self.vocabularies)
            self.optimizer = adam(self.model.parameters())
        else:
            self.model._prepare_for_inference(SimpleNamespace(compute_dtype=torch.float32))
            self.translators = {}

    def collate(self, batch):
        return {
            "src": padded([[*source, EOS] for source, _ in batch], PAD),
            "srclen": torch.tensor([len(source) + 1 for source, _ in batch]),
            "tgt": padded([[BOS, *target, EOS] for _, target in batch], PAD),
            "cid": ["bench"] * len(batch),
            "cid_line_number": [0] * len(batch),
            "tokens": sum(len(target) + 1 for _, target in batch),
        }

    def step(self, batch):
        self.optimizer.zero_grad(set_to_none=True)
        output = self.model(batch["src"], batch["tgt"], batch["srclen"], with_align=False)
        loss, _, _ = self.loss(batch, output.dec_out, output.attns, estim=output.estim)
        loss = loss / batch["tokens"]
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def decode(self, group, beam):
        length = len(group[0]) + 1
        if beam not in self.translators:
            self.translators[beam] = self._translator(beam, length)
        translator = self.translators[beam]
        translator.min_length = translator.max_length = length
        source = padded([[*sentence, EOS] for sentence in group], PAD)
        lengths = torch.full((len(group),), length)
        found = translator.predict_batch({"src": source, "srclen": lengths}, attn_debug=False)
        return [[int(token) for token in best[0]] for best in found["predictions"]]

    def _translator(self, beam, length):
        settings = {
            **{"transforms": [], "optional_eos": [], "dynamic_shapes": False, "n_best": 1, "max_length_ratio": 0},
            **{"max_length": length, "min_length": length, "context_length": 512, "beam_size": beam, "seed": 1},
            **{"temperature": 1.0, "top_k": 1 if beam == 1 else 0, "top_p": 0.0, "ban_unk_token": False, "ratio": 0.0},
            **{"stepwise_penalty": False, "dump_beam": "", "block_ngram_repeat": 0, "ignore_when_blocking": []},
            **{"replace_unk": False, "tgt_file_prefix": False, "phrase_table": "", "data_type": "text"},
            **{"verbose": False, "report_time": False, "report_align": False, "gold_align": False},
            **{"with_score": False, "estim_only": False, "self_attn_backend": "pytorch", "batch_type": "sents"},
            **{"fuse_kvq": False, "fuse_gate": False, "parallel_gpu": 1},
        }
        return Translator(
            self.model,
            self.vocabularies,
            SimpleNamespace(**settings),
            self.config,
            device_id=-1,
            global_scorer=GNMTGlobalScorer(0.0, 0.0, "none", "none"),
            report_score=False,
        )
