/** A tour of one minute along the drawing: one stop at a time, by itself or by hand, and it can be left at any moment. */

import { h, refill } from "page/elements/dom";
import { HOME } from "page/home/words";

/** @typedef {{stack: "encoder" | "decoder", kind: string, say: string}} Stop */

/** Where the tour stops; what it says there are words. @type {["encoder" | "decoder", string][]} */
const PLACES = [
  ["encoder", "words"],
  ["encoder", "embedding"],
  ["encoder", "position"],
  ["encoder", "self"],
  ["encoder", "ffn"],
  ["decoder", "self"],
  ["decoder", "cross"],
  ["decoder", "output"],
];

const SECONDS = 60;

/**
 * The panel of the tour; `mark` shows a stop in the drawing, and null ends it.
 * @param {(stop: Stop | null) => void} mark
 * @param {(stop: Stop) => boolean} has  whether this model has such a part
 */
export function tour(mark, has) {
  const stops = PLACES.map(([stack, kind], at) => ({ stack, kind, say: HOME.stops[at] })).filter(has);
  const panel = h("div", { class: "home-tour" });
  let timer = 0;
  /** @param {number | null} at */
  const show = (at) => {
    clearTimeout(timer);
    if (at === null || !panel.isConnected) {
      mark(null);
      refill(panel, () => panel.append(begin()));
      return;
    }
    mark(stops[at]);
    refill(panel, () => panel.append(card(at)));
    timer = setTimeout(() => show(at + 1 < stops.length ? at + 1 : null), (1000 * SECONDS) / stops.length);
  };
  /** @param {string} name @param {number | null} to @param {string} [look] */
  const button = (name, to, look = "quiet") =>
    h("button", { type: "button", class: look, dataset: { focus: `tour-${name}` }, onclick: () => show(to) }, name);
  const begin = () => button(HOME.tour, 0);
  /** @param {number} at */
  const card = (at) =>
    h(
      "div",
      { class: "home-card" },
      h("p", { role: "status" }, stops[at].say),
      h(
        "div",
        { class: "home-steps" },
        h("span", { class: "quiet-text" }, HOME.place(at + 1, stops.length)),
        at > 0 ? button(HOME.back, at - 1) : null,
        at + 1 < stops.length ? button(HOME.next, at + 1, "primary") : button(HOME.done, null, "primary"),
        at + 1 < stops.length ? button(HOME.skip, null) : null,
      ),
    );
  panel.append(begin());
  return panel;
}
