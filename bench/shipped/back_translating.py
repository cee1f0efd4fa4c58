"""German-English with more English than its pairs have, in a given time on one GPU.

    SACCADE_DATA=... python -m bench.shipped.back_translating FOLDER --minutes 24

A model of the other direction learns from the pairs, and writes German for English text (`english_text.py`); the model
to be shipped learns from both, what a machine wrote behind a tag. Every step is a command that `docs/improving.md`
shows, and the clock is that of `training.py`: what is not translated back in time is left out.
"""

import argparse
import os
import sys
from itertools import islice
from pathlib import Path

from bench.shipped.english_text import english_text
from bench.shipped.training import RESERVE, Clock, saccade, steps_per_second, translate
from saccade.bulk.folder import BulkFolder
from saccade.data.catalogue import fetch

RECIPE = "german-english"
TAG = "<BT>"
TURNED = ("--set", "data.source_language=en", "--set", "data.target_language=de")


def main() -> int:
    """Trains both directions; the model's run is FOLDER/forward, the other one's FOLDER/backward."""
    asked = _asked()
    clock, folder = Clock(asked.minutes), asked.folder
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "text.en"
    if not text.exists():
        splits = fetch(RECIPE).splits.values()
        known = [line for split in splits for line in split.paths[1].read_text(encoding="utf-8").split("\n")]
        text.write_text("".join(f"{line}\n" for line in english_text(asked.data, known)), encoding="utf-8")

    clock.say("the speed of the other direction")
    training = ["--storage", "int8", "--device", asked.device, "--workers", str(asked.workers)]
    backward = ["train", RECIPE, *TURNED, "--out", str(folder / "backward"), *training]
    _train_until(backward, folder / "backward", clock.left - 60 * (asked.minutes - asked.backward_minutes), clock)

    translations = folder / "back.de"
    clock.say(f"back-translation, at most {asked.translation_minutes} minutes")
    mixed = folder / "mixed.de", folder / "mixed.en"
    if not mixed[0].exists():
        search = ["--beam", "1", "--workers", str(asked.searches), "--device", asked.device]
        translate(folder / "backward", text, translations, 60 * asked.translation_minutes, search)
        clock.say(f"{write_pairs(translations, text, *mixed):,} lines are translated back")

    clock.say("the speed")
    forward = ["train", RECIPE, "--out", str(folder / "forward"), *training]
    forward += ["--mix-source", str(mixed[0]), "--mix-target", str(mixed[1]), "--set", f'data.symbols=["{TAG}"]']
    _train_until(forward, folder / "forward", clock.left, clock)
    clock.say("done")
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=os.environ.get("SACCADE_DATA"), help="$SACCADE_DATA by default")
    parser.add_argument("--minutes", type=float, default=24, help="for all of it")
    parser.add_argument("--backward-minutes", type=float, default=5.5, help="of them for the other direction")
    parser.add_argument("--translation-minutes", type=float, default=4, help="of them for back-translation")
    parser.add_argument("--workers", type=int, default=12, help="processes that encode text")
    parser.add_argument("--searches", type=int, default=3, help="processes that translate")
    parser.add_argument("--device", default="cuda")
    found = parser.parse_args()
    if found.data is None:
        parser.error("SACCADE_DATA must name the folder of corpora, or --data")
    return found


def _train_until(command: list[str], run: Path, seconds: float, clock: Clock) -> None:
    """Takes the steps that fit into the seconds: the learning rate must have come down to nothing at the last one."""
    end = clock.left - seconds
    rate = steps_per_second(command, run / "journal.jsonl")
    steps = int(rate * (clock.left - end - RESERVE))
    clock.say(f"{run.name}, {steps:,} steps, {rate:.1f} a second")
    saccade(*command, "--set", f"training.steps={steps}")


def write_pairs(translations: Path, text: Path, source: Path, target: Path) -> int:
    """Writes the finished translations behind the tag, and beside them their lines; how many there are."""
    done = 0
    with text.open(encoding="utf-8") as own, target.open("w") as right, source.with_suffix(".part").open("w") as left:
        for written in _finished(translations, own):
            for line, translation in written:
                if translation:
                    left.write(f"{TAG} {translation}\n")
                    right.write(line)
                    done += 1
    source.with_suffix(".part").rename(source)
    return done


def _finished(translations: Path, own):  # noqa: ANN001, ANN202
    if translations.exists():
        yield zip(own, translations.read_text(encoding="utf-8").split("\n"), strict=False)
        return
    folder = BulkFolder([translations])
    for shard in folder.manifest().shards:
        lines = list(islice(own, shard.lines))
        if folder.is_done(shard):
            yield zip(lines, folder.output(shard, 0).read_text(encoding="utf-8").split("\n"), strict=False)


if __name__ == "__main__":
    sys.exit(main())
