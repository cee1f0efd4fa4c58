/** Lo que dice la vista «Traducir». */

/** @type {typeof import("page/words/en/translate").TRANSLATE} */
export const TRANSLATE = {
  heading: "Traducción",
  tries: "Frases para probar",
  noAlignment: "Este modelo no señala ninguna atención que alinee sus palabras; «Matriz» muestra la que tiene.",
  axes: { writes: "escribe", looks: "mira a", influenced: "influida por" },
  origin: (layers, mean) =>
    `Dibujado a partir de la atención cruzada del modelo en ${layers}${mean ? ", media de sus cabezas" : ""}. `,
  layer: (layer) => `la capa ${layer}`,
  numbers: "Ver los números",
  probability: (word, p) => `${word}: probabilidad ${p}`,
  given: "dada, no buscada",
  logprob: (value) => `log-probabilidad ${value}`,
  under: (whole) =>
    `Debajo de cada palabra: lo probable que le pareció al modelo cuando la escribió. El conjunto: ${whole}.`,
  steps: "La decodificación paso a paso",
  step: (step) => `Paso de decodificación ${step}`,
  whole: (value) => `${value} de probabilidad`,
  noEnd: "Las líneas hacia la marca que termina la frase no se dibujan.",
  wordColumns: ["palabra", "escribe", "seguridad"],
  instead: "con qué más podría haber empezado",
  stepsWords:
    "El modelo escribe una palabra tras otra. Cada vez lee lo que lleva escrito y da una probabilidad a cada continuación " +
    "posible. Una palabra larga se escribe en fragmentos, cuyas probabilidades se multiplican.",
  word: (at) => `Palabra ${at}`,
  stepsNumbers:
    "Cada paso de decodificación lee un token más que el anterior y da una probabilidad a cada token del vocabulario. " +
    "Estas son las cinco mayores.",
  columns: ["paso", "lee", "escribe", "p"],
  most: "lo más probable",
  some: (from, to, all) => `Pasos de decodificación ${from} a ${to} de ${all}: el control de abajo lleva a los demás.`,
};
