/** Lo que dice la vista «Matriz». */

/** @type {typeof import("page/words/en/heat").HEAT} */
export const HEAT = {
  heading: "Adónde mira cada palabra",
  axes: { writes: "escribe", reads: "lee", word: "palabra", looks: "mira a", influenced: "influida por" },
  row: (read, written) => `lee ${read}, escribe ${written}`,
  specials: "tokens especiales",
  influence: "la influencia de las palabras",
  allLayers: "media de todas las capas",
  allHeads: "media de todas las cabezas",
  kind: "Tipo de atención",
  unit: "Unidad",
  units: { word: "palabras", piece: "fragmentos" },
  rows: "Filas nombradas por la palabra escrita",
  links: "Conexiones de una fila",
  tuning: (changed) => `Filtros y colores${changed ? ` (${changed} cambiados)` : ""}`,
  colours: "Escala",
  palette: "Paleta",
  show: "Mostrar",
  everything: "todo",
  heaviest: (percent) => `el ${percent} % más pesado de una fila`,
  hide: "Ocultar tokens especiales",
  again: "las filas vuelven a sumar uno",
  best: (layer, head) => `Cabeza que mejor alinea: capa ${layer}${head === null ? "" : `, cabeza ${head}`}`,
  picture: "Imagen",
};
