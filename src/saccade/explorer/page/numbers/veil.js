/**
 * Numbers that a model computed, hidden until somebody asks: in prose, in tables and in pictures.
 *
 * Such a number has decimals or is a percentage. Whole numbers stay, since they are mostly names: layer 3, step 5. In the
 * cells of a table they are hidden too. What can be pressed or chosen keeps its numbers, and so do the words of a sentence
 * and addresses.
 */

const COMPUTED = /(?<![/\w.])[-+−]?\d+(?:\.\d+(?:e[-+]?\d+)?\s?%?|\s?%)/g;
/** A cell that holds nothing else. */
const NUMBER = /^\s*[-+−]?[\d.,\s]*\d[\d.,\s]*(?:e[-+]?\d+)?\s*%?\s*$/;
const KEPT = "bdi, button, label, select, summary, a, input, textarea, .computed, .unseen";

/** Whether numbers are hidden now. */
export const veiled = () => document.documentElement.hasAttribute("data-veiled");

/** What is drawn of a text. @param {string} text */
export const drawn = (text) => (veiled() ? text.replace(COMPUTED, "") : text);

/** @type {MutationObserver | null} */
let watching = null;

/** Hides the numbers of the view from now on, whatever it shows next; or no longer. @param {boolean} hidden */
export function veil(hidden) {
  if (hidden === (watching !== null)) return;
  watching?.disconnect();
  watching = hidden ? new MutationObserver(hideAll) : null;
  hideAll();
}

function hideAll() {
  watching?.disconnect();
  if (!watching) return;
  for (const part of document.querySelectorAll("main, .side")) hideIn(part);
  watching.observe(document.body, { childList: true, subtree: true, characterData: true });
}

/** @param {Element} root */
function hideIn(root) {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  /** @type {Text[]} */
  const found = [];
  while (texts.nextNode()) found.push(/** @type {Text} */ (texts.currentNode));
  for (const text of found) {
    const parent = text.parentElement;
    if (!parent || parent.closest(KEPT)) continue;
    if (parent.closest("td") && !parent.closest("math") && NUMBER.test(text.data)) hide(text, 0, text.length);
    else for (const match of [...text.data.matchAll(COMPUTED)].reverse()) hide(text, match.index, match[0].length);
  }
}

/** Hides a part of a text; in a formula, where there are no such parts, all of it. @param {Text} text @param {number} start @param {number} length */
function hide(text, start, length) {
  const parent = /** @type {Element} */ (text.parentElement);
  if (!(parent instanceof HTMLElement)) {
    parent.classList.add("computed");
    return;
  }
  const part = text.splitText(start);
  part.splitText(length);
  const hidden = document.createElement("span");
  hidden.className = "computed";
  part.replaceWith(hidden);
  hidden.append(part);
}
