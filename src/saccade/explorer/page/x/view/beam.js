/** The view Beam. */
import { h } from "x/dom";

export default {
  id: "beam",
  key: "b",
  title: "Beam",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Beam"));
  },
};
