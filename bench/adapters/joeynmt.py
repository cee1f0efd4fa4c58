"""JoeyNMT: its own model, loss, batch and search; the step its trainer makes, without the logging."""

import importlib.metadata
from types import SimpleNamespace

import torch
from joeynmt.batch import Batch
from joeynmt.model import build_model
from joeynmt.search import search
from joeynmt.vocabulary import Vocabulary

from bench.adapters.teacher_forcing import adam, padded, parameter_count

PAD, BOS, EOS = 1, 2, 3


class Words(Vocabulary):
    def add_tokens(self, tokens):
        """The library's own is quadratic in the vocabulary."""
        for token in tokens:
            if token not in self._stoi:
                self._stoi[token] = len(self._itos)
                self._itos.append(token)


class Adapter:
    def __init__(self, setup):
        size = setup.size
        special = SimpleNamespace(
            **{"unk_id": 0, "unk_token": "<unk>", "pad_id": PAD, "pad_token": "<pad>", "bos_id": BOS, "lang_tags": []},
            **{"bos_token": "<s>", "eos_id": EOS, "eos_token": "</s>", "sep_id": None, "sep_token": None},
        )
        vocabulary = Words([f"w{index}" for index in range(size.vocabulary - 4)], special)
        side = {
            "type": "transformer",
            "num_layers": size.layers,
            "num_heads": size.heads,
            "embeddings": {"embedding_dim": size.width, "scale": True, "dropout": size.dropout},
            "hidden_size": size.width,
            "ff_size": size.inner,
            "dropout": size.dropout,
            "layer_norm": "post",
        }
        initial = {"initializer": "xavier_uniform", "embed_initializer": "xavier_uniform", "bias_initializer": "zeros"}
        tied = {"embed_init_gain": 1.0, "init_gain": 1.0, "tied_embeddings": True, "tied_softmax": True}
        self.model = build_model({**initial, **tied, "encoder": side, "decoder": dict(side)}, vocabulary, vocabulary)
        self.model.loss_function = ("crossentropy", size.smoothing)
        self.info = {
            "version": importlib.metadata.version("joeynmt"),
            "torch": torch.__version__,
            "parameters": parameter_count(self.model),
        }
        self.model.train(setup.mode == "train")
        if setup.mode == "train":
            self.optimizer = adam(self.model.parameters())

    def collate(self, batch):
        return _batch([source for source, _ in batch], [target for _, target in batch])

    def step(self, batch):
        batch.sort_by_src_length()
        loss, _, _, _ = self.model(return_type="loss", **vars(batch))
        loss = batch.normalize(loss, normalization="tokens")
        loss.backward()
        self.optimizer.step()
        self.model.zero_grad()
        return loss.item()

    def decode(self, group, beam):
        length = len(group[0]) + 1
        output, _, _ = search(
            self.model,
            _batch(group, None),
            max_output_length=length,
            min_output_length=length,
            beam_size=beam,
            beam_alpha=1.0 if beam > 1 else -1,
        )
        return output.tolist()


def _batch(sources, targets):
    return Batch(
        src=padded([[*source, EOS] for source in sources], PAD),
        src_length=torch.tensor([len(source) + 1 for source in sources]),
        src_prompt_mask=None,
        trg=padded([[BOS, *target, EOS] for target in targets], PAD) if targets else None,
        trg_prompt_mask=None,
        indices=torch.arange(len(sources)),
        device=torch.device("cpu"),
        pad_index=PAD,
        eos_index=EOS,
        is_train=targets is not None,
    )
