"""Who decodes on the GPU: random weights in bfloat16, beam 4, the output forced to be as long as the source.

A decoder prepares a batch of sources once, outside the timing, and then gives the outputs as lists of tokens.
"""

import torch

from bench import work
from bench.gpu.decoding_work import BEAM, LENGTH

DEVICE = "cuda"


def sources(batch: int, vocabulary: int) -> torch.Tensor:
    """Random words; with the EOS that is missing they are `LENGTH` positions."""
    generator = torch.Generator().manual_seed(batch)
    return torch.randint(work.FIRST_WORD, vocabulary, (batch, LENGTH - 1), generator=generator)


class Saccade:
    """saccade's search; which one, `bench.adapters.saccade` says."""

    def __init__(self, size: work.Size) -> None:
        from bench.adapters.saccade import BeamConfig, build, never_ends

        self.model = build(size, attention_dropout=0.0).eval()
        never_ends(self.model)
        self.model.to(DEVICE, torch.bfloat16)
        self.config = BeamConfig(size=BEAM, extra_length=0)

    def prepare(self, rows: torch.Tensor):
        from bench.adapters.saccade import sequences

        return sequences(rows.tolist()).to(DEVICE)

    def search(self, source):
        from bench.adapters.saccade import search

        return search(self.model, source, self.config)

    def __call__(self, source) -> list[list[int]]:
        return [list(hypotheses[0].tokens) for hypotheses in self.search(source)]


class SaccadeReadable(Saccade):
    """The readable search, whichever is the fast one."""

    def search(self, source):
        from saccade.decoding.beam import beam_search

        return beam_search(self.model, source, self.config)


class Marian:
    """Hugging Face generate."""

    def __init__(self, size: work.Size) -> None:
        import transformers

        from bench.adapters.huggingface import marian_config

        transformers.logging.set_verbosity_error()
        model = transformers.MarianMTModel(marian_config(size, attn_implementation="sdpa"))
        self.model = model.to(DEVICE, torch.bfloat16).eval()

    def prepare(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.pad(rows, (0, 1), value=work.EOS).to(DEVICE)

    @torch.inference_mode()
    def __call__(self, source: torch.Tensor) -> list[list[int]]:
        output = self.model.generate(
            source,
            attention_mask=torch.ones_like(source),
            num_beams=BEAM,
            do_sample=False,
            min_new_tokens=LENGTH,
            max_new_tokens=LENGTH,
            length_penalty=0.6,
        )
        return output[:, 1:].tolist()


SUBJECTS = {"saccade": Saccade, "saccade, readable search": SaccadeReadable, "Hugging Face Marian": Marian}
