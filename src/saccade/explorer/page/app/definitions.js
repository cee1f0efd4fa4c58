/**
 * Definitions where they are needed: the first time a term stands in the prose of a view it is underlined, and what it
 * means appears when somebody points at it, taps it, or reaches it with the keyboard. Escape takes it away.
 */

import { termsIn } from "page/app/terms";
import { GLOSSARY } from "page/app/words-glossary";
import { h } from "page/elements/dom";

/** Where prose stands. */
const PROSE = "p, li, dt, dd, figcaption, caption";
/** What is no prose, cannot hold something to point at, or would cut the definition off. */
const OTHER =
  "a, button, label, summary, select, textarea, bdi, code, kbd, output, math, svg, .term, .unseen, .problem, " +
  ".table-scroll, .matrix-scroll, .links-scroll, .side-by-side, [aria-hidden='true'], [role='status'], [lang]:not(html)";
const MARGIN = 8;

/** Underlines the terms of a view. @param {Element} root */
export function markTerms(root) {
  const known = new Set([...root.querySelectorAll(".term")].map((one) => one.getAttribute("data-term") ?? ""));
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const prose = [];
  while (texts.nextNode()) {
    const text = /** @type {Text} */ (texts.currentNode);
    if (text.parentElement?.closest(PROSE) && !text.parentElement.closest(OTHER)) prose.push(text);
  }
  for (const text of prose) {
    const places = termsIn(text.data, GLOSSARY, known);
    for (const { key } of places) known.add(key);
    for (const { start, length, key } of places.reverse()) mark(text, start, length, key);
  }
}

/** @param {Text} text @param {number} start @param {number} length @param {string} key */
function mark(text, start, length, key) {
  const part = text.splitText(start);
  part.splitText(length);
  const term = h("dfn", { class: "term", tabindex: "0", dataset: { term: key, focus: `term-${key}` } });
  part.replaceWith(term);
  term.append(part);
}

/** Shows what a term means while it is pointed at or has the focus. @param {HTMLElement} root */
export function showDefinitions(root) {
  /** @type {HTMLElement | null} */
  let shown = null;
  const hide = () => {
    shown?.querySelector("[role=tooltip]")?.remove();
    shown?.removeAttribute("aria-describedby");
    shown = null;
  };
  /** @param {Event} event */
  const show = ({ target }) => {
    const term = /** @type {Element} */ (target).closest?.(".term");
    if (!(term instanceof HTMLElement) || term === shown) return;
    hide();
    shown = term;
    const entry = GLOSSARY[/** @type {keyof typeof GLOSSARY} */ (term.dataset.term)];
    const definition = h(
      "span",
      { role: "tooltip", id: "definition", class: "definition" },
      h("b", {}, entry.name),
      entry.means,
    );
    term.append(definition);
    term.setAttribute("aria-describedby", "definition");
    keepInside(definition);
  };
  /** @param {FocusEvent | PointerEvent} event */
  const leave = ({ target, relatedTarget }) => {
    if (!shown?.contains(/** @type {Node} */ (target))) return;
    if (!shown.contains(/** @type {Node | null} */ (relatedTarget)) && document.activeElement !== shown) hide();
  };
  root.addEventListener("pointerover", show);
  root.addEventListener("focusin", show);
  root.addEventListener("pointerout", leave);
  root.addEventListener("focusout", hide);
  addEventListener("keydown", ({ key }) => {
    if (key === "Escape") hide();
  });
}

/** Moves a definition to the left where it would leave the window, and above its term at the bottom. @param {HTMLElement} definition */
function keepInside(definition) {
  const { left, right, bottom, width } = definition.getBoundingClientRect();
  const scale = definition.offsetWidth ? width / definition.offsetWidth : 1;
  const over = Math.max(0, right - (document.documentElement.clientWidth - MARGIN));
  definition.style.setProperty("margin-left", `${-Math.min(over, left - MARGIN) / scale}px`);
  const strip = document.querySelector(".strip:not([hidden])")?.getBoundingClientRect().top ?? innerHeight;
  definition.classList.toggle("above", bottom > Math.min(strip, innerHeight) - MARGIN);
}

/** All terms, for the help. */
export function glossary() {
  const terms = Object.values(GLOSSARY).sort((a, b) => a.name.localeCompare(b.name));
  return h(
    "dl",
    { class: "glossary" },
    terms.map(({ name, means }) => [h("dt", {}, name), h("dd", {}, means)]),
  );
}
