/** The parameters by name: what the level “tensors” adds. */
import { h } from "page/elements/dom";
import { digits } from "page/numbers/numbers";
import { TRAIN } from "page/train/words";

/** @import { Look } from "page/train/trainer" */

/** @param {Look} look */
export function tensors({ tensors: found }) {
  return h(
    "section",
    {},
    h("h2", {}, TRAIN.tensors),
    h("p", {}, TRAIN.code),
    h(
      "div",
      { class: "table-scroll", tabindex: "0", role: "group", "aria-label": TRAIN.tensors },
      h(
        "table",
        { class: "lab-table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            TRAIN.tensorColumns.map((name) => h("th", { scope: "col" }, name)),
          ),
        ),
        h(
          "tbody",
          {},
          found.map(({ name, shape, size }) =>
            h(
              "tr",
              { dataset: { parameter: name } },
              h("th", { scope: "row" }, name),
              h("td", {}, shape.join(" × ")),
              h("td", {}, String(shape.reduce((product, side) => product * side, 1))),
              h("td", {}, digits(size, 4)),
            ),
          ),
        ),
      ),
    ),
  );
}
