/** The view Model. */
import { h } from "x/dom";

export default {
  id: "model",
  key: "o",
  title: "Model",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Model"));
  },
};
