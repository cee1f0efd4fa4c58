"""x-transformers' XTransformer with its defaults, which are pre-norm, and tied embeddings; its generate, its beams."""

import importlib.metadata

import torch
from torch.nn import functional
from x_transformers import XTransformer

from bench import workload
from bench.adapters.teacher_forcing import adam, parameter_count, teacher_forcing


class Adapter:
    def __init__(self, setup):
        size = setup.size
        side = {
            "num_tokens": size.vocabulary,
            "depth": size.layers,
            "heads": size.heads,
            "max_seq_len": 512,
            "attn_dim_head": size.width // size.heads,
            "ff_mult": size.inner / size.width,
            "emb_dropout": size.dropout,
            "layer_dropout": 0.0,
            "attn_dropout": size.dropout,
            "ff_dropout": size.dropout,
        }
        both = {f"{name}_{key}": value for name in ("enc", "dec") for key, value in side.items()}
        self.model = XTransformer(
            dim=size.width, tie_token_emb=True, pad_value=workload.PAD, ignore_index=workload.PAD, **both
        )
        top = self.model.decoder.net
        top.to_logits.weight = top.token_emb.emb.weight
        self.info = {
            "version": importlib.metadata.version("x-transformers"),
            "torch": torch.__version__,
            "parameters": parameter_count(self.model),
        }
        self.smoothing = size.smoothing
        self.collate = teacher_forcing
        self.model.train(setup.mode == "train")
        if setup.mode == "train":
            self.optimizer = adam(self.model.parameters())

    def step(self, batch):
        source, reads, writes = batch
        mask = source != workload.PAD
        memory = self.model.encoder(source, mask=mask, return_embeddings=True)
        # The wrapper's own loss has no label smoothing.
        logits = self.model.decoder.net(reads, context=memory, context_mask=mask)
        loss = functional.cross_entropy(
            logits.flatten(0, 1), writes.flatten(), ignore_index=workload.PAD, label_smoothing=self.smoothing
        )
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def decode(self, group, beam):
        source = torch.tensor([[*sentence, workload.EOS] for sentence in group])
        length = source.shape[1]
        start = torch.full((len(group), 1), workload.BOS)
        mask = torch.ones_like(source, dtype=torch.bool)
        if beam == 1:
            return self.model.generate(source, start, length, mask=mask, temperature=0.0).tolist()
        memory = self.model.encoder(source, mask=mask, return_embeddings=True)
        beams = self.model.decoder.beam_search(start, length, beams=beam, context=memory, context_mask=mask)
        return beams.tolist()
