/** Sentences that can be shown next: those a file holds, or examples to try. */
import { exampleLanguage, examples } from "page/app/example-sentences";
import { words } from "page/app/words";
import { h, word } from "page/elements/dom";
import { sourceLanguage, wishOf } from "page/trace/store";

/** @import { Context } from "page/types" */

/**
 * Links to the sentences a file holds, the chosen one left out; null where there is no other.
 * @param {Context} context
 */
export function inThisFile({ document: given, link, state }) {
  const known = new Map();
  for (const wanted of given.traces.map(wishOf)) if (!known.has(wanted.sentence)) known.set(wanted.sentence, wanted);
  known.delete(state.sentence);
  if (!known.size) return null;
  return h(
    "ul",
    {},
    [...known].map(([text, wanted]) =>
      h("li", {}, h("a", { href: link(state.view, { ...wanted, q: null, k: null, step: null }) }, word(text))),
    ),
  );
}

/**
 * Sentences to try.
 * @param {Context} context
 * @param {"h1" | "h2"} [heading]
 */
export function tryThese({ link, state, document: given }, heading = "h2") {
  const language = sourceLanguage({ state, document: given });
  /** @param {any} preset */
  const entry = (preset) =>
    h(
      "li",
      {},
      preset.sentences.map((/** @type {string} */ text) =>
        h(
          "a",
          {
            href: link(state.view, {
              sentence: text,
              force: "",
              prefix: "",
              whatif: "",
              q: null,
              k: null,
              step: null,
              hyp: null,
            }),
          },
          word(text),
        ),
      ),
      h("span", { class: "quiet-text" }, preset.why),
    );
  return h(
    "section",
    { class: "empty" },
    h(heading, {}, words.empty),
    language && language !== exampleLanguage(language)
      ? h("p", { class: "quiet-text" }, words.notEnglish(language))
      : null,
    h("ul", { class: "presets" }, examples(language).map(entry)),
  );
}
