/** One line: what is read, what the network writes by itself, what it should write, and how sure it is. */
import { h } from "page/elements/dom";
import { digits } from "page/numbers/numbers";
import { END, TASKS } from "page/train/tasks";
import { lineOf } from "page/train/training";
import { TRAIN } from "page/train/words";

/** @import { Look } from "page/train/trainer" */
/** @import { Context } from "page/types" */

/** Where the reader types a line. @param {Context} context */
export function lineInput({ state, set, say }) {
  const wrong = h("span", { class: "bad-text", role: "alert" });
  const form = TRAIN.form(TRAIN.forms[state.task]);
  const input = h("input", {
    type: "text",
    value: lineOf(state),
    size: "10",
    spellcheck: "false",
    autocapitalize: "off",
    title: form,
    dataset: { focus: "train-line" },
    onchange: () => {
      const line = input.value.trim();
      if (TASKS[state.task].form.test(line)) set({ line });
      else {
        wrong.textContent = form;
        say(form);
      }
    },
  });
  return h("p", { class: "train-line" }, h("label", { class: "field" }, h("span", {}, TRAIN.read), input), " ", wrong);
}

/** @param {Context} context @param {Look} look */
export function writing({ state }, look) {
  const { written, right } = look;
  const good = written === right;
  const longest = Math.max(written.length, right.length);
  const characters = Array.from({ length: longest }, (_, i) => written[i] ?? "");
  return [
    h(
      "p",
      { class: "train-written", dataset: { written } },
      h("span", { class: "train-name" }, TRAIN.writes),
      written
        ? characters.map((character, i) =>
            h("span", { class: `train-character${character === right[i] ? "" : " wrong"}` }, visible(character)),
          )
        : h("i", {}, TRAIN.nothing),
      h("span", { class: good ? "good-text" : "bad-text" }, good ? TRAIN.right : TRAIN.wrong),
    ),
    h(
      "p",
      { class: "train-written" },
      h("span", { class: "train-name" }, TRAIN.wanted),
      [...right].map((character) => h("span", { class: "train-character" }, visible(character))),
    ),
    state.depth === "words" ? null : certainty(look),
  ];
}

/** @param {Look} look */
function certainty({ right, probabilities }) {
  return h(
    "div",
    { class: "table-scroll", tabindex: "0", role: "group", "aria-label": TRAIN.certainty },
    h(
      "table",
      { class: "lab-table" },
      h("caption", {}, TRAIN.certainty),
      h(
        "tbody",
        {},
        h(
          "tr",
          {},
          [...right, TRAIN.end].map((character) => h("th", { scope: "col" }, visible(character))),
        ),
        h(
          "tr",
          { dataset: { certainty: "" } },
          probabilities.map((p) => h("td", {}, digits(p, 3))),
        ),
      ),
    ),
  );
}

/** A blank has to be seen. @param {string} character */
export const visible = (character) => (character === " " ? "␣" : character === END ? TRAIN.end : character);
