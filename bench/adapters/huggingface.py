"""Hugging Face MarianMTModel: a step as its Trainer makes it, generate() for decoding.

Variants: "" as MarianConfig has it, without dropout on attention weights, which lets SDPA take its fused kernel;
"attention_dropout" with it; "bfloat16" as "", with the Trainer's switch of that name, which is torch's autocast.
"""

import torch
import transformers
from transformers import MarianConfig, MarianMTModel
from transformers.trainer_pt_utils import LabelSmoother

from bench import workload
from bench.adapters.teacher_forcing import adam, parameter_count, teacher_forcing


class Adapter:
    def __init__(self, setup):
        size = setup.size
        self.model = MarianMTModel(
            marian_config(size, attention_dropout=size.dropout if setup.variant == "attention_dropout" else 0.0)
        )
        self.collate = teacher_forcing
        self.bfloat16 = setup.variant == "bfloat16"
        self.info = {
            "version": transformers.__version__,
            "torch": torch.__version__,
            "attention": self.model.config._attn_implementation,
            "parameters": parameter_count(self.model),
        }
        self.model.train(setup.mode == "train")
        if setup.mode == "train":
            self.optimizer = adam([parameter for parameter in self.model.parameters() if parameter.requires_grad])
            self.smoother = LabelSmoother(epsilon=size.smoothing, ignore_index=-100)

    def step(self, batch):
        source, reads, writes = batch
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bfloat16):
            output = self.model(
                input_ids=source, attention_mask=(source != workload.PAD).long(), decoder_input_ids=reads
            )
            loss = self.smoother(output, writes.masked_fill(writes == workload.PAD, -100))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def decode(self, group, beam):
        source = torch.tensor([[*sentence, workload.EOS] for sentence in group])
        length = source.shape[1]
        output = self.model.generate(
            input_ids=source,
            attention_mask=torch.ones_like(source),
            num_beams=beam,
            do_sample=False,
            min_new_tokens=length,
            max_new_tokens=length,
            length_penalty=1.0,
            early_stopping=False,
        )
        return output[:, 1:].tolist()


def marian_config(size, **more):
    """The paper's model in Marian's words."""
    return MarianConfig(
        vocab_size=size.vocabulary,
        d_model=size.width,
        encoder_layers=size.layers,
        decoder_layers=size.layers,
        encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads,
        encoder_ffn_dim=size.inner,
        decoder_ffn_dim=size.inner,
        dropout=size.dropout,
        activation_dropout=0.0,
        activation_function="relu",
        max_position_embeddings=512,
        scale_embedding=True,
        pad_token_id=workload.PAD,
        bos_token_id=workload.BOS,
        eos_token_id=workload.EOS,
        decoder_start_token_id=workload.BOS,
        forced_eos_token_id=None,
        share_encoder_decoder_embeddings=True,
        tie_word_embeddings=True,
        **more,
    )
