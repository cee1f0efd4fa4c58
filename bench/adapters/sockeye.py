"""Sockeye 3: SockeyeModel traced as its trainer traces it, its loss, and its beam and greedy search.

It has no minimum output length: the bias of EOS is set so low that only the maximum length ends a sentence.
"""

import sockeye
import torch
from sockeye import beam_search, data_io, encoder, loss, training, transformer
from sockeye import constants as names
from sockeye.model import ModelConfig, SockeyeModel, initialize_parameters

from bench.adapters.teacher_forcing import adam, padded, parameter_count


class Adapter:
    def __init__(self, setup):
        size = setup.size
        self.model = SockeyeModel(_config(size), inference_only=setup.mode == "decode")
        self.model.apply(initialize_parameters)
        self.info = {
            "version": sockeye.__version__,
            "torch": torch.__version__,
            "parameters": parameter_count(self.model),
        }
        self.model.train(setup.mode == "train")
        if setup.mode == "train":
            self.optimizer = adam(self.model.parameters())
            self.losses = [loss.CrossEntropyLoss(label_smoothing=size.smoothing)]
            self.traced = None
        else:
            with torch.no_grad():
                bias = dict(self.model.named_parameters())["output_layer.bias"]
                bias.zero_()
                bias[names.EOS_ID] = bias[names.PAD_ID] = -1e6
            self.searches = {}

    def collate(self, batch):
        source = _padded([[*source, names.EOS_ID] for source, _ in batch]).unsqueeze(2)
        reads = _padded([[names.BOS_ID, *target] for _, target in batch]).unsqueeze(2)
        writes = _padded([[*target, names.EOS_ID] for _, target in batch])
        source_lengths = torch.tensor([[len(source) + 1] for source, _ in batch], dtype=torch.int32)
        target_lengths = torch.tensor([[len(target) + 1] for _, target in batch], dtype=torch.int32)
        return source, source_lengths, reads, target_lengths, {names.TARGET_LABEL_NAME: writes}

    def step(self, batch):
        if self.traced is None:
            traced = torch.jit.trace(self.model, batch[:4], strict=False)
            self.traced = training.ModelWithLoss(traced, self.losses)
        total, _, _ = self.traced(*batch)
        total.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        return total.item()

    @torch.inference_mode()
    def decode(self, group, beam):
        length = len(group[0]) + 1
        greedy = beam == 1 and len(group) == 1  # its greedy search takes one sentence at a time
        if (beam, greedy) not in self.searches:
            self.searches[beam, greedy] = self._search(beam, greedy)
        source = _padded([[*sentence, names.EOS_ID] for sentence in group]).unsqueeze(2)
        lengths = torch.full((len(group), 1), length, dtype=torch.int32)
        limits = torch.full((len(group),), length, dtype=torch.int32)
        found = self.searches[beam, greedy](source, lengths, restrict_lexicon=None, max_output_lengths=limits)
        words, parents = found.best_word_indices.numpy()[:, 0], found.best_hyp_indices.numpy()
        if greedy:
            return words.tolist()
        return [_followed(words, parents, sentence * beam) for sentence in range(len(group))]

    def _search(self, beam, greedy):
        scorer = beam_search.CandidateScorer(1.0, 0.0, 0.0)
        scorer.to(torch.float32)
        return beam_search.get_search_algorithm(
            [self.model],
            beam_size=beam,
            device=torch.device("cpu"),
            output_scores=beam > 1,
            scorer=scorer,
            constant_length_ratio=-1.0,
            greedy=greedy,
        )


def _padded(rows):
    return padded(rows, names.PAD_ID, torch.int32)


def _followed(words, parents, row):
    """The best output of a sentence, along the pointers from its last word back."""
    row, output = parents[row, -1], []
    for column in range(words.shape[1] - 1, -1, -1):
        output.append(int(words[row, column]))
        row = parents[row, column]
    return output[::-1]


def _config(size):
    statistics = data_io.DataStatistics(
        num_sents=1,
        num_discarded=0,
        num_tokens_source=1,
        num_tokens_target=1,
        num_unks_source=0,
        num_unks_target=0,
        max_observed_len_source=100,
        max_observed_len_target=100,
        size_vocab_source=size.vocabulary,
        size_vocab_target=size.vocabulary,
        length_ratio_mean=1.0,
        length_ratio_std=0.1,
        buckets=[(100, 100)],
        num_sents_per_bucket=[1],
        average_len_target_per_bucket=[20],
        length_ratio_stats_per_bucket=None,
    )
    data = data_io.DataConfig(
        data_statistics=statistics,
        max_seq_len_source=128,
        max_seq_len_target=128,
        num_source_factors=1,
        num_target_factors=1,
    )
    body = transformer.TransformerConfig(
        model_size=size.width,
        attention_heads=size.heads,
        feed_forward_num_hidden=size.inner,
        act_type="relu",
        num_layers=size.layers,
        dropout_attention=size.dropout,
        dropout_act=0.0,
        dropout_prepost=size.dropout,
        positional_embedding_type="fixed",
        preprocess_sequence="",
        postprocess_sequence="drn",
        max_seq_len_source=128,
        max_seq_len_target=128,
        depth_key_value=size.width,
    )
    embedding = encoder.EmbeddingConfig(vocab_size=size.vocabulary, num_embed=size.width, dropout=0.0)
    return ModelConfig(
        config_data=data,
        vocab_source_size=size.vocabulary,
        vocab_target_size=size.vocabulary,
        config_embed_source=embedding,
        config_embed_target=embedding,
        config_encoder=body,
        config_decoder=body,
    )
