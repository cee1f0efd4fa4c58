/** How the view Model writes factors and the names of parameters. */

/** A factor without digits that say nothing: 16, 22.63. @param {number} value */
export const factor = (value) => String(Number(value.toFixed(2)));

/** target_embedding.weight -> target embedding @param {string} name */
export function readable(name) {
  return name
    .replace(/\.weight$/, "")
    .replaceAll("_", " ")
    .replaceAll(".", " ");
}
