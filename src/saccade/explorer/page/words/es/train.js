/** Lo que dice la vista «Entrenar». */

/** @type {typeof import("page/words/en/train").TRAIN} */
export const TRAIN = {
  title: "Entrena un Transformer, aquí mismo",
  lede:
    "Esta página lleva un pequeño Transformer que todavía no sabe nada. Pulsa Entrenar: lee líneas, adivina qué hay que " +
    "escribir, mide cuánto se ha equivocado y cambia un poco sus pesos para equivocarse menos. No interviene ningún servidor.",
  tasks: {
    copy: "copiar las letras",
    reverse: "invertir las letras",
    article: "«a» o «an»",
    addition: "sumar dos números",
  },
  taskWhy: {
    copy: "Hay que escribir la línea otra vez. La atención cruzada que lo resuelve es una diagonal.",
    reverse: "Hay que escribir la línea al revés. La atención cruzada que lo resuelve es la otra diagonal.",
    article:
      "Delante de la palabra inglesa va «a», o «an» si empieza por vocal. Para escribir el artículo, la red tiene que mirar " +
      "hacia delante, a la letra que viene después.",
    addition:
      "Hay que escribir la suma con tres cifras. Cada cifra necesita otras dos, y una llevada de más a la derecha.",
  },
  settings: "La red y cómo aprende",
  task: "Tarea",
  heads: "Cabezas",
  width: "Anchura",
  layers: "Capas",
  rate: "Tasa de aprendizaje",
  seed: "Semilla",
  positions: "posiciones",
  positionsWhy: "Sin posiciones, la red lee una bolsa de letras: no puede saber su orden.",
  scaled: "dividir por √d_k",
  scaledWhy:
    "Sin la división, las puntuaciones grandes hacen que el softmax elija una sola clave y dejan poco gradiente a las demás.",
  again: "Al cambiar estos ajustes se empieza de nuevo. Los mismos ajustes y la misma semilla dan los mismos números.",
  train: "Entrenar",
  pause: "Pausa",
  step: "Un paso",
  restart: "Empezar de nuevo",
  steps: (step) => `${step} ${step === 1 ? "paso" : "pasos"}`,
  status: (step, accuracy) =>
    `Después de ${TRAIN.steps(step)}: el ${accuracy} de las líneas que nunca ha visto está bien escrito.`,
  starting: "Se está construyendo la red…",
  problem: (message) => `El entrenamiento no ha podido funcionar: ${message}.`,
  facts: {
    loss: "pérdida, último lote",
    heldOut: "pérdida, líneas nunca vistas",
    rate: "tasa de aprendizaje, próximo paso",
    speed: "pasos por segundo",
    parameters: "números aprendidos",
  },
  lossChart: "Pérdida",
  lossLabel: (trained, heldOut) =>
    `Entropía cruzada por paso. Ahora ${trained} en las líneas entrenadas, ${heldOut} en las nunca vistas.`,
  accuracyChart: "Líneas nunca vistas, bien escritas",
  accuracyLabel: (accuracy) => `Parte de las líneas por paso. Ahora ${accuracy}.`,
  axes: { step: "paso", loss: "pérdida (nats)", accuracy: "parte" },
  trained: "entrenadas",
  heldOut: "nunca vistas",
  share: "todo bien",
  time: "Atrás en el tiempo",
  timeWhy: "Los pesos se guardaron por el camino. Mueve el control para ver la red tal como era.",
  moment: (step) => `después de ${TRAIN.steps(step)}`,
  line: "Una línea",
  read: "Lee",
  form: (form) => `Esta red lee ${form}.`,
  forms: {
    copy: "de una a ocho letras de la a a la j",
    reverse: "de una a ocho letras de la a a la j",
    article: "de una a seis de las letras a e i o u b d f g l m n p r s t",
    addition: "dos cifras, un más, dos cifras, como 47+38",
  },
  writes: "Escribe",
  nothing: "nada",
  wanted: "Debería escribir",
  right: "bien",
  wrong: "mal",
  certainty: "Lo segura que está de cada carácter correcto, dados los anteriores",
  end: "fin",
  maps: "Adónde mira",
  mapsWhy: {
    cross: "Una fila por cada carácter que debería escribir a continuación, una columna por cada uno que ha leído.",
    enc: "Una fila por cada carácter leído: cuánto toma de cada uno de los demás.",
    dec:
      "Una fila por cada carácter que debería escribir a continuación: cuánto toma de los que ha escrito. Los posteriores " +
      "no están permitidos.",
  },
  map: (layer, head, layers, heads) =>
    [layers > 1 ? `capa ${layer + 1}` : "", heads > 1 ? `cabeza ${head + 1}` : ""].filter(Boolean).join(", ") ||
    "una cabeza",
  mapAxes: { cross: ["escribe", "mira a"], enc: ["lee", "mira a"], dec: ["escribe", "mira a"] },
  tries: "Para probar",
  experiments: {
    unordered: [
      "Invertir sin posiciones",
      "para esta red, una línea y las mismas letras en otro orden son exactamente lo mismo. Aprende qué letras hay que " +
        "escribir, y casi nunca en qué orden.",
    ],
    unscaled: [
      "Una cabeza ancha sin dividir entre √d_k",
      "sus puntuaciones son sumas de 64 productos, y tan grandes que la softmax elige una clave y apenas aprende a elegir " +
        "otra. Después marca la división y empieza de nuevo.",
    ],
    article: [
      "¿«a» o «an»?",
      "en la atención cruzada, mira la fila en la que decide si sigue una «n»: lo decide la primera letra de la palabra, y " +
        "es ahí adonde tiene que mirar.",
    ],
    addition: [
      "Sumar con dos capas y cuatro cabezas",
      "cada cifra de la suma necesita otras dos, y una llevada donde la hay. Dale dos o tres mil pasos.",
    ],
    rate: [
      "Una tasa de aprendizaje demasiado alta",
      "tras un buen comienzo los pasos se pasan de largo: la pérdida vuelve a subir y se queda alta.",
    ],
  },
  tensors: "Qué se aprende",
  tensorColumns: ["Parámetro", "forma", "números", "media cuadrática"],
  code:
    "page/train/network/ tiene un módulo por cada capa: linear, attention, norm, embedding, cross-entropy, adam. En cada " +
    "uno, el paso hacia atrás está junto al paso hacia delante, y una prueba compara cada gradiente con el de PyTorch.",
};
