/** The view Steps. */
import { h } from "x/dom";

export default {
  id: "steps",
  key: "s",
  title: "Steps",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Steps"));
  },
};
