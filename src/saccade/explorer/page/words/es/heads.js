/** Lo que dice la vista «Cabezas». */

/** @type {typeof import("page/words/en/heads").heads} */
export const heads = {
  heading: "Todas las cabezas a la vez",
  lead:
    "Cada cabeza de cada capa como una pequeña imagen: las filas preguntan, las columnas son miradas. Con los números se " +
    "encuentra una cabeza que merezca la pena abrir.",
  nothing: "Traduce una frase para ver sus cabezas.",
  noAttention: (name) => `${name} no tiene atención: entrega un solo vector, así que no hay cabezas que mostrar.`,
  toAncestors: "En «Antecesores» se ve lo que entrega en su lugar.",
  length: {
    neighbours: { "-1": "el fragmento anterior", 0: "el propio fragmento", 1: "el fragmento siguiente" },
    looks: (layer, head, neighbour, places) =>
      `Una frase larga enseña algo: la cabeza ${head} de la capa ${layer} del codificador mira ${neighbour}. En los primeros ` +
      `${places} lugares le da una parte del`,
    afterwards: ", después del ",
    keeps: "Su patrón se mantiene, pues, hasta donde llega esta frase.",
    loses:
      "Pierde, pues, su patrón: lo que está tan atrás fue raro en el entrenamiento, o no estuvo nunca. Por eso fallan las " +
      "traducciones de frases largas.",
  },
  kinds: {
    enc: "Autoatención del codificador",
    dec: "Autoatención del decodificador",
    cross: "Atención cruzada",
  },
  kindNotes: {
    enc: "el origen mira al origen",
    dec: "la salida mira lo que ya está escrito",
    cross: "la salida mira al origen",
  },
  size: (layers, heads) =>
    `${layers} ${layers === 1 ? "capa" : "capas"} \u00d7 ${heads} ${heads === 1 ? "cabeza" : "cabezas"}`,
  layer: (layer) => `Capa ${layer}`,
  head: (head) => `Cabeza ${head}`,
  short: (layer, head) => `C${layer} K${head}`,
  badge: {
    label: "Número",
    names: {
      entropy: "entropía",
      distance: "distancia",
      special: "especiales",
      diagonal: "diagonalidad",
      agreement: "coincidencia",
    },
    meaning: {
      entropy: "Lo repartida que está una fila, en bits: 0 es un solo lugar, cada bit duplica las opciones.",
      distance: "A cuántas palabras o fragmentos, lo que se muestre, mira una fila de media.",
      special: "Parte del peso en tokens especiales, como el final de la frase, que no son palabras.",
      diagonal: "Parte del peso a un lugar de la diagonal como mucho.",
      agreement: "Parte de las filas que más miran a la misma palabra de origen que la referencia.",
    },
    none: "\u2013",
    short: (name, value) => heads.badge.format(name, value).replace(" bits", ""),
    format: (name, value) =>
      value === null
        ? "\u2013"
        : name === "entropy"
          ? `${value.toFixed(2)} bits`
          : name === "distance"
            ? value.toFixed(2)
            : `${Math.round(100 * value)} %`,
  },
  reference: {
    label: "Referencia",
    own: "el alineamiento del propio modelo",
    occlusion: "omitir palabras",
    gradient: "gradiente",
    note: "Solo las cabezas entre la salida y el origen pueden coincidir con un alineamiento.",
  },
  order: { label: "Orden", grid: "capa por capa", high: "primero las mayores", low: "primero las menores" },
  filter: {
    least: "Al menos",
    most: "Como mucho",
    off: "Mostrar todas",
    count: (shown, all) => `${shown} de ${all} cabezas`,
  },
  open: { label: "Intro o un clic abre", heat: "Matriz", steps: "Pasos" },
  mode: { label: "Mostrar", heads: "todas las imágenes", word: "una palabra" },
  word: {
    choose: "Palabra",
    label: { source: "Origen", reads: "Salida: lee \u2192 predice" },
    note: "Una fila por cabeza: adónde mira esta palabra en cada capa. Intro abre la cabeza.",
    title: (kind, word) => `${kind}: ${word}`,
    reads: (reads, predicts) => `${reads} \u2192 ${predicts}`,
    axis: "cabeza",
    keys: "mira a",
  },
  unit: { label: "Unidades", word: "palabras", piece: "fragmentos" },
  hide: "Ocultar tokens especiales",
  caption: (unit, transfer, badge, queries, keys) =>
    `${queries} por ${keys} ${unit === "word" ? "palabras" : "fragmentos"}, colores: ${transfer}, número: ${badge}`,
  where: (kind, layer, head) => `${kind}, capa ${layer}, cabeza ${head}`,
  strongest: "lo más fuerte",
  tensor: (name, head, queries, keys) => `${name}[${head}]: ${queries} \u00d7 ${keys}`,
  goTo: (view) => `Abrir en «${view}»`,
  choose: "Ve a una imagen para leer sus números.",
  tree: (layer, head) =>
    `El árbol: atención cruzada, capa ${layer + 1}, ${head === "mean" ? "media de sus cabezas" : `cabeza ${head + 1}`}`,
  meaning: "Qué significan los números",
  tags: {
    best: "la que mejor alinea",
    special: "especiales",
    diagonal: "en diagonal",
    sharp: "nítida",
    even: "uniforme",
  },
  tagRules:
    "Etiquetas: «especiales» o «en diagonal», donde está al menos la mitad del peso; «nítida» o «uniforme», donde la " +
    "entropía es como mucho un cuarto, o al menos el 85 %, de la de un reparto uniforme; «la que mejor alinea», donde las " +
    "filas de ninguna otra cabeza coinciden mejor con lo que cuesta omitir palabras.",
  cell: (layer, head, numbers, query, key, weight) =>
    `Capa ${layer}, cabeza ${head}. ${numbers}. Lo más fuerte: ${query} a ${key}, ${weight.toFixed(3)}.`,
  numbers: (facts, format, names) =>
    Object.keys(names)
      .filter((name) => facts[name] !== null)
      .map((name) => `${names[name]} ${format(/** @type {any} */ (name), facts[name])}`)
      .join(", "),
  help: "Las flechas pasan de cabeza en cabeza, Intro abre una.",
  table: {
    caption: (kind) => `${kind}: los números de cada cabeza`,
    layer: "Capa",
    head: "Cabeza",
    strongest: "Pareja más fuerte",
    tags: "Etiquetas",
    pair: (query, key, weight) => `${query} \u2192 ${key} ${weight.toFixed(3)}`,
  },
  notOne: "Las filas de esta atención no tienen por qué sumar uno; sus números son sumas de lo que hay.",
  detail: "La cabeza bajo el cursor",
  caution: "Un peso dice adónde mira una cabeza, no por qué se escribió una palabra.",
  averaged:
    "Cuanto menor es la entropía, menos desdibuja una cabeza lo que lee; varias cabezas juntas pueden mirar a varios sitios.",
};
