"""How long a reader waits for the first picture of a sentence of their own, with Python behind the page.

    python -m bench.first_picture [MODEL]

`saccade explore MODEL` in a process of its own, its page in a headless Chromium. Sentences of 5, 20 and 60 words are
typed into *Translate*; the clock runs in the page, from the key Enter until a picture (lines between words, or for
longer sentences a matrix of them) holds the sentence's last word and has been painted. Each time other sentences, since
an answer is kept. Then *Steps* is opened, which must cost nothing that was computed already. CPU seconds are those of
server and browser until both are quiet.
"""

import argparse
import os
import shutil
import time
from collections.abc import Sequence
from statistics import median

from playwright.sync_api import Page, sync_playwright

from bench.descendants import cpu_seconds
from bench.server_process import serving
from bench.table import markdown

SENTENCE = (
    "The old teacher told the children of the village that the road behind the school was closed because the river had "
    "taken the bridge away during the night and nobody knew when it would be open again so they walked home through "
    "the fields while the dogs ran before them and the birds sang in the trees above the small white houses beside the"
)
LAST = ("garden", "market", "church", "station", "forest")
"""The last word of each round's sentences: it tells them from those before."""
TYPING = """(sentence) => {
  const field = document.querySelector("#sentence");
  field.value = sentence;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const word = sentence.split(" ").at(-1).replace(".", "");
  const words = () => [...document.querySelectorAll("main .linked, main .column-label")];
  const drawn = () => words().some((one) => one.textContent.includes(word));
  window.waited = new Promise((done) => {
    field.addEventListener("keydown", (event) => {
      const began = event.timeStamp;
      const painted = () => done(performance.now() - began);
      const look = () => requestAnimationFrame(drawn() ? painted : look);
      look();
    }, { once: true });
  });
  field.focus();
}"""

OPENING = """(view) => { location.hash = `#/${view}?${location.hash.split("?")[1]}`; }"""


def one_sentence(page: Page, words: int, last: str) -> tuple[float, float, float]:
    """Seconds to the first picture, CPU seconds of it all, and those of opening Steps afterwards."""
    sentence = " ".join([*SENTENCE.split()[: words - 1], f"{last}."])
    before = cpu_seconds(os.getpid())
    page.evaluate(TYPING, sentence)
    page.keyboard.press("Enter")
    seconds = page.evaluate("window.waited") / 1000
    all_of_it = _settled() - before
    before = cpu_seconds(os.getpid())
    page.evaluate(OPENING, "steps")
    steps = _settled() - before
    page.evaluate(OPENING, "translate")
    _settled()
    return seconds, all_of_it, steps


def _settled() -> float:
    """CPU seconds of everything that was started, once all of it is quiet."""
    used = cpu_seconds(os.getpid())
    while True:
        time.sleep(0.5)
        before, used = used, cpu_seconds(os.getpid())
        if used - before <= 0.03:
            return used


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", nargs="?", default="en-es")
    asked = parser.parse_args(arguments)
    path = shutil.which("chromium")
    if path is None:
        parser.error("chromium must be installed, but is not")
    rows = []
    explorer = serving("explore", asked.model, "--no-browser", "--view", "translate")
    with explorer as address, sync_playwright() as driver:
        page = driver.chromium.launch(executable_path=path, args=["--no-sandbox"]).new_page()
        page.goto(address)
        page.wait_for_selector("#sentence")
        _settled()
        for words in (5, 20, 60):
            found = [one_sentence(page, words, last) for last in LAST]
            seconds, everything, steps = (sorted(column) for column in zip(*found, strict=True))
            times = f"{median(seconds):.2f} [{seconds[0]:.2f}, {seconds[-1]:.2f}]"
            rows.append([str(words), times, f"{median(everything):.1f}", f"{median(steps):.1f}"])
        page.context.browser.close()  # type: ignore[union-attr]
    print(markdown(["words", "s to the first picture", "CPU s of all pictures", "CPU s of opening Steps then"], rows))


if __name__ == "__main__":
    main()
