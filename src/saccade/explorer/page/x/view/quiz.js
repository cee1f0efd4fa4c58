/** The view Quiz. */
import { h } from "x/dom";

export default {
  id: "quiz",
  key: "q",
  title: "Quiz",
  needs: () => [],
  render(root) {
    root.append(h("h1", {}, "Quiz"));
  },
};
