/** The view Cost. */
import { h } from "x/dom";

export default {
  id: "cost",
  key: "c",
  title: "Cost",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Cost"));
  },
};
