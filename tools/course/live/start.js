/**
 * One figure of the course, live: what the reader changes is computed and drawn again by the explorer's own modules.
 *
 *   figures.html#/forgetting?lang=en&theme=dark
 *
 * A chapter shows it in a frame, and is told how high it is.
 */
import { FIGURES } from "course/figures";
import { h, refill } from "page/elements/dom";

/** @import { Figure } from "course/figure" */
/** @import { Context } from "page/types" */

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
const said = h("div", { class: "unseen", "aria-live": "polite" });
const place = h("div", {});
root.append(h("main", {}, h("h1", { class: "unseen" }, "A figure that can be changed"), place), said);

/** What the reader has changed, by figure. @type {Record<string, Record<string, any>>} */
const changed = {};

/** What the drawing modules read of the explorer's state; its buttons set `table`. */
let state = { depth: "numbers", transfer: "linear", palette: "ink", table: false, veiled: false };

/** The drawing modules ask a view's context for these; a figure has no trace. @param {"light" | "dark"} theme */
const contextOf = (theme) =>
  /** @type {Context} */ (
    /** @type {unknown} */ ({
      state,
      set: (/** @type {Partial<typeof state>} */ changes) => {
        state = { ...state, ...changes };
        draw();
      },
      theme,
      width: Math.floor(place.clientWidth),
      drawings: [],
      say: (/** @type {string} */ text) => {
        said.textContent = text;
      },
      follow: () => {},
    })
  );

function draw() {
  const [, name, asked] = /^#\/([a-z-]+)\??(.*)$/.exec(location.hash) ?? ["", "", ""];
  /** @type {Figure | undefined} */
  const figure = FIGURES[/** @type {keyof typeof FIGURES} */ (name)];
  const dark = new URLSearchParams(asked).get("theme") === "dark";
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  const settings = { ...figure?.start, ...changed[name] };
  /** @param {Record<string, any>} changes */
  const set = (changes) => {
    changed[name] = { ...changed[name], ...changes };
    draw();
  };
  refill(place, () => {
    if (figure) place.append(...figure.render(contextOf(dark ? "dark" : "light"), settings, set));
  });
  document.documentElement.dataset.ready = name;
  tell();
}

function tell() {
  const { ready: figure } = document.documentElement.dataset;
  parent.postMessage({ figure, height: Math.ceil(root.getBoundingClientRect().height) }, "*");
}

draw(); // at once: what is not in sight yet is not observed
addEventListener("hashchange", draw);
let width = place.clientWidth;
new ResizeObserver(() => {
  if (place.clientWidth === width) tell();
  else {
    width = place.clientWidth;
    draw();
  }
}).observe(root);
