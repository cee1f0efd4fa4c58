"""Who decodes on the GPU: random weights in bfloat16, beam 4, the output forced to be as long as the source.

A decoder prepares a batch of sources once, outside the timing, and then gives the outputs as lists of tokens.
"""

import torch

from bench import workload
from bench.gpu.workload import BEAM, DECODED_LENGTH

DEVICE = "cuda"


def sources(batch: int, vocabulary: int) -> torch.Tensor:
    """Random words; with the EOS that is missing they are `DECODED_LENGTH` positions."""
    generator = torch.Generator().manual_seed(batch)
    return torch.randint(workload.FIRST_WORD, vocabulary, (batch, DECODED_LENGTH - 1), generator=generator)


class Saccade:
    """saccade's search on torch."""

    def __init__(self, size: workload.Size) -> None:
        from bench.adapters.saccade import BeamConfig, build, never_ends

        self.model = build(size, attention_dropout=0.0).eval()
        never_ends(self.model)
        self.model.to(DEVICE)
        self.search = self.make_search()
        self.config = BeamConfig(size=BEAM, extra_length=0)

    def make_search(self):
        from saccade.decoding.searcher import Searcher

        return Searcher(self.model, precision=torch.bfloat16)

    def prepare(self, rows: torch.Tensor):
        from bench.adapters.saccade import sequences

        return sequences(rows.tolist()).to(DEVICE)

    def __call__(self, source) -> list[list[int]]:
        return [list(hypotheses[0].tokens) for hypotheses in self.search(source, self.config)]


class SaccadeReadable(Saccade):
    """The readable search, which the fast one is tested against."""

    def make_search(self):
        from saccade.decoding.beam import beam_search

        self.model.to(torch.bfloat16)
        return lambda source, config: beam_search(self.model, source, config)


class Marian:
    """Hugging Face generate."""

    def __init__(self, size: workload.Size) -> None:
        import transformers

        from bench.adapters.huggingface import marian_config

        transformers.logging.set_verbosity_error()
        model = transformers.MarianMTModel(marian_config(size, attn_implementation="sdpa"))
        self.model = model.to(DEVICE, torch.bfloat16).eval()

    def prepare(self, rows: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.pad(rows, (0, 1), value=workload.EOS).to(DEVICE)

    @torch.inference_mode()
    def __call__(self, source: torch.Tensor) -> list[list[int]]:
        output = self.model.generate(
            source,
            attention_mask=torch.ones_like(source),
            num_beams=BEAM,
            do_sample=False,
            min_new_tokens=DECODED_LENGTH,
            max_new_tokens=DECODED_LENGTH,
            length_penalty=0.6,
        )
        return output[:, 1:].tolist()


IMPLEMENTATIONS = {"saccade": Saccade, "saccade, readable search": SaccadeReadable, "Hugging Face Marian": Marian}
