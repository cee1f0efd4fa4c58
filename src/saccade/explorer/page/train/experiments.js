/** What is worth trying: links that hold the settings of an experiment. */
import { h } from "page/elements/dom";
import { keys } from "page/train/keys";
import { TRAIN } from "page/train/words";

/** @import { Changes, Context } from "page/types" */

/** @type {Record<keyof typeof TRAIN.experiments, Changes>} */
const SETTINGS = {
  unordered: { task: "reverse", unordered: true },
  unscaled: { task: "reverse", trainHeads: "1", trainWidth: "64", unscaled: true },
  article: { task: "article" },
  addition: { task: "addition", trainHeads: "4", trainLayers: "2", rate: "0.003" },
  rate: { task: "reverse", rate: "0.05" },
};

/** @param {Context} context */
export function experiments({ link }) {
  const usual = Object.fromEntries(Object.entries(keys).map(([name, { start }]) => [name, start]));
  const names = /** @type {(keyof typeof SETTINGS)[]} */ (Object.keys(SETTINGS));
  return h(
    "section",
    {},
    h("h2", {}, TRAIN.tries),
    h(
      "ul",
      {},
      names.map((name) => {
        const [title, why] = TRAIN.experiments[name];
        const href = link("train", { ...usual, ...SETTINGS[name] });
        return h("li", { dataset: { experiment: name } }, h("a", { href }, title), `: ${why}`);
      }),
    ),
  );
}
