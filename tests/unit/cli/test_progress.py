import pytest

from saccade.cli.progress import LiveDisplay, PlainDisplay, duration, estimate_in_words, sentence

STEP = {
    "event": "step",
    "step": 20,
    "steps": 500,
    "minutes": None,
    "loss": 16.25,
    "nll": 3.25,
    "learning_rate": 1e-3,
    "tokens": 700,
    "step_seconds": 0.5,
    "seconds": 9.0,
}
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


class Clock:
    """A clock that stands until it is told to go on."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def taken(display: PlainDisplay, clock: Clock, steps: int, seconds: float, first: int = 1, pause: float = 0.0) -> None:
    """Steps of so many seconds each, with a pause after each for a validation or a checkpoint."""
    for step in range(first, first + steps):
        clock.now += seconds
        display({**STEP, "step": step, "step_seconds": seconds, "seconds": clock.now - 100.0})
        clock.now += pause


def test_a_log_tells_speed_and_time_left_within_ten_seconds():
    said, clock = [], Clock()
    shown = PlainDisplay(said.append, clock)
    shown(START)
    taken(shown, clock, steps=20, seconds=0.5)
    assert said[1:] == ["step 10 of 500, loss 3.250, 1,400 target tokens/s, about 4 min left"]


def test_a_first_step_that_takes_long_is_told_at_once_and_then_left_out_of_the_speed():
    said, clock = [], Clock()
    shown = PlainDisplay(said.append, clock)
    shown(START)
    taken(shown, clock, steps=1, seconds=7.0)
    taken(shown, clock, steps=10, seconds=1.0, first=2)
    assert said[1:] == [
        "step 1 of 500, loss 3.250, 100 target tokens/s, about 58 min left",
        "step 11 of 500, loss 3.250, 700 target tokens/s, about 8 min left",
    ]


def test_time_for_validations_and_checkpoints_is_part_of_the_estimate_but_not_of_the_speed():
    said, clock = [], Clock()
    shown = PlainDisplay(said.append, clock)
    shown(START)
    taken(shown, clock, steps=5, seconds=1.0, pause=1.0)
    assert said[-1].endswith("700 target tokens/s, about 12 min left")  # 497 steps of 1.5 seconds


def test_a_log_grows_ever_more_slowly():
    said, clock, times = [], Clock(), []
    shown = PlainDisplay(lambda line: (said.append(line), times.append(clock.now - 100.0)), clock)
    shown(START)
    taken(shown, clock, steps=400, seconds=1.0)
    assert times == [0.0, 5.0, 15.0, 35.0, 75.0, 135.0, 195.0, 255.0, 315.0, 375.0]


def test_the_loss_of_a_line_is_the_mean_since_the_last_line():
    said, clock = [], Clock()
    shown = PlainDisplay(said.append, clock)
    for nll, tokens in ((4.0, 100), (1.0, 300)):
        clock.now += 3.0
        shown({**STEP, "nll": nll, "tokens": tokens})
    assert "loss 1.750" in said[0]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "about 1 s"), (40.4, "about 40 s"), (715.0, "about 12 min"), (7800.0, "about 2 h 10 min")],
)
def test_an_estimate_is_said_in_words(seconds, text):
    assert estimate_in_words(seconds) == text


def test_the_start_says_what_was_chosen_and_why():
    said = sentence(START)
    for words in ("the GPU", "bfloat16", "25,000 x 2 tokens", "no padding", "replay CUDA graphs", "one shape"):
        assert words in said
    assert "2 CPU threads" in sentence({**START, "device": "cpu"})
    assert "1 CPU thread " in sentence({**START, "device": "cpu", "threads": 1})


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
        "step 7  a batch of 1,200 sentences did not fit into memory and was taken in pieces (1.50 GiB"
    )


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0:00"), (61.4, "1:01"), (3661.0, "1:01:01")])
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_the_time_left_is_that_of_whichever_limit_comes_first():
    shown = LiveDisplay()
    shown(START)
    for step in (1, 2, 11):
        shown({**STEP, "step": step, "seconds": float(step), "step_seconds": 1.0, "minutes": 2.0})
    fields = shown.bar.tasks[shown.task].fields
    assert fields["left"] == "about 2 min left"  # 489 steps would take 8 minutes
    assert "loss 3.250" in fields["numbers"]
    assert "700 target tokens/s" in fields["numbers"]
