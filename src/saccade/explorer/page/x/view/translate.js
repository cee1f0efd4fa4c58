/** The view Translate. */
import { h } from "x/dom";

export default {
  id: "translate",
  key: "t",
  title: "Translate",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Translate"));
  },
};
