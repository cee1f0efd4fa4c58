/** What the view Heat says. */

export const HEAT = {
  heading: "Where each word looks",
  axes: { writes: "writes", reads: "reads", word: "word", looks: "looks at", influenced: "influenced by" },
  /** @param {string} read @param {string} written */
  row: (read, written) => `reads ${read}, writes ${written}`,
  specials: "special tokens",
  influence: "the influence of words",
  allLayers: "mean of all layers",
  allHeads: "mean of all heads",
  kind: "Kind of attention",
  unit: "Unit",
  units: { word: "words", piece: "pieces" },
  rows: "Rows named by the word written",
  links: "Links of one row",
  /** @param {number} changed */
  tuning: (changed) => `Filters and colours${changed ? ` (${changed} changed)` : ""}`,
  colours: "Colours",
  palette: "Palette",
  show: "Show",
  everything: "everything",
  /** @param {number} percent */
  heaviest: (percent) => `heaviest ${percent} % of a row`,
  hide: "Hide special tokens",
  again: "rows sum to one again",
  /** @param {number} layer @param {number | null} head */
  best: (layer, head) => `Head that aligns best: layer ${layer}${head === null ? "" : `, head ${head}`}`,
  picture: "Picture",
};
