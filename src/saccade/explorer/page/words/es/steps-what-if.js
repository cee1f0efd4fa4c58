/** Las suposiciones de la vista «Pasos». */
import { digits } from "page/numbers/numbers";

/** @type {typeof import("page/words/en/steps-what-if").SUPPOSE} */
export const SUPPOSE = {
  changedModel: "Estás viendo el modelo cambiado.",
  backToOriginal: "Mostrarlo junto al original",
  title: "¿Y si …?",
  nothing: "tal como es",
  here: "Solo en esta cabeza",
  hereNote:
    "Calculado en esta página a partir de las puntuaciones guardadas de esta cabeza. Todo lo que hay debajo sigue igual.",
  whole: "En todo el modelo",
  wholeNote: "El modelo se ejecutó otra vez con este cambio en todas las capas y volvió a buscar su traducción.",
  wholeMask:
    "La traducción terminada se leyó otra vez sin nada tapado, de modo que cada palabra ve las que vienen después. Una búsqueda " +
    "no puede hacerlo: mientras escribe, delante no hay nada que ver. Por eso las palabras no cambian; cambian los pesos y las " +
    "probabilidades.",
  wholeHead: "El modelo se ejecutó otra vez sin esta cabeza y volvió a buscar su traducción.",
  before: "tal como es",
  after: "cambiado",
  original: "Traducción",
  changed: "Traducción cambiada",
  silent: "La cabeza sigue mirando adonde miraba; lo que escribe es cero.",
  logprob: "log-probabilidad de todos sus fragmentos",
  same: "La traducción sigue siendo la misma.",
  waiting: "El modelo se está ejecutando con este cambio …",
  absent: (model) =>
    `Este archivo no contiene ninguna ejecución del modelo entero con este cambio. Arranca saccade explore ${model} y elígelo allí.`,
  onlyHere:
    "El modelo entero se puede ejecutar con un cambio así cuando su atención es de producto escalar con escala; aquí es otra.",
  failed: "El modelo no se ha podido ejecutar con este cambio.",
  bits: "dispersión de la fila, en bits",
  places: "tan ancha como tantos lugares iguales",
  largest: "mayor peso de la fila",
  slope: "lo máximo que una puntuación puede mover aún un peso",
  temperature: "Temperatura",
  follow: "Mostrar el modelo cambiado en todas las vistas",
  rowOf: (name) => `La fila de «${name}»`,
  contribution: (share, head) =>
    `La cabeza ${head} escribe el ${digits(100 * share, 1)} % de la longitud de lo que la atención suma en este lugar.`,
  notHere: "Las puntuaciones de esta cabeza no están aquí, así que no se pueden calcular los pesos cambiados.",
  notComputed:
    "Esto cambia lo que lee la cabeza, así que no se puede calcular a partir de sus puntuaciones: solo el modelo entero lo sabe.",
};

/** @type {typeof import("page/words/en/steps-what-if").OFFERS} */
export const OFFERS = {
  "no-positions": "no se suman posiciones",
  "shuffled-positions": "se barajan las posiciones",
  "score:cosine": "las puntuaciones son cosenos",
  "no-scale": "no se divide nada por √d_k",
  "no-mask": "no se tapa nada",
  temperature: "el softmax está más caliente o más frío",
  "head-off": "esta cabeza está apagada",
};
