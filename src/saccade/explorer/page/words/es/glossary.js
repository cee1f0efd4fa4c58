/** Qué significan los términos. */

/** @type {typeof import("page/words/en/glossary").GLOSSARY} */
export const GLOSSARY = {
  selfAttention: {
    name: "autoatención",
    forms: /autoatención/,
    means: "Atención dentro de un texto: consultas, claves y valores vienen de las mismas palabras.",
  },
  crossAttention: {
    name: "atención cruzada",
    forms: /atención cruzada/,
    means: "Atención del texto que se escribe al texto leído: así ve el decodificador la frase de origen.",
  },
  weight: {
    name: "peso de atención",
    forms: /pesos? de (?:la )?atención|pesos?/,
    means: "La parte de su atención que un lugar da a otro: de 0 a 1, y las partes de una fila suman 1.",
  },
  attention: {
    name: "atención",
    forms: /atención/,
    means: "Una media ponderada de vectores: cada lugar toma de todos los demás en partes calculadas para él.",
  },
  look: {
    name: "mirar a",
    forms: /mirar a|miran? a|miró/,
    means: "Abreviado por: dar peso de atención. Nadie ve nada; se suman números por partes.",
  },
  head: {
    name: "cabeza",
    forms: /cabezas?/,
    means:
      "Una de varias atenciones que trabajan en paralelo en una capa, cada una con sus consultas, claves y valores.",
  },
  layerNorm: {
    name: "norma de capa",
    forms: /normas? de capa|layer norm|normalizad[oa]s?/,
    means: "Lleva los números de un vector a media 0 y varianza 1, y luego los estira y desplaza como se aprendió.",
  },
  layer: {
    name: "capa",
    forms: /capas?/,
    means: "Uno de varios bloques iguales; cada uno trabaja con lo que escribió el anterior.",
  },
  query: {
    name: "consulta",
    forms: /consultas?/,
    means: "El vector con que un lugar pregunta: se compara con las claves de los demás.",
  },
  key: {
    name: "clave",
    forms: /claves?/,
    means: "El vector por el que se encuentra un lugar: las consultas se comparan con él.",
  },
  value: {
    name: "valor",
    forms: /valor(?:es)?/,
    means: "El vector que un lugar entrega a los que le prestan atención.",
  },
  softmax: {
    name: "softmax",
    forms: /softmax/,
    means:
      "Convierte números cualesquiera en partes que suman 1: e elevado a cada número, dividido por la suma de todos.",
  },
  score: {
    name: "puntuación",
    forms: /puntuaci(?:ón|ones)|energías?/,
    means:
      "Lo bien que encajan una consulta y una clave, en un número; softmax lo convierte en un peso. Los artículos antiguos " +
      "dicen energía.",
  },
  mask: {
    name: "máscara",
    forms: /máscaras?/,
    means: "Lo que oculta lugares a la atención, como las palabras aún no escritas: su peso es 0.",
  },
  feedForward: {
    name: "red feed-forward",
    forms: /(?:red(?:es)?|capas?) feed-forward|feed-forward/,
    means: "Dos transformaciones con un corte en cero entre ellas, aplicadas a cada lugar por separado.",
  },
  residual: {
    name: "conexión residual",
    forms: /conexi(?:ón|ones) residual(?:es)?|residual(?:es)?/,
    means: "Lo que sale de una parte se suma a lo que entró: una capa cambia un vector en vez de sustituirlo.",
  },
  embedding: {
    name: "embedding",
    forms: /embeddings?/,
    means: "El vector de un token, aprendido al entrenar: una fila de una tabla, elegida por el número del token.",
  },
  token: {
    name: "token",
    forms: /tokens?/,
    means: "Lo que un modelo lee y escribe: un fragmento de palabra, una palabra o una marca como el fin de la frase.",
  },
  piece: {
    name: "fragmento",
    forms: /fragmentos?/,
    means: "Una parte de una palabra de una lista fija. Las palabras frecuentes son un fragmento; las raras, varios.",
  },
  vocabulary: {
    name: "vocabulario",
    forms: /vocabulario/,
    means: "La lista de todos los tokens que conoce un modelo, hecha antes de entrenar.",
  },
  encoder: {
    name: "codificador",
    forms: /codificador(?:es)?/,
    means: "La parte del modelo que lee el origen y hace un vector de cada uno de sus tokens.",
  },
  decoder: {
    name: "decodificador",
    forms: /decodificador(?:es)?/,
    means: "La parte del modelo que escribe, un token tras otro.",
  },
  decodingStep: {
    name: "paso de decodificación",
    forms: /pasos? de decodificación/,
    means: "Un turno del decodificador: lee lo escrito hasta ahora y elige el token siguiente.",
  },
  logProbability: {
    name: "log-probabilidad",
    forms: /log-probabilidad(?:es)?/,
    means:
      "El logaritmo de una probabilidad: 0 es seguro, y más por debajo es menos probable. Las de los tokens se suman.",
  },
  logit: {
    name: "logit (puntuación de un token)",
    forms: /logits?/,
    means: "El número de un token antes de que softmax haga de él una probabilidad.",
  },
  probability: {
    name: "probabilidad",
    forms: /probabilidad(?:es)?/,
    means: "Lo probable que el modelo cree algo, de 0 a 1. Dice cuán seguro está el modelo, no si tiene razón.",
  },
  lengthPenalty: {
    name: "penalización por longitud",
    forms: /penalización (?:por|de) (?:la )?longitud/,
    means: "Un divisor que compensa que cada palabra más hace menos probable una salida.",
  },
  beamSearch: {
    name: "búsqueda en haz",
    forms: /búsqueda en haz|(?<=el )haz/,
    means: "Una búsqueda que conserva los mejores comienzos y alarga cada uno un token cada vez.",
  },
  hypothesis: {
    name: "hipótesis",
    forms: /hipótesis/,
    means: "Un comienzo de una salida, o una entera, que la búsqueda considera posible.",
  },
  entropy: {
    name: "entropía",
    forms: /entropía/,
    means:
      "Lo repartidas que están unas partes, en bits: 0 es un solo lugar, y cada bit dobla el número de lugares iguales.",
  },
  gradient: {
    name: "gradiente",
    forms: /gradientes?/,
    means: "Cuánto cambiaría un resultado si una entrada cambiara un poco.",
  },
  alignment: {
    name: "alineamiento",
    forms: /alineamientos?|alineaci(?:ón|ones)|concordancia/,
    means: "Qué palabras del origen corresponden a qué palabras de la traducción.",
  },
  vector: {
    name: "el vector",
    forms: /vector(?:es)?/,
    means: "Una lista de números. Un modelo conoce cada token solo como una lista así.",
  },
  tensor: {
    name: "tensor",
    forms: /tensor(?:es)?/,
    means: "Números en una rejilla con cualquier número de ejes: una lista, una tabla, una pila de tablas.",
  },
  parameters: {
    name: "parámetros",
    forms: /parámetros?/,
    means: "Los números que fijó el entrenamiento. Son los mismos para todas las frases.",
  },
  recurrent: {
    name: "recurrente",
    forms: /recurrentes?|recurrencia/,
    means: "Lee un token tras otro y lleva consigo un estado, así que cada paso espera al anterior.",
  },
  state: {
    name: "estado",
    forms: /estados?/,
    means: "El vector de lo que un modelo sabe en un lugar o después de un paso.",
  },
  convolution: {
    name: "convolución",
    forms: /convoluci(?:ón|ones)|convolucional(?:es)?/,
    means: "La misma pequeña transformación aplicada a cada ventana de lugares vecinos.",
  },
  dropout: {
    name: "el dropout",
    forms: /dropout/,
    means: "Pone algunos números a cero al azar durante el entrenamiento, para que el modelo no dependa de uno solo.",
  },
  loss: {
    name: "pérdida",
    forms: /pérdidas?/,
    means: "Lo que el entrenamiento hace pequeño: la poca probabilidad que dio el modelo a la respuesta correcta.",
  },
};

/** @type {typeof import("page/words/en/glossary").DEFINITIONS} */
export const DEFINITIONS = {
  title: "Términos",
  hint: "En una vista, una línea de puntos marca un término: señálalo, o llega a él con Tab.",
};
