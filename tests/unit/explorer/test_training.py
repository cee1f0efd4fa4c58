"""Training in the page, without a browser: the trainer that its worker runs, in node."""

import pytest
from tests.page_modules import run_in_node

SETTINGS = {
    "task": "copy",
    "heads": 2,
    "width": 16,
    "layers": 1,
    "positions": True,
    "scaled": True,
    "rate": 0.01,
    "seed": 3,
}

TRAIN = """
import { Trainer } from "page/train/trainer";
import { TASKS } from "page/train/tasks";
import { randomNumbers } from "page/train/network/random";
export default ({ settings, steps }) => {
  const trained = () => {
    const trainer = new Trainer(settings);
    const early = trainer.look("abc", null);
    const losses = Array.from({ length: steps }, () => trainer.step());
    const drawn = Array.from({ length: 100 }, () => trainer.batch()).flat();
    return { trainer, early, losses, drawn };
  };
  const { trainer, early, losses, drawn } = trained();
  const other = new Trainer({ ...settings, seed: settings.seed + 1 });
  const before = trainer.network.parameters.copied();
  const again = trainer.look("abc", 0);
  const after = trainer.network.parameters.copied();
  const tested = new Set(trainer.tested.map(({ source }) => source.join()));
  const random = randomNumbers(9);
  return {
    losses,
    same: trained().losses,
    other: Array.from({ length: 2 }, () => other.step()),
    points: trainer.points,
    tested: tested.size,
    leaked: drawn.filter(({ source }) => tested.has(source.join())).length,
    pastIsKept: JSON.stringify(early) === JSON.stringify(again),
    presentIsKept: before.every((value, i) => value === after[i]),
    rows: trainer.look("abc", null).weights.cross[0].length,
    examples: Object.fromEntries(
      Object.entries(TASKS).map(([name, { example, solve }]) => [name, [example, solve(example)]])),
    readable: Object.values(TASKS).every(({ form, example, draw }) =>
      [example, ...Array.from({ length: 50 }, () => draw(random))].every((line) => form.test(line))),
  };
}
"""


@pytest.fixture(scope="module")
def found():
    return run_in_node(TRAIN, {"settings": SETTINGS, "steps": 60})


def test_the_loss_falls_and_the_same_seed_gives_the_same_numbers(found):
    assert found["losses"][-1] < 0.8 * found["losses"][0]
    assert found["same"] == found["losses"]
    assert found["other"] != found["losses"][:2]


def test_no_line_that_is_tested_is_trained_on(found):
    assert found["tested"] == 64
    assert found["leaked"] == 0


def test_the_past_can_be_looked_at_and_leaves_the_present_as_it_is(found):
    assert found["pastIsKept"]
    assert found["presentIsKept"]
    assert [point["step"] for point in found["points"]] == [0, 10, 20, 30, 40, 50, 60]
    assert found["rows"] == 2 * 4 * 4  # heads, three letters and the end, three letters and the end


def test_every_task_reads_its_own_lines_and_knows_their_answers(found):
    assert found["readable"]
    assert found["examples"] == {
        "copy": ["badcafe", "badcafe"],
        "reverse": ["abcdefgh", "hgfedcba"],
        "article": ["animal", "an animal"],
        "addition": ["47+38", "085"],
    }
