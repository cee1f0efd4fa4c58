/** What pictures say of themselves: their labels, their tables and how they are read aloud. */

export const DRAWING = {
  matrix: "Matrix",
  notAllowed: "not allowed",
  /** @param {number} rows @param {number} columns */
  tooMany: (rows, columns) =>
    `${rows} by ${columns} numbers are too many for one table: this is the chosen row. The CSV file has them all.`,
  /** @param {string} row @param {string} column */
  cell: (row, column) => `row ${row}, column ${column}`,
  highest: "highest in row",
  /** @param {string} row @param {string} column @param {string} value */
  largest: (row, column, value) => ` Largest: ${row} to ${column}, ${value}.`,
  /** @param {string} title @param {number} rows @param {number} columns @param {string} largest */
  summary: (title, rows, columns, largest) =>
    `${title}, ${rows} by ${columns}.${largest} Arrow keys move from cell to cell.`,
  /** @param {string} scale */
  colours: (scale) => `Colours: ${scale}`,
  diverging: "blue below zero, orange above",
  rowsLargest: "row's largest",
  scales: {
    diverging: "linear, symmetric",
    rowmax: "share of the row's largest",
    sqrt: "square root",
    linear: "linear",
  },
  /** @param {string} row @param {string} strongest */
  looks: (row, strongest) => `${row} looks at ${strongest}`,
  /** @param {string} title @param {string} shape */
  vectors: (title, shape) => `${title}, ${shape}. Arrow keys move from number to number.`,
  /** @param {string} row @param {number} column @param {string} value */
  number: (row, column, value) => `row ${row}, number ${column}, ${value}`,
  vectorAxes: ["piece", "number"],
  /** @param {number} from @param {number} to @param {number} all */
  someRows: (from, to, all) => `rows ${from} to ${to} of ${all}`,
  /** @param {string} limit */
  range: (limit) => `colours from −${limit} (blue) to ${limit} (orange)`,
  vectorTable: "piece ↓ number →",
  /** @param {number} shown @param {number} all */
  someColumns: (shown, all) => `The first ${shown} of ${all} numbers; the CSV file has them all.`,
  save: { png: "Save the picture", svg: "Save the drawing", csv: "Save the numbers" },
  /** @param {string} save @param {string} form @param {string} title */
  saveAs: (save, form, title) => `${save} as ${form}: ${title}`,
  shape: "rows × columns",
  asPicture: "Picture",
  asTable: "Table",
  toggle: "Picture or table (v)",
  tree: {
    title: "The tree, and where the model looked when it opened a bracket",
    unaligned: "This model names no attention that aligns its words.",
    point: "Point at a bracket: the bars under the words are the cross-attention of the step that opened it.",
    /** @param {string} label @param {string} words @param {number} step */
    span: (label, words, step) => `${label} over “${words}”, opened at step ${step}`,
    /** @param {string} span @param {string} most */
    looked: (span, most) => `${span}, looked most at ${most}.`,
  },
  left: {
    renormalised: "special tokens left out, rows divided by what is left",
    specials: "special tokens left out",
    /** @param {number} percent */
    heaviest: (percent) => `heaviest ${percent} % of each row`,
  },
  /** @param {number} layers */
  meanOfLayers: (layers) => `mean of ${layers} layers`,
  /** @param {number} layer */
  layer: (layer) => `layer ${layer}`,
};
