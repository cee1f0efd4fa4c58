/** The view Heads. */
import { h } from "x/dom";

export default {
  id: "heads",
  key: "h",
  title: "Heads",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Heads"));
  },
};
