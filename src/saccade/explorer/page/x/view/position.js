/** The view Position. */
import { h } from "x/dom";

export default {
  id: "position",
  key: "p",
  title: "Position",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Position"));
  },
};
