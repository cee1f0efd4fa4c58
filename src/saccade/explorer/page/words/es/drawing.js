/** Lo que las imágenes dicen de sí mismas: sus rótulos, sus tablas y cómo se leen en voz alta. */

/** @type {typeof import("page/words/en/drawing").DRAWING} */
export const DRAWING = {
  matrix: "Cuadro de números",
  notAllowed: "no permitido",
  tooMany: (rows, columns) =>
    `${rows} por ${columns} números son demasiados para una tabla: esta es la fila elegida. El archivo CSV los tiene todos.`,
  cell: (row, column) => `fila ${row}, columna ${column}`,
  highest: "el mayor de la fila",
  largest: (row, column, value) => ` El mayor: ${row} a ${column}, ${value}.`,
  summary: (title, rows, columns, largest) =>
    `${title}, ${rows} por ${columns}.${largest} Las flechas pasan de celda en celda.`,
  colours: (scale) => `Colores: ${scale}`,
  diverging: "azul por debajo de cero, naranja por encima",
  rowsLargest: "mayor de la fila",
  scales: {
    diverging: "lineal, simétrica",
    rowmax: "parte del mayor de la fila",
    sqrt: "raíz",
    linear: "lineal",
  },
  looks: (row, strongest) => `${row} mira a ${strongest}`,
  vectors: (title, shape) => `${title}, ${shape}. Las flechas pasan de número en número.`,
  number: (row, column, value) => `fila ${row}, número ${column}, ${value}`,
  vectorAxes: ["fragmento", "número"],
  someRows: (from, to, all) => `filas ${from} a ${to} de ${all}`,
  range: (limit) => `colores de −${limit} (azul) a ${limit} (naranja)`,
  vectorTable: "fragmento ↓ número →",
  someColumns: (shown, all) => `Los primeros ${shown} de ${all} números; el archivo CSV los tiene todos.`,
  save: { png: "Guardar la imagen", svg: "Guardar el dibujo", csv: "Guardar los números" },
  saveAs: (save, form, title) => `${save} como ${form}: ${title}`,
  shape: "filas × columnas",
  asPicture: "Imagen",
  asTable: "Tabla",
  toggle: "Imagen o tabla (v)",
  tree: {
    title: "El árbol, y adónde miró el modelo al abrir un paréntesis",
    unaligned: "Este modelo no señala ninguna atención que alinee sus palabras.",
    point: "Señala un paréntesis: las barras bajo las palabras son la atención cruzada del paso que lo abrió.",
    span: (label, words, step) => `${label} sobre «${words}», abierto en el paso ${step}`,
    looked: (span, most) => `${span}, miró sobre todo a ${most}.`,
  },
  left: {
    renormalised: "sin tokens especiales, filas divididas por lo que queda",
    specials: "sin tokens especiales",
    heaviest: (percent) => `el ${percent} % más pesado de cada fila`,
  },
  meanOfLayers: (layers) => `media de ${layers} capas`,
  layer: (layer) => `capa ${layer}`,
};
