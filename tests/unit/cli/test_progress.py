import pytest

from saccade.cli.progress import LiveDisplay, PlainDisplay, duration, sentence

STEP = {"event": "step", "step": 20, "steps": 500, "loss": 3.25, "learning_rate": 1e-3, "tokens": 700, "seconds": 9.0}
START = {
    "event": "start",
    "step": 0,
    "parameters": 11,
    "device": "cuda",
    "threads": 2,
    "processes": 1,
    "bfloat16": True,
    "layout": "packed",
    "batch_tokens": 25_000,
    "accumulate": 2,
    "recorded": True,
    "floor_tokens_per_second": 1_616_000.0,
}
TRAIN = {
    "event": "train",
    "step": 20,
    "loss": 3.25,
    "learning_rate": 1e-3,
    "tokens_per_second": 7654.0,
    "of_floor": 0.716,
    "seconds": 75.0,
}


def test_a_log_gets_the_numbers_of_a_journal_line():
    said = []
    with PlainDisplay(said.append, clock=lambda: 0.0) as shown:
        shown(STEP)
        shown(TRAIN)
    assert said == ["step 20/500  loss 3.250  rate 1.00e-03  7,654 tokens/s, 72% of the products alone  1:15"]


def test_the_start_says_what_was_chosen_and_why():
    said = sentence(START)
    for words in ("the GPU", "bfloat16", "25,000 x 2 tokens", "no padding", "one CUDA graph", "1,616,000 tokens/s"):
        assert words in said
    assert "2 CPU threads" in sentence({**START, "device": "cpu"})


def test_a_log_is_not_flooded():
    said, now = [], iter([0.0, 0.0, 4.0, 9.0, 11.0, 11.0])
    shown = PlainDisplay(said.append, clock=lambda: next(now))
    for _ in range(4):
        shown(TRAIN)
    assert len(said) == 2


def test_a_stage_of_preparation_is_said_once():
    said = []
    shown = PlainDisplay(said.append)
    for done in range(5):
        shown({"event": "preparing", "text": "encoding", "done": done, "total": 5})
    assert said == ["encoding"]


def test_a_validation_names_its_measures():
    event = {"event": "validation", "step": 1500, "loss": 2.0, "perplexity": 7.4, "score": 30.1, "best": True}
    told = sentence({**event, "bleu": 30.1, "seconds": 4.0})
    assert told == "step 1,500  validation: loss 2.000  bleu 30.10  best so far"


def test_the_end_names_the_most_memory_that_was_needed():
    event = {"event": "stop", "step": 1500, "reason": "steps", "seconds": 75.0, "peak_memory": 3 * 2**29}
    assert sentence(event) == "training stops at step 1,500 (steps) after 1:15, with at most 1.50 GiB of memory"


def test_a_batch_that_did_not_fit_is_told():
    said = []
    event = {"event": "split", "step": 7, "sentences": 1200, "halvings": 1, "peak_memory": 3 * 2**29}
    PlainDisplay(said.append)(event)
    assert said[0].startswith(
        "step 7  a batch of 1,200 pairs did not fit into memory and was taken in pieces (1.50 GiB"
    )


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0:00"), (61.4, "1:01"), (3661.0, "1:01:01")])
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_the_time_left_is_that_of_whichever_limit_comes_first(tmp_path):
    (tmp_path / "recipe.toml").write_text("[training]\nminutes = 2\n")
    shown = LiveDisplay(tmp_path)
    shown(START)
    shown({**STEP, "step": 1, "seconds": 1.0})
    shown({**STEP, "step": 11, "seconds": 11.0})
    fields = shown.bar.tasks[shown.task].fields
    assert fields["left"] == "1:49 left"  # 489 steps would take 8:09
    assert "loss 3.250" in fields["numbers"]
    assert "700 tokens/s" in fields["numbers"]
