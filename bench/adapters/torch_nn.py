"""torch.nn.Transformer as a tutorial uses it: masks, dropout on attention weights, no cache."""

import math

import torch
from torch import nn

from bench import workload
from bench.adapters.teacher_forcing import adam, parameter_count, teacher_forcing


class Network(nn.Module):
    """Embeddings, sinusoids, nn.Transformer, and the embeddings again as the output."""

    def __init__(self, size):
        super().__init__()
        width = size.width
        self.scale = math.sqrt(width)
        self.embedding = nn.Embedding(size.vocabulary, width, padding_idx=workload.PAD)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        angles = torch.arange(512)[:, None] * torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
        self.register_buffer("positions", torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1))
        self.dropout = nn.Dropout(size.dropout)
        self.body = nn.Transformer(
            width, size.heads, size.layers, size.layers, size.inner, size.dropout, batch_first=True
        )

    def embed(self, tokens):
        return self.dropout(self.embedding(tokens) * self.scale + self.positions[: tokens.shape[1]])

    def logits(self, states):
        return states @ self.embedding.weight.t()

    def forward(self, source, reads):
        causal = torch.ones(reads.shape[1], reads.shape[1], dtype=torch.bool, device=reads.device).triu(1)
        source_pad, reads_pad = source == workload.PAD, reads == workload.PAD
        states = self.body(
            self.embed(source),
            self.embed(reads),
            tgt_mask=causal,
            src_key_padding_mask=source_pad,
            tgt_key_padding_mask=reads_pad,
            memory_key_padding_mask=source_pad,
        )
        return self.logits(states)


class Adapter:
    def __init__(self, setup):
        size = setup.size
        self.model = Network(size).train(setup.mode == "train")
        self.collate = teacher_forcing
        self.info = {
            "version": torch.__version__,
            "torch": torch.__version__,
            "parameters": parameter_count(self.model),
        }
        if setup.mode == "train":
            self.optimizer = adam(self.model.parameters())
            self.loss = nn.CrossEntropyLoss(ignore_index=workload.PAD, label_smoothing=size.smoothing)

    def step(self, batch):
        source, reads, writes = batch
        loss = self.loss(self.model(source, reads).flatten(0, 1), writes.flatten())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def decode(self, group, beam):
        source = torch.tensor([[*sentence, workload.EOS] for sentence in group])
        rows, length = source.shape
        memory = self.model.body.encoder(self.model.embed(source)).repeat_interleave(beam, 0)
        causal = nn.Transformer.generate_square_subsequent_mask(length)
        written = torch.full((rows * beam, 1), workload.BOS)
        scores = torch.full((rows, beam), -math.inf)
        scores[:, 0] = 0.0
        for count in range(1, length + 1):
            states = self.model.body.decoder(
                self.model.embed(written), memory, tgt_mask=causal[:count, :count], tgt_is_causal=True
            )
            added = self.model.logits(states[:, -1]).log_softmax(-1)
            added[:, : workload.FIRST_WORD] = -math.inf
            vocabulary = added.shape[1]
            scores, best = (scores[:, :, None] + added.view(rows, beam, vocabulary)).flatten(1).topk(beam)
            parents = (torch.arange(rows)[:, None] * beam + best // vocabulary).flatten()
            written = torch.cat([written[parents], (best % vocabulary).view(-1, 1)], 1)
        return written.view(rows, beam, -1)[:, 0, 1:].tolist()
