/** What the reader steers the training with: the task, the network, and the buttons that run it. */
import { segmented, select, toggle } from "page/elements/controls";
import { h } from "page/elements/dom";
import { keys } from "page/train/keys";
import { TRAIN } from "page/train/words";

/** @import { Training } from "page/train/training" */
/** @import { Changes, Context, State } from "page/types" */

const CHOICES = {
  trainHeads: ["1", "2", "4"],
  trainWidth: ["16", "32", "64"],
  trainLayers: ["1", "2"],
  rate: ["0.001", "0.003", "0.007", "0.02", "0.05"],
};

/** @param {Context} context */
export function settings({ state, set }) {
  /** Another network has another past, and another task other lines. @param {Changes} changes */
  const change = (changes) => set({ ...changes, moment: null });
  /** @param {keyof typeof CHOICES} name @param {string} label */
  const choice = (name, label) =>
    h(
      "span",
      { class: "field" },
      h("span", { "aria-hidden": "true" }, label),
      segmented(
        label,
        CHOICES[name].map((value) => ({ value, name: value })),
        state[name],
        (value) => change({ [name]: value }),
      ),
    );
  const tasks = /** @type {(keyof typeof TRAIN.tasks)[]} */ (Object.keys(TRAIN.tasks));
  return h(
    "section",
    { class: "train-settings", "aria-label": TRAIN.settings },
    h(
      "div",
      { class: "steer" },
      select(
        TRAIN.task,
        tasks.map((value) => ({ value, name: TRAIN.tasks[value] })),
        state.task,
        (task) => change({ task, line: "" }),
      ),
      choice("trainHeads", TRAIN.heads),
      choice("trainWidth", TRAIN.width),
      choice("trainLayers", TRAIN.layers),
      choice("rate", TRAIN.rate),
      toggle(TRAIN.positions, !state.unordered, (on) => change({ unordered: !on }), TRAIN.positionsWhy),
      toggle(TRAIN.scaled, !state.unscaled, (on) => change({ unscaled: !on }), TRAIN.scaledWhy),
      seed(state, change),
    ),
    h("p", { class: "quiet-text" }, TRAIN.taskWhy[state.task], " ", TRAIN.again),
  );
}

/** @param {Readonly<State>} state @param {(changes: Changes) => void} change */
function seed(state, change) {
  const input = h("input", {
    type: "number",
    min: "0",
    max: "999999",
    value: String(state.seed),
    dataset: { focus: "train-seed" },
    onchange: () => change({ seed: keys.seed.parse(input.value) ?? state.seed }),
  });
  return h("label", { class: "field" }, h("span", {}, TRAIN.seed), input);
}

/** @param {Training} training @param {{toggle: () => void, step: () => void, restart: () => void}} does */
export function buttons(training, does) {
  /** @param {string} focus @param {string} label @param {() => void} onclick @param {string} [kind] */
  const button = (focus, label, onclick, kind) =>
    h("button", { type: "button", class: kind, onclick, dataset: { focus } }, label);
  return h(
    "div",
    { class: "steer" },
    button("train-run", training.running ? TRAIN.pause : TRAIN.train, does.toggle, "primary"),
    button("train-step", TRAIN.step, does.step),
    button("train-restart", TRAIN.restart, does.restart),
  );
}
