/** Lo que dice la vista «Modelo». */
import { factor, readable } from "page/model/numbers";
import { digits, short } from "page/numbers/numbers";
import { thousands as count } from "page/numbers/thousands";

/** @type {typeof import("page/words/en/model").MODEL} */
export const MODEL = {
  title: "Cómo está construido este modelo",
  lede: ({ name, summary, year }) => `${name}: ${summary} (${year}).`,
  paper: "Según",
  drawing: "De palabras a palabras",
  drawingLabel: (parts) => `Se lee de abajo arriba. ${parts.join(". ")}.`,
  caption: "Las cajas son las partes que han contado lo que hicieron con esta frase.",
  dots: "Tres puntos en una caja: ahí actúa el dropout durante el entrenamiento.",
  times: (layers) => `${layers} ×`,
  boxes: {
    words: "palabras leídas",
    written: "palabras ya escritas",
    embedding: (scale) => (scale === 1 ? "embedding" : `embedding × ${factor(scale)}`),
    position: (kind) =>
      kind === "learned" ? "+ posiciones aprendidas" : kind ? "+ posiciones (ondas)" : "+ posiciones",
    self: (causal) => (causal ? "autoatención causal" : "autoatención"),
    cross: "atención cruzada",
    heads: (heads, each) => (heads > 1 ? `${heads} cabezas${each ? ` de ${each}` : ""}` : "una cabeza"),
    ffn: "red feed-forward",
    inner: (width, inner) => `${width} → ${inner} → ${width}`,
    recurrent: "recurrente, por palabras",
    backwards: "recurrente, hacia atrás",
    bothWays: "recurrente, ambos sentidos",
    gates: (names) => `puertas: ${names.join(", ")}`,
    noGates: "sin puertas",
    convolution: (kernel) => `convolución, ${kernel} a la vez`,
    layers: (number) => `${number} ${number === 1 ? "capa" : "capas"}`,
    addNorm: "suma y norma",
    add: "suma",
    norm: "norma",
    counts: "cuentas de lo que siguió",
    shares: "partes que suman 1",
    output: "lineal + softmax",
    choices: (vocabulary) => `${count(vocabulary)} fragmentos a elegir`,
    list: (rows, width) => `memoria: ${rows} × ${width}`,
    vector: (numbers) => `memoria: ${count(numbers)} números`,
    next: "palabra siguiente",
    encoder: "Codificador",
    decoder: "Decodificador",
  },
  parts: "Las partes, y dónde verlas",
  partColumns: ["Parte", "Tamaños", "Dropout", "Ver"],
  letters: "Las letras",
  letterColumns: ["Letra", "Qué es", "Aquí"],
  meanings: {
    N: ["N", "capas del codificador"],
    N_decoder: ["N", "capas del decodificador"],
    d_model: ["d_model", "números del vector de un token, los mismos entre todas las capas"],
    d_ff: ["d_ff", "números en el interior de la red feed-forward"],
    h: ["h", "cabezas en paralelo en cada atención"],
    d_k: ["d_k", "números de una consulta y de una clave en una cabeza"],
    d_v: ["d_v", "números de un valor en una cabeza"],
    P_drop: ["P_drop", "parte de los números que se ponen a cero al entrenar"],
    eps_ls: ["ε_ls", "parte de la respuesta correcta que cede el suavizado de etiquetas"],
    steps: ["pasos", "actualizaciones de los pesos en el entrenamiento"],
  },
  outputs: "números del vector con el que se elige la palabra siguiente",
  unknown: "no se guarda en la carpeta del modelo",
  notHere: "este sistema no lo tiene",
  agree: (h, dk, d) =>
    `h × d_k = ${h} × ${dk} = ` +
    `${h * dk}${h * dk === d ? " = d_model: las cabezas se reparten tantos números como tiene un vector" : ""}.`,
  parameters: "Parámetros por partes",
  total: (all) => `Se aprendieron ${count(all)} números.`,
  share: "parte",
  tied: "Pesos compartidos",
  tiedLead: (names) =>
    `${names.map(readable).join(", ")} son una misma matriz: lo que se aprende para una se aprende para todas, y se cuenta ` +
    "una vez.",
  untied: "No hay dos partes que compartan una matriz.",
  training: "Lo que actúa solo al entrenar",
  dropout: (p) =>
    `El dropout pone a cero al azar el ${digits(100 * p, 0)} % de los números y multiplica los demás por ` +
    `${digits(1 / (1 - p), 3)} para compensarlo. Actúa sobre la suma de embedding y posición, y sobre lo que devuelve cada ` +
    "subcapa, antes de sumarlo. Aquí el dropout está apagado: la misma frase da siempre los mismos números.",
  plainDropout: (p) =>
    `Al entrenar, el dropout pone a cero al azar el ${digits(100 * p, 0)} % de los números entre capas. Aquí el dropout ` +
    "está apagado.",
  noDropout: "Este modelo se entrenó sin dropout.",
  smoothing: (eps) =>
    `El suavizado de etiquetas solo cambia el objetivo: el fragmento correcto cuenta ${digits(1 - eps, 2)} en vez de 1, y ` +
    `todos los demás se reparten ${digits(eps, 2)}.`,
  unknownSmoothing:
    "El suavizado de etiquetas solo cambia el objetivo del entrenamiento: el fragmento correcto cuenta algo menos de 1, y " +
    "todos los demás se reparten el resto. Su valor no se guarda en la carpeta del modelo.",
  embedding: "¿Cómo de largos son los vectores?",
  embeddingLead: (scale) =>
    `Los embeddings se multiplican por √d_model = ${factor(scale)} antes de sumar las posiciones. El artículo no da ninguna ` +
    "razón; estas son las longitudes para esta frase.",
  unscaled: "Este modelo no multiplica sus embeddings.",
  noLab: "Este modelo no tiene norma, ni entrega una lista de estados con la que probar una.",
  embeddingColumns: [
    "Token",
    "embedding solo",
    "después de × √d_model",
    "posición",
    "posición / token, antes",
    "después",
  ],
  plainColumns: ["Token", "embedding"],
  means: "media",
  lengths: (before, after, position) =>
    `De media, un embedding solo mide ${digits(before, 2)}, después del factor ${digits(after, 2)}, y una posición ` +
    `${digits(position, 2)}. ` +
    (before < position && after > position
      ? "Sin el factor, la posición pesaría más que la palabra; con él, la palabra pesa más que la posición."
      : before < position
        ? "Sin el factor, la posición pesaría todavía más que la palabra."
        : "La palabra pesa más que la posición con el factor y sin él."),
  lab: "¿Layer norm o batch norm?",
  labLead:
    "Las dos llevan los números a media 0 y varianza 1. Layer norm lo hace a lo largo de los números de una palabra; batch " +
    "norm, en cada lugar del vector, a lo largo de todas las palabras. Aquí se prueban ambas con los números que entran en " +
    "una norma de este modelo. La batch norm de verdad cuenta también con las demás frases de un lote; una frase basta para " +
    "ver la diferencia.",
  labKind: "Subcapa",
  labAxes: ["palabra", "lugar"],
  labLayer: "Capa",
  labName: (kind, layer) => `${kind}, capa ${layer}`,
  source: {
    normed: (name) => `Lo que entra en la norma de ${name}.`,
    sum: "Este modelo no tiene norma, así que la prueba usa sus embeddings.",
    recurrent: "Este modelo no tiene norma, así que la prueba usa los estados de su codificador.",
    memory: "Este modelo no tiene norma, así que la prueba usa lo que entrega su codificador.",
  },
  panels: {
    before: "Como llegan",
    layer: "Layer norm: cada fila por su lado",
    batch: "Batch norm: cada columna por su lado",
  },
  firstPlaces: (shown, width) => (shown < width ? `primeros ${shown} de ${width} lugares` : `${width} lugares`),
  place: (number) => String(number),
  swap: "Supón que hubiera otra palabra en",
  swapped: (word, other) => [
    "Supón que los números de ",
    word,
    " fueran los de ",
    other,
    ". ¿Cuánto se mueven los demás, aunque en ellos no haya cambiado nada?",
  ],
  swapColumns: ["Palabra", "con layer norm", "con batch norm"],
  verdict: (layer, batch, others) =>
    `Con layer norm, las otras ${others} palabras se mueven ${layer === 0 ? "exactamente 0" : short(layer)}. Con batch norm ` +
    `cambian todas, hasta ${digits(batch, 3)}: lo que llega a ser una palabra dependería de su compañía.`,
  again: (error) =>
    "Calculado de nuevo aquí: la layer norm con la ganancia y el desplazamiento del propio modelo coincide con lo que usó el " +
    `modelo, hasta ${short(error)}.`,
  listed: (shown, all) => `Se listan las primeras ${shown} de ${all} palabras; todas están contadas.`,
  tensors: (names) => names.map((/** @type {any} */ [name, shape]) => `${name} [${shape.join(", ")}]`).join("   "),
  missing:
    "Este archivo no contiene estos números. Abre el modelo con saccade explore MODEL, o exporta con --detail all.",
  kinds: {
    enc: "autoatención del codificador",
    dec: "autoatención del decodificador",
    cross: "atención cruzada",
  },
};
