/** Was Bilder von sich selbst sagen: ihre Beschriftungen, ihre Tabellen und wie sie vorgelesen werden. */

/** @type {typeof import("page/words/en/drawing").DRAWING} */
export const DRAWING = {
  matrix: "Zahlenfeld",
  notAllowed: "nicht erlaubt",
  tooMany: (rows, columns) =>
    `${rows} mal ${columns} Zahlen sind zu viel für eine Tabelle: Dies ist die gewählte Zeile. Die CSV-Datei hat alle.`,
  cell: (row, column) => `Zeile ${row}, Spalte ${column}`,
  highest: "größter Wert der Zeile",
  largest: (row, column, value) => ` Am größten: ${row} auf ${column}, ${value}.`,
  summary: (title, rows, columns, largest) =>
    `${title}, ${rows} mal ${columns}.${largest} Die Pfeiltasten gehen von Zelle zu Zelle.`,
  colours: (scale) => `Farben: ${scale}`,
  diverging: "blau unter null, orange darüber",
  rowsLargest: "größtes der Zeile",
  scales: {
    diverging: "linear, symmetrisch",
    rowmax: "Anteil am größten der Zeile",
    sqrt: "Wurzel",
    linear: "linear",
  },
  looks: (row, strongest) => `${row} schaut auf ${strongest}`,
  vectors: (title, shape) => `${title}, ${shape}. Die Pfeiltasten gehen von Zahl zu Zahl.`,
  number: (row, column, value) => `Zeile ${row}, Zahl ${column}, ${value}`,
  vectorAxes: ["Wortstück", "Zahl"],
  someRows: (from, to, all) => `Zeilen ${from} bis ${to} von ${all}`,
  range: (limit) => `Farben von −${limit} (blau) bis ${limit} (orange)`,
  vectorTable: "Wortstück ↓ Zahl →",
  someColumns: (shown, all) => `Die ersten ${shown} von ${all} Zahlen; die CSV-Datei hat alle.`,
  save: { png: "Das Bild speichern", svg: "Die Zeichnung speichern", csv: "Die Zahlen speichern" },
  saveAs: (save, form, title) => `${save} als ${form}: ${title}`,
  shape: "Zeilen × Spalten",
  asPicture: "Bild",
  asTable: "Tabelle",
  toggle: "Bild oder Tabelle (v)",
  tree: {
    title: "Der Baum, und wohin das Modell schaute, als es eine Klammer öffnete",
    unaligned: "Dieses Modell nennt keine Aufmerksamkeit, die seine Wörter zuordnet.",
    point:
      "Zeige auf eine Klammer: Die Balken unter den Wörtern sind die Kreuzaufmerksamkeit des Schritts, der sie geöffnet hat.",
    span: (label, words, step) => `${label} über „${words}“, geöffnet in Schritt ${step}`,
    looked: (span, most) => `${span}, schaute am meisten auf ${most}.`,
  },
  left: {
    renormalised: "ohne besondere Token, Zeilen durch das geteilt, was bleibt",
    specials: "ohne besondere Token",
    heaviest: (percent) => `die schwersten ${percent} % jeder Zeile`,
  },
  meanOfLayers: (layers) => `Mittel von ${layers} Schichten`,
  layer: (layer) => `Schicht ${layer}`,
};
