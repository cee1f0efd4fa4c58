"""The command line called in this process, on a model nobody trained."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from saccade.cli.main import main
from saccade.data.tokenizer import Tokenizer
from saccade.models.catalogue import build
from saccade.models.transformer import TransformerConfig
from saccade.serving.bundle import Bundle

TEXT = ["one dog runs", "two men talk", "the old school is behind the street", "she reads"]


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


@pytest.fixture
def saccade(monkeypatch, capfd):
    def run(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["saccade", *map(str, arguments)])
        code: object = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code
        out, err = capfd.readouterr()
        return Ended(code if isinstance(code, int) else 0, out, err)

    return run


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    return untrained_model(tmp_path_factory.mktemp("cli") / "model", seed=5)


@pytest.fixture
def make_other_model(tmp_path_factory):
    return lambda: untrained_model(tmp_path_factory.mktemp("cli") / "other", seed=4)


def untrained_model(folder: Path, seed: int) -> Path:
    torch.set_num_threads(1)
    tokenizer = Tokenizer.train(TEXT * 2, pieces="word", size=None)
    config = TransformerConfig(encoder_layers=1, decoder_layers=1, width=8, inner_width=12, heads=2, maximum_length=32)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        untrained = build("transformer", config, tokenizer.size, tokenizer.size)
    Bundle(
        model=untrained,
        architecture="transformer",
        model_config=config,
        source_tokenizer=tokenizer,
        target_tokenizer=tokenizer,
        task="translation",
        source_language="en",
        target_language="xx",
        decoding={"size": 2, "alpha": 0.6, "extra_length": 3},
    ).save(folder, "# untrained\n")
    return folder


@pytest.fixture
def text(tmp_path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text("".join(f"{line}\n" for line in TEXT))
    return path
