"""A network learns in the page: curve, slider, pause, a line of one's own, offline in one file, and node's numbers."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from tests.page_modules import run_in_node

pytestmark = pytest.mark.slow

LINK = "#/train?task=copy&width=16&heads=1&lr=0.02&seed=5&d=numbers"
SETTINGS = {
    "task": "copy",
    "heads": 1,
    "width": 16,
    "layers": 1,
    "positions": True,
    "scaled": True,
    "rate": 0.02,
    "seed": 5,
}
IN_NODE = """
import { Trainer } from "page/train/trainer";
export default ({ settings, steps, line }) => {
  const trainer = new Trainer(settings);
  let loss = 0;
  for (let i = 0; i < steps; i++) loss = trainer.step();
  const { written, probabilities, weights } = trainer.look(line, null);
  return { loss, written, probabilities, cross: [...weights.cross[0]] };
}
"""


@pytest.fixture
def page(visit, export):
    """The view in one file, without a network, before the first step."""
    opened = visit(export([], LINK), offline=True, fresh=True)
    opened.locator(".train-status[data-step='0']").wait_for()
    return opened


def steps(page) -> int:
    return int(page.locator(".train-status").get_attribute("data-step"))


def reached(page, least: int) -> None:
    page.wait_for_function("least => Number(document.querySelector('.train-status').dataset.step) >= least", arg=least)


def trained(page, least: int) -> int:
    """Trains for some steps, pauses, and gives the steps that were made."""
    page.get_by_role("button", name="Train", exact=True).click()
    reached(page, least)
    page.get_by_role("button", name="Pause").click()
    page.locator(".train-status[data-running='no']").wait_for()
    return steps(page)


def test_single_steps_give_the_numbers_that_node_gives(page):
    for number in (1, 2, 3):
        page.get_by_role("button", name="One step").click()
        page.locator(f".train-status[data-step='{number}']").wait_for()
    expected = run_in_node(IN_NODE, {"settings": SETTINGS, "steps": 3, "line": "badcafe"})
    assert page.locator('[data-fact="loss"]').inner_text() == f"{expected['loss']:.4f}"
    page.wait_for_function(
        "wanted => [...document.querySelectorAll('[data-certainty] td')].map((p) => p.textContent).join() === wanted",
        arg=",".join(f"{p:.3f}" for p in expected["probabilities"]),
    )
    assert page.locator(".train-written").first.get_attribute("data-written") == expected["written"]
    page.keyboard.press("v")  # the pictures as tables
    cells = page.locator('[data-matrix="train-cross-1-1"] tbody td').all_inner_texts()
    assert cells == [f"{weight:.4f}" for weight in expected["cross"]]


def test_the_curve_falls_and_the_slider_goes_back_in_time(page):
    done = trained(page, 40)
    label = page.locator('[data-figure="train-loss"] svg').get_attribute("aria-label")
    assert float(re.search(r"Now (\d\.\d+)", label)[1]) < 2.5  # it begins above log 11
    slider = page.get_by_label("Back in time")
    slider.focus()
    page.keyboard.press("Home")
    page.locator(".train-status[data-step='0']").wait_for()
    assert "after=0" in page.url
    page.keyboard.press("ArrowRight")
    page.locator(".train-status[data-step='10']").wait_for()
    page.locator(".train-time output", has_text="after 10 steps").wait_for()
    page.keyboard.press("End")
    page.locator(f".train-status[data-step='{done}']").wait_for()


def test_a_pause_holds_and_a_change_starts_again(page):
    done = trained(page, 10)
    page.wait_for_timeout(200)
    assert steps(page) == done
    page.get_by_role("group", name="Heads").get_by_role("button", name="4").click()
    page.locator(".train-status[data-step='0']").wait_for()
    page.locator('[data-matrix="train-cross-1-4"]').wait_for()
    assert "heads=4" in page.url


def test_a_line_of_the_reader_s_own_is_read_and_another_refused(page):
    box = page.get_by_label("It reads")
    box.fill("abba")
    box.press("Enter")
    page.locator('[data-matrix="train-cross-1-1"] .shape', has_text="5 × 5").wait_for()
    box.fill("xyz")
    box.press("Enter")
    page.get_by_role("alert").get_by_text("letters from a to j").wait_for()


def test_leaving_the_view_pauses(page, ready):
    page.get_by_role("button", name="Train", exact=True).click()
    reached(page, 5)
    page.get_by_role("link", name="Quiz").click()
    ready(page, "quiz")
    page.wait_for_timeout(500)  # until it notices
    page.get_by_role("link", name="Train", exact=True).click()
    page.locator(".train-status[data-running='no']").wait_for()


def test_an_experiment_is_a_link_with_its_settings(page):
    page.locator('[data-experiment="addition"] a').click()
    page.locator('[data-matrix="train-cross-2-4"]').wait_for()
    assert page.get_by_label("It reads").input_value() == "47+38"
    assert page.get_by_label("Seed").input_value() == "1"  # the usual one, not that of the link before


def test_it_trains_in_a_served_page_too(visit, server):
    page = visit(f"{server}/{LINK}", fresh=True)
    page.get_by_role("button", name="One step").click()
    page.locator(".train-status[data-step='1']").wait_for()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(("width", "depth"), [(1280, "tensors"), (390, "numbers"), (390, "words")])
def test_no_rule_is_broken_and_nothing_is_wider_than_its_window(visit, export, width, depth, dark):
    page = visit(export([], f"{LINK}&d={depth}&heads=4&layers=2"), offline=True, width=width, dark=dark, fresh=True)
    page.locator('[data-matrix="train-cross-2-4"]').wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    found = Axe().run(page).response["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"]][:4]) for one in found] == []


def test_a_module_that_cannot_be_joined_is_named(visit, export):
    page = visit(export([], LINK), offline=True, fresh=True)
    said = page.evaluate(
        """async () => (await import("page/worker/module-worker"))
             .joined("x", async () => "export default 3;").catch((error) => error.message)"""
    )
    assert said == "a worker cannot be made of a module with “export default 3;”"
