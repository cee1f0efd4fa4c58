/** The strip at the bottom: the words of both sides, always there, always clickable, and the rounds of the decoder. */

import { isPlaying, toggled } from "page/app/playing";
import { words } from "page/app/words";
import { h, word } from "page/elements/dom";
import { isLeftOut, namedFor } from "page/trace/plain-names";
import { axis, chosen } from "page/trace/trace";

/** @import { AxisEntry, Context, Control, State, Token } from "page/types" */

/** @param {HTMLElement} root @param {Context} context @param {boolean} stepsOnly  without the words */
export function tokens(root, context, stepsOnly) {
  const { trace, state, set } = context;
  if (!trace) return;
  if (stepsOnly) {
    root.append(rounds(context));
    return;
  }
  const { kind } = chosen(trace, state);
  const sourceKey = kind === "enc" ? "q" : "k";
  const hasSource = trace.axes.source.tokens.some((/** @type {Token} */ token) => !token.special);
  if (hasSource)
    root.append(
      line(
        words.source,
        namedFor(axis(trace, "source", state.unit), state.depth),
        state.depth,
        (i) => set({ [sourceKey]: i, ...(sourceKey === "k" && state.q === null ? { q: 0 } : {}) }),
        (i) => kind !== "dec" && state[sourceKey] === i,
      ),
    );
  const name = state.shift ? "target" : "reads";
  const rows = namedFor(axis(trace, name, state.unit), state.depth);
  root.append(
    line(
      words.target,
      rows,
      state.depth,
      (i) => set({ q: i, ...(kind === "enc" ? { kind: "cross", layer: null, k: null } : {}) }),
      (i) => kind !== "enc" && state.q === i,
      (entry) => state.step !== null && entry.pieces[0] > state.step,
    ),
  );
  root.append(rounds(context));
}

/**
 * @param {string} title
 * @param {AxisEntry[]} entries
 * @param {State["depth"]} depth
 * @param {(i: number) => void} pick
 * @param {(i: number) => boolean} isChosen
 * @param {(entry: AxisEntry) => boolean} [later]
 */
function line(title, entries, depth, pick, isChosen, later = () => false) {
  return h(
    "div",
    { class: "strip-line" },
    h("span", { class: "strip-title" }, title),
    h(
      "div",
      { class: "chips", role: "group", "aria-label": title },
      entries.map((entry, i) =>
        isLeftOut(entry, depth)
          ? null
          : h(
              "button",
              {
                type: "button",
                class: `chip${entry.special ? " special" : ""}${later(entry) ? " later" : ""}`,
                "aria-pressed": String(isChosen(i)),
                dataset: { focus: `${title}-${i}` },
                onclick: () => pick(i),
              },
              word(entry.label),
            ),
      ),
    ),
  );
}

/** Play, and the slider over the decoding steps: at its right end all of them are shown. @param {Context} context */
function rounds(context) {
  const { trace, state, set } = context;
  const total = trace.steps.length;
  const value = state.step === null || state.step >= total ? total : state.step;
  const shown = words.round(value === total ? null : value, total);
  /** @param {Event & {target: Control}} event */
  const move = (event) => {
    const next = Number(event.target.value);
    set({ step: next === total ? null : next });
  };
  const play = h(
    "button",
    {
      type: "button",
      class: "quiet",
      dataset: { focus: "play" },
      onclick: () => {
        toggled(context);
        play.textContent = isPlaying() ? words.pause : words.play;
      },
    },
    isPlaying() ? words.pause : words.play,
  );
  const slider = h(
    "label",
    { class: "rounds" },
    h("span", { class: "strip-title" }, words.rounds),
    h("input", {
      type: "range",
      min: 0,
      max: total,
      value,
      "aria-label": words.rounds,
      "aria-valuetext": shown,
      dataset: { focus: "rounds" },
      oninput: move,
    }),
    h("output", {}, shown),
  );
  return h("div", { class: "playing" }, slider, play);
}
