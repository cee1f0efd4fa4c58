/** Cada frase del cuestionario. Una parte que es un objeto con `word` es un token de la frase de quien lee. */

/** @param {string} word */
const w = (word) => ({ word });

/** @type {typeof import("page/words/en/quiz").FRAME} */
export const FRAME = {
  title: "Preguntas",
  lede:
    "Cinco preguntas sobre la idea y después preguntas sobre esta misma frase. Tus respuestas quedan en el enlace de esta " +
    "página y en ningún otro sitio.",
  idea: "Sobre la idea",
  live: "Sobre tu frase",
  number: (at, all) => `Pregunta ${at} de ${all}`,
  right: "Correcto.",
  wrong: (letter) => ["No del todo: la respuesta es ", letter, "."],
  look: "Compruébalo",
  next: "Pregunta siguiente",
  before: "Pregunta anterior",
  again: "Empezar de nuevo",
  score: (right, answered, all) => `${right} bien de ${answered} respondidas, ${all} en total`,
  finished: (right, all) => `Todas respondidas: ${right} de ${all} bien.`,
  state: { open: "sin responder", right: "bien", wrong: "mal" },
  few: "Traduce primero una frase: la segunda mitad de las preguntas sale de ella.",
};

/** @type {typeof import("page/words/en/quiz").HAND_IN} */
export const HAND_IN = {
  title: "Entregar tu resultado",
  why: "Hecho en esta página y no enviado a ningún sitio: cópialo en un mensaje o guárdalo como archivo.",
  name: "Tu nombre",
  copy: "Copiar como texto",
  save: "Guardar como archivo",
  copied: "El resultado está copiado.",
  selected: "El resultado está seleccionado: cópialo con el teclado.",
  quiz: "Cuestionario",
  nameless: "sin nombre",
  file: "cuestionario.json",
  score: (right, answered, all) => `${right} bien de ${answered} respondidas, ${all} en total`,
};

/** @type {typeof import("page/words/en/quiz").IDEAS} */
export const IDEAS = {
  purpose: {
    ask: "Un decodificador está a punto de escribir una palabra. ¿Qué le da la atención que no puede darle un único vector de resumen?",
    options: [
      "Una mezcla de todas las posiciones de origen, ponderada de nuevo para esta palabra",
      "Un vocabulario mayor del que elegir la palabra",
      "Una frase de origen más corta, sin las palabras poco importantes",
      "Una garantía de que la palabra se traduce bien",
    ],
    why:
      "No se borra nada ni se promete nada: todas las posiciones siguen disponibles y cada paso de decodificación las " +
      "pondera de nuevo.",
    look: "los pesos de cada paso de decodificación",
  },
  query: {
    ask:
      "En la autoatención cada palabra tiene una consulta, una clave y un valor, hechos del mismo vector. ¿Para qué sirve " +
      "la consulta?",
    options: [
      "Dice qué busca esta palabra; se compara con todas las claves",
      "Es lo que esta palabra entrega cuando otra la ha elegido",
      "Es la etiqueta por la que otras palabras encuentran a esta",
      "Es la palabra que el modelo predice a continuación",
    ],
    why:
      "Consulta: qué busco. Clave: cómo se me encuentra. Valor: qué entrego. El modelo aprende una matriz para cada una de " +
      "las tres cosas.",
    look: "consultas, claves y valores de esta frase",
  },
  positions: {
    ask: "Quita los vectores de posición al codificador de un Transformer y baraja las palabras. ¿Qué sale?",
    options: [
      "Los mismos vectores que antes, en el orden barajado",
      "Un error, porque las formas ya no encajan",
      "Vectores del doble de longitud",
      "Los mismos vectores en el orden antiguo, porque la atención los vuelve a ordenar",
    ],
    why:
      "Una suma ponderada no conoce el orden de sus términos. Solo los vectores de posición dicen al codificador qué palabra " +
      "iba primero.",
    look: "la prueba de barajar",
  },
  score: {
    ask: "¿Cómo convierte un Transformer una consulta y una clave, de d_k números cada una, en una puntuación?",
    options: [
      "Las multiplica lugar por lugar, suma los d_k productos y divide por √d_k",
      "Las resta y toma la mayor diferencia",
      "Escribe una detrás de otra y cuenta los números",
      "Las suma lugar por lugar y divide por el número de palabras",
    ],
    why:
      "Un producto escalar crece con el número de sus términos; dividir por √d_k mantiene el softmax donde su pendiente no " +
      "es plana.",
    look: "una puntuación desarrollada",
  },
  output: {
    ask: "¿Qué entrega una cabeza para una palabra, después del softmax?",
    options: [
      "La suma de todos los vectores de valor, cada uno por su peso",
      "Solo el vector de valor de la mejor palabra",
      "La suma de su consulta y su clave",
      "Los pesos mismos, un número por palabra",
    ],
    why: "Los pesos solo dicen cuánto entra de cada valor. Lo que sale de la cabeza es un vector tan largo como un valor.",
    look: "la suma ponderada en cifras",
  },
};

/** @type {typeof import("page/words/en/quiz").LIVE} */
export const LIVE = {
  most: {
    ask: (query, place) => ["En ", place, ", ¿qué palabra recibe el mayor peso de ", w(query), "?"],
    why: (key, value, second, other) => [
      w(key),
      " recibe ",
      value,
      "; la siguiente es ",
      w(second),
      " con ",
      other,
      ".",
    ],
    look: "esta fila",
  },
  weight: {
    ask: (query, key, place) => ["¿Cuánto peso pone ", w(query), " en ", w(key), " en ", place, "?"],
    why: (value, even, count) => [
      "Es ",
      value,
      ". Repartido por igual entre las ",
      count,
      " palabras que puede ver, sería ",
      even,
      ".",
    ],
    look: "esta celda",
  },
  hidden: {
    ask: (query) => [
      "El decodificador acaba de leer ",
      w(query),
      " y tiene que predecir lo que sigue. ¿Cuál de estas no puede ver su autoatención?",
    ],
    why: (key) => ["La máscara causal tapa todo lo que viene después: ", w(key), " está todavía por escribir."],
    look: "las celdas rayadas",
  },
  rowsum: {
    ask: (query, place, count) => [
      "Suma los ",
      count,
      " pesos de la fila de ",
      w(query),
      " en ",
      place,
      ". ¿Cuánto da?",
    ],
    why: (total) => [
      "Da ",
      total,
      ": un softmax divide por la suma, así que cada fila suma uno, por grandes que fueran sus puntuaciones.",
    ],
    look: "esta fila",
  },
  memory: {
    ask: () => ["El codificador ha leído toda la frase. ¿Cuántos números entrega al decodificador?"],
    list: (tokens, width, total) => [
      `${tokens} posiciones × ${width} números = ${total}. Una frase más larga entrega más.`,
    ],
    more: (tokens, width, rest, total) => [
      `${tokens} posiciones × ${width} números, y ${rest} más para que empiece el decodificador: ${total}. Una frase más ` +
        "larga entrega más.",
    ],
    vector: (count) => [
      `${count} números, por larga que sea la frase. Ese es el cuello de botella para el que se creó la atención.`,
    ],
    look: "cómo está construido el modelo",
  },
  cells: {
    ask: (tokens) => [
      `Una cabeza del codificador compara cada uno de los ${tokens} tokens con todos. ¿Cuántas puntuaciones son?`,
    ],
    why: (tokens, twice) => [`${tokens} × ${tokens}. El doble de tokens necesitaría ${twice}: cuatro veces más.`],
    look: "lo que cuesta",
  },
  sure: {
    ask: (word) => ["¿Qué probabilidad dio el modelo a ", w(word), " cuando le llegó el turno?"],
    why: (value, second, other) => ["Le dio ", value, "; su segunda opción, ", w(second), ", tenía ", other, "."],
    look: "los candidatos de este paso de decodificación",
  },
  doubt: {
    ask: () => ["¿Cuál de estas sorprendió más al modelo cuando le llegó el turno?"],
    why: (word, value) => [w(word), ": el modelo solo le dio ", value, "."],
    look: "este paso de decodificación",
  },
  spread: {
    ask: (place) => ["¿Qué cabeza de ", place, " reparte sus pesos de forma más uniforme?"],
    why: (head, bits) => [head, " tiene la mayor entropía media, ", bits, " bits (0 es todo en una palabra)."],
    look: "todas las cabezas",
  },
  softmax: {
    ask: (scores) => [`Tres puntuaciones son ${scores}. ¿Qué hace el softmax con ellas?`],
    why: (_scores, exps) => [
      `exp de cada una es ${exps}; divididas por su suma, suman uno. No es una proporción: solo importan las diferencias ` +
        "entre puntuaciones.",
    ],
    look: "el paso del softmax",
  },
  rounds: {
    ask: () => ["El decodificador predice un token en cada paso de decodificación. ¿Cuántos pasos hay aquí?"],
    why: (count) => [`${count}: uno por cada token de la salida, incluida la marca de fin.`],
    look: "los pasos de decodificación",
  },
  path: {
    ask: (first, last) => [
      "Una red recurrente que lee palabra por palabra va pasando su estado. ¿Cuántas veces entre ",
      w(first),
      " y ",
      w(last),
      "?",
    ],
    why: (steps) => [`${steps} veces. La autoatención llega de cualquier palabra a cualquier otra en un paso.`],
    look: "la tabla de costes",
  },
  second: {
    ask: (word) => ["La salida tiene aquí ", w(word), ". ¿Cuál habría sido la siguiente opción del modelo?"],
    why: (word, value) => [w(word), ", con ", value, "."],
    look: "los candidatos de este paso",
  },
  vocabulary: {
    ask: () => ["En cada ronda el modelo da una probabilidad a cada fragmento que conoce. ¿Cuántos números son?"],
    why: (count) => [`${count}: tantos como fragmentos hay en su vocabulario, y suman uno.`],
    look: "cómo está construido el modelo",
  },
  headless: (kind, layer) => `${kind}, capa ${layer}`,
  place: (kind, layer, head) => `${kind}, capa ${layer}, cabeza ${head}`,
  head: (number) => `cabeza ${number}`,
  kinds: {
    enc: "la autoatención del codificador",
    dec: "la autoatención del decodificador",
    cross: "la atención cruzada",
  },
  at: (label, place) => `${label} (lugar ${place})`,
};
