/** The view Ancestors. */
import { h } from "x/dom";

export default {
  id: "ancestors",
  key: "a",
  title: "Ancestors",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Ancestors"));
  },
};
