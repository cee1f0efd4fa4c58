/** One matrix of attention, large: every row a query, every column a key, every cell how much is looked. */
import { h } from "x/dom";
import { matrix } from "x/matrix";
import { chosen, picture } from "x/trace";

export default {
  id: "heat",
  key: "m",
  title: "Heat",
  follows: ["q", "k"],
  needs: () => [],
  render(root, context) {
    const { trace, state } = context;
    root.append(h("h1", {}, "Heat"));
    const { block, head } = chosen(trace, state);
    if (!block) return;
    const { rows, columns, weights, mask } = picture(trace, block, head, state.unit);
    const cursor = state.q === null || state.k === null ? null : { row: state.q, column: state.k };
    root.append(matrix(context, { values: weights, rows, columns, mask, title: `Layer ${block.layer + 1}`, name: block.id, cursor, axes: ["reads", "looks at"], onPick: (q, k) => context.set({ q, k }), follow: (now) => ({ row: now.q, column: now.k }) }));
  },
};
