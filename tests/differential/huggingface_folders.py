"""Folders as people download them: random models of transformers, with sentencepiece models learned here."""

import io
import json
import random
import shutil
from pathlib import Path
from typing import Any

import sentencepiece
import torch
import transformers

LETTERS = "abcdefghijklmnopqrstuvwxyzéñü"
LANGUAGES = (">>fra<<", ">>deu<<")


def sentences(seed: int, count: int) -> list[str]:
    """Lines of an invented language."""
    draw = random.Random(seed)
    words = ["".join(draw.choice(LETTERS) for _ in range(draw.randint(2, 8))) for _ in range(80)]
    return [" ".join(draw.choices(words, k=draw.randint(1, 5))) + draw.choice(".!?") for _ in range(count)]


def sentencepiece_model(seed: int, kind: str, size: int, **options: Any) -> tuple[bytes, list[str]]:
    """A model learned from such lines, and its pieces."""
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.Train(
        sentence_iterator=iter(sentences(seed, 300)), model_writer=made, vocab_size=size, model_type=kind,
        character_coverage=0.995, hard_vocab_limit=False, num_threads=1, minloglevel=2, **options,
    )  # fmt: skip
    processor = sentencepiece.SentencePieceProcessor()
    processor.LoadFromSerializedProto(made.getvalue())
    return made.getvalue(), [processor.IdToPiece(number) for number in range(processor.GetPieceSize())]


def shaken(model: Any, seed: int) -> Any:
    """The model with no bias and no gain at its initial value."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
        if hasattr(model, "final_logits_bias"):
            bias = model.final_logits_bias
            bias.copy_(0.5 * torch.randn(bias.shape, generator=generator))
            bias[0, model.config.pad_token_id] = 0.0
    return model.eval()


SIZES: dict[str, Any] = {
    "d_model": 20, "encoder_layers": 2, "decoder_layers": 3, "encoder_attention_heads": 5, "decoder_attention_heads": 5,
    "encoder_ffn_dim": 29, "decoder_ffn_dim": 29, "max_position_embeddings": 67, "init_std": 0.4,
}  # fmt: skip


def marian_folder(folder: Path, *, separate: bool = False, pickled: bool = False, **changes: Any) -> Any:
    """Writes an OPUS-MT folder in small, and returns its model."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabularies = []
    for name, seed, kind in (("source", 1, "unigram"), ("target", 2, "bpe")):
        model, pieces = sentencepiece_model(seed, kind, 110 + seed)
        (folder / f"{name}.spm").write_bytes(model)
        vocabularies.append(pieces[3:])
    source, target = vocabularies
    both = [source, target] if separate else [list(dict.fromkeys(source + target))]
    files = [["</s>", "<unk>", *pieces, *LANGUAGES, "<pad>"] for pieces in both]
    if separate:  # one id for padding on both sides
        longest = max(map(len, files))
        files = [[*pieces[:-1], *(f"extra{n}" for n in range(longest - len(pieces))), "<pad>"] for pieces in files]
    for name, pieces in zip(("vocab.json", "target_vocab.json"), files, strict=False):
        (folder / name).write_text(json.dumps({piece: number for number, piece in enumerate(pieces)}))
    pad = len(files[0]) - 1
    config = transformers.MarianConfig(
        vocab_size=len(files[0]), pad_token_id=pad, eos_token_id=0, decoder_start_token_id=pad, forced_eos_token_id=0,
        share_encoder_decoder_embeddings=not separate,
        **{"activation_function": "swish", "scale_embedding": True, **SIZES, **changes},
    )  # fmt: skip
    torch.manual_seed(3)
    model = shaken(transformers.MarianMTModel(config), seed=4)
    chosen = model.generation_config
    chosen.num_beams, chosen.bad_words_ids, chosen.renormalize_logits, chosen.max_length = 4, [[pad]], True, 67
    model.save_pretrained(folder)
    if pickled:
        (folder / "model.safetensors").unlink()
        torch.save(model.state_dict(), folder / "pytorch_model.bin")
    about = {
        "tokenizer_class": "MarianTokenizer",
        "source_lang": "eng",
        "target_lang": "fra",
        "separate_vocabs": separate,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    return model


def pegasus_folder(folder: Path, **changes: Any) -> Any:
    """Writes a folder of Pegasus in small, and returns its model."""
    folder.mkdir(parents=True, exist_ok=True)
    specials = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
    model, pieces = sentencepiece_model(5, "unigram", 90, **specials)
    (folder / "spiece.model").write_bytes(model)
    config = transformers.PegasusConfig(
        vocab_size=len(pieces) + 103 + 3,
        **{"activation_function": "relu", "scale_embedding": True, **SIZES, **changes},
    )
    torch.manual_seed(6)
    made = shaken(transformers.PegasusForConditionalGeneration(config), seed=7)
    chosen = made.generation_config
    chosen.num_beams, chosen.length_penalty, chosen.max_length, chosen.bad_words_ids = 3, 0.8, 67, [[0]]
    made.save_pretrained(folder)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PegasusTokenizer"}))
    return made


NLLB_LANGUAGES = ("ace_Arab", "eng_Latn", "fra_Latn", "spa_Latn", "zho_Hans")


def m2m100_folder(folder: Path, *, nllb: bool, **changes: Any) -> Any:
    """Writes a folder of M2M100 or of NLLB in small, and returns its model."""
    folder.mkdir(parents=True, exist_ok=True)
    model, pieces = sentencepiece_model(1, "bpe", 113)
    (folder / "sentencepiece.bpe.model").write_bytes(model)
    if nllb:  # the pieces, one for fairseq, the languages, a mask; two rows of nothing
        size = len(pieces) + 1 + len(NLLB_LANGUAGES) + 1 + 2
        about: dict[str, Any] = {
            "tokenizer_class": "NllbTokenizer", "additional_special_tokens": list(NLLB_LANGUAGES),
        }  # fmt: skip
    else:
        named = ["<s>", "<pad>", "</s>", "<unk>", *pieces[3:]]
        (folder / "vocab.json").write_text(json.dumps({piece: number for number, piece in enumerate(named)}))
        size, about = len(named) + 100 + 8, {"tokenizer_class": "M2M100Tokenizer", "language_codes": "m2m100"}
    (folder / "tokenizer_config.json").write_text(json.dumps(about))
    config = transformers.M2M100Config(
        vocab_size=size, **{"activation_function": "relu", "scale_embedding": True, **SIZES, **changes}
    )
    torch.manual_seed(8)
    made = shaken(transformers.M2M100ForConditionalGeneration(config), seed=9)
    chosen = made.generation_config
    chosen.num_beams, chosen.length_penalty, chosen.max_length = 4, 1.0, 67
    made.save_pretrained(folder)
    if nllb:
        number_languages(folder)
    return made


def number_languages(folder: Path) -> None:
    """Writes tokenizer.json with the languages before the mask, as NLLB has them; transformers would put it first."""
    transformers.NllbTokenizer.from_pretrained(folder).save_pretrained(folder / "made")
    content = json.loads((folder / "made" / "tokenizer.json").read_text())
    order = [*NLLB_LANGUAGES, "<mask>"]
    first = len(content["model"]["vocab"])
    for added in content["added_tokens"]:
        if added["content"] in order:
            added["id"] = first + order.index(added["content"])
    content["added_tokens"].sort(key=lambda added: added["id"])
    (folder / "tokenizer.json").write_text(json.dumps(content))
    shutil.rmtree(folder / "made")
