"""An imported model of OPUS-MT's size against generate() of transformers, which it came from: the same outputs, faster?

    python -m bench.imported --device cuda --out imported.json       about five minutes on an H200
    python -m bench.imported --tiny                                  the same in small, on a CPU, in a minute

The weights are random. Such a model hardly ever stops, so the end is made impossible for both, and every output has
`--tokens` tokens. Sources are random tokens of one length. Both search with a beam of 4 in float32; transformers uses
its cache and scaled_dot_product_attention. Each output of ours is compared with theirs, token by token: where two
hypotheses score the same but for rounding, either may come first, so the difference of their scores is told.
"""

import argparse
import io
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import sentencepiece
import torch

from saccade.decoding.beam import BeamConfig
from saccade.decoding.searcher import Searcher
from saccade.interop.imported_model import ImportedModel
from saccade.interop.imports import read_model
from saccade.sequences import Sequences

OPUS = {"layers": 6, "width": 512, "inner": 2048, "heads": 8, "vocabulary": 58_101}
TINY = {"layers": 2, "width": 32, "inner": 64, "heads": 4, "vocabulary": 301}
NEVER = -1e4


def write_folder(folder: Path, sizes: dict[str, int]) -> Any:
    """A folder as it is downloaded, with random weights; returns the model of transformers."""
    import transformers

    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(["a b c d e f g h"] * 9), model_writer=made, vocab_size=13, hard_vocab_limit=False,
        num_threads=1, minloglevel=2,
    )  # fmt: skip
    for side in ("source", "target"):
        (folder / f"{side}.spm").write_bytes(made.getvalue())
    pad = sizes["vocabulary"] - 1
    pieces = ["</s>", "<unk>", *(f"piece{number}" for number in range(2, pad)), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
    each = {f"{side}_{name}": sizes[size] for side in ("encoder", "decoder")
            for name, size in (("layers", "layers"), ("ffn_dim", "inner"), ("attention_heads", "heads"))}  # fmt: skip
    config = transformers.MarianConfig(
        vocab_size=sizes["vocabulary"], d_model=sizes["width"], activation_function="swish", scale_embedding=True,
        max_position_embeddings=512, pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad,
        forced_eos_token_id=None, init_std=0.1, **each,
    )  # fmt: skip
    torch.manual_seed(1)
    model = transformers.MarianMTModel(config).eval()
    chosen = model.generation_config
    chosen.num_beams, chosen.bad_words_ids, chosen.renormalize_logits, chosen.max_length = 4, [[pad]], True, 512
    model.final_logits_bias[0, 0] = NEVER
    model.save_pretrained(folder)
    return model


def timed(run: Callable[[], Any], repeats: int, device: str) -> tuple[Any, list[float]]:
    """The last result, and the seconds of each run after one that is not counted."""
    result, seconds = run(), []
    for _ in range(repeats):
        if device == "cuda":
            torch.cuda.synchronize()
        begin = time.perf_counter()
        result = run()
        if device == "cuda":
            torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return result, seconds


def compared(theirs: Any, imported: ImportedModel, batch: int, options: argparse.Namespace) -> dict[str, Any]:
    """Both at one batch size: seconds, tokens per second, and how many outputs are the same."""
    device, tokens = options.device, options.tokens
    generator = torch.Generator().manual_seed(batch)
    ids = torch.randint(2, theirs.config.vocab_size - 1, (batch, options.source), generator=generator)
    ids[:, -1] = theirs.config.eos_token_id
    vocabulary = imported.source_tokenizer.vocabulary
    assert vocabulary is not None
    ours_of = {number: token for token, number in enumerate(vocabulary.original_ids)}
    source = Sequences.of([[ours_of[number] for number in row] for row in ids.tolist()], device)
    search = replace(BeamConfig(**imported.decoding), extra_length=tokens)
    searcher = Searcher(imported.model)

    def generate() -> Any:
        return theirs.generate(
            input_ids=ids.to(device), attention_mask=torch.ones_like(ids).to(device), max_new_tokens=tokens,
            max_length=None, return_dict_in_generate=True, output_scores=True,
        )  # fmt: skip

    with torch.inference_mode():
        found, ours = timed(lambda: searcher(source, search), options.repeats, device)
        made, others = timed(generate, options.repeats, device)
    expected = [tuple(ours_of[number] for number in row) for row in made.sequences[:, 1:].tolist()]
    same = [best.tokens == wanted for [best], wanted in zip(found, expected, strict=True)]
    gaps = [
        abs(best.score - score)
        for [best], score, equal in zip(found, made.sequences_scores.tolist(), same, strict=True)
        if not equal
    ]
    written = batch * tokens
    assert all(len(best.tokens) == tokens for [best] in found), "an output ended, which was made impossible"
    return {
        "batch": batch,
        "seconds": {"saccade": ours, "transformers": others},
        "tokens_per_second": {
            "saccade": written / statistics.median(ours),
            "transformers": written / statistics.median(others),
        },
        "speed_up": statistics.median(others) / statistics.median(ours),
        "same_outputs": sum(same),
        "largest_score_gap_of_others": max(gaps, default=0.0),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--batches", type=int, nargs="+", default=None)
    parser.add_argument("--tokens", type=int, default=32, help="of every output")
    parser.add_argument("--source", type=int, default=32, help="tokens of every source")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--out", type=Path, default=None)
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False  # both in full float32
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        theirs = write_folder(folder, TINY if options.tiny else OPUS).to(options.device)
        imported = read_model(folder)
    imported.model.to(options.device)
    imported.model.maximum_length = max(options.tokens, options.source)
    results = []
    for batch in options.batches or ([1, 3] if options.tiny else [1, 64, 512]):
        result = compared(theirs, imported, batch, options)
        results.append(result)
        speed = result["tokens_per_second"]
        print(
            f"batch {batch}: saccade {speed['saccade']:,.0f} tokens/s, transformers {speed['transformers']:,.0f}, "
            f"{result['speed_up']:.1f} times; {result['same_outputs']} of {batch} outputs the same, others differ "
            f"by at most {result['largest_score_gap_of_others']:.1e} in their score",
            flush=True,
        )
    if options.out is not None:
        about = {"torch": torch.__version__, "device": options.device, "sizes": TINY if options.tiny else OPUS}
        options.out.write_text(json.dumps({**about, "tokens": options.tokens, "results": results}, indent=1))


if __name__ == "__main__":
    main()
