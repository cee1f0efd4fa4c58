/**
 * Lo que dice la vista «Pasos», salvo sus analogías (page/words/es/steps-analogies) y las afirmaciones que comprueba
 * (page/words/es/steps-claims).
 */
import { digits, short } from "page/numbers/numbers";

/** @import { Facts } from "page/steps/facts" */

export const TITLE = "Dentro de una cabeza";

export const INTRODUCTION =
  "Una cabeza de atención, desde los fragmentos de la frase hasta la palabra siguiente, paso a paso. Espacio avanza, " +
  "Mayús+Espacio retrocede.";

/** @type {typeof import("page/words/en/steps").STEPS} */
export const STEPS = {
  tokens: { short: "Cortar", title: "La frase se convierte en fragmentos" },
  embedding: { short: "Embedding", title: "Cada fragmento se convierte en un vector" },
  position: { short: "+ Lugar", title: "Se suma su lugar" },
  qkv: { short: "Q K V", title: "Tres miradas a cada vector" },
  memory: { short: "Memoria", title: "Lo que se lleva consigo" },
  states: { short: "Estados", title: "Una consulta y los estados que puede mirar" },
  scores: { short: "Puntuar", title: "La consulta se compara con cada clave" },
  scale: { short: "÷ √d_k", title: "Las puntuaciones se dividen por la raíz de su longitud" },
  factor: { short: "× t", title: "Las puntuaciones se multiplican por un factor aprendido" },
  mask: { short: "Máscara", title: "Se tapa lo que no debe verse" },
  softmax: { short: "Softmax", title: "Las puntuaciones se convierten en partes de uno" },
  values: { short: "× V", title: "Los valores se mezclan en esas partes" },
  concat: { short: "Unir", title: "Todas las cabezas se unen y se mezclan" },
  norm: { short: "Suma y norma", title: "El cambio se incorpora a la corriente" },
  ffn: { short: "Red", title: "Una pequeña red en cada lugar" },
  output: { short: "Salida", title: "Un estado se convierte en el fragmento siguiente" },
};

/** Steps whose buttons have a formula, for a reader of words. @type {Record<string, string | undefined>} */
export const IN_WORDS = {
  qkv: "Consulta, clave, valor",
  scale: "Escalar",
  factor: "Factor aprendido",
  values: "Mezclar valores",
};

/** @type {typeof import("page/words/en/steps").PLAIN} */
export const PLAIN = {
  tokens: (f) =>
    "El modelo no conoce palabras, solo fragmentos de una lista hecha antes de entrenar. Este texto tiene " +
    `${f.pieces} fragmentos, con la marca de fin; una palabra rara se corta en ` +
    `varios${f.inWords ? "" : ", y ▁ señala dónde empieza una palabra"}. ` +
    "Cada fragmento tiene un número en la lista.",
  embedding: (f) =>
    `El número de un fragmento elige una fila de una tabla: ${f.width} números que se aprendieron. ` +
    (f.scaled
      ? `La fila se multiplica por la raíz de ${f.width}, que es ${digits(f.embeddingScale, 2)}.`
      : "La fila se usa tal como está."),
  position: (f) =>
    "La atención por sí misma no sabe quién va primero. Por eso al vector de cada fragmento se le suma un vector que solo " +
    `depende del lugar. «${f.query}» está en el lugar ${f.q}, contando desde 0.`,
  qkv: (f) =>
    "Tres matrices aprendidas miran los mismos vectores. Una hace la consulta: lo que este lugar pregunta. Otra hace la clave: a " +
    "lo que un lugar responde. Otra hace el valor: lo que entrega. " +
    (f.cross
      ? "Aquí la consulta viene del texto que se escribe, y las claves y los valores, de la frase que se ha leído."
      : "Aquí las tres vienen de la misma secuencia.") +
    " " +
    `Cada una tiene ${f.dk} números${f.dv !== f.dk ? ` (un valor, ${f.dv})` : ""}.`,
  states: (f) =>
    "Este sistema no tiene matrices separadas para consulta, clave y valor. " +
    `${f.recurrentQuery ? "Pregunta el estado del decodificador" : "Pregunta un estado"}, y ${f.keys} estados pueden responder. ` +
    (f.oneVector
      ? "El mismo vector es el que se compara y el que se entrega."
      : f.oneVector === false
        ? "Lo que se compara y lo que se entrega son dos vectores."
        : ""),
  memory: (f) =>
    `Los ${f.pieces} fragmentos se leen uno tras otro, y ${f.memoryNumbers} números son lo que queda de ellos. ` +
    (f.memoryStays === false
      ? "El decodificador parte de ellos y no los vuelve a ver."
      : "El decodificador no ve nada más de la frase.") +
    " " +
    "Una frase larga no tiene más sitio que una corta.",
  scores: (f) =>
    f.dotted
      ? "La consulta y la clave se multiplican número por número y se suma todo. Los vectores que apuntan en la misma dirección " +
        `puntúan alto. «${f.query}» frente a «${f.key}»: ${short(f.score)}.`
      : `${f.scoreSentence} «${f.query}» frente a «${f.key}»: ${short(f.score)}.`,
  scale: (f) =>
    `Una suma de ${f.dk} productos crece con el número de sus términos. Dividir por la raíz de ${f.dk}, ` +
    `${digits(1 / f.scale, 3)}, la devuelve a un tamaño en el que el softmax aún escucha a todas las claves.`,
  factor: (f) =>
    "Un coseno nunca sale del intervalo de −1 a 1, demasiado poco para elegir con nitidez. Por eso el modelo aprendió un factor: " +
    `${digits(f.scale, 3)}.`,
  mask: (f) => covering(f),
  softmax: (f) =>
    `${(SHARES[f.alignment] ?? SHARES.soft)(f)} La mayor, ${f.amount(f.bestWeight, 4)}, es para «${f.best}».`,
  values: (f) =>
    `Cada valor se multiplica por su parte, y todos se suman. ${f.amount(f.bestWeight, 2)} de lo que toma «${f.query}» viene de ` +
    `«${f.best}».`,
  concat: (f) =>
    `${f.heads} ${f.heads === 1 ? "cabeza ha escrito" : "cabezas han escrito cada una"} ${f.dv} números. Juntas son ` +
    `${f.heads * f.dv} números, y otra matriz aprendida, W_O, los mezcla en ${f.width}.`,
  norm: (f) =>
    NORM[/** @type {keyof typeof NORM} */ (f.wiring)]
      ? NORM[/** @type {keyof typeof NORM} */ (f.wiring)](f)
      : NORM.post(f),
  ffn: (f) =>
    `Aquí ninguna palabra mira a otra. Cada lugar pasa solo por dos capas con ${f.inner} unidades entre ellas; ` +
    `${f.activation === "relu" ? "las sumas negativas se cortan en cero" : `${f.activation} hace pequeñas las sumas negativas`}. Para «${f.query}», ${f.active} de ${f.inner} unidades están por encima de cero.`,
  output: (f) =>
    "El último estado de este lugar se compara con un vector por cada fragmento del vocabulario, y softmax hace de ello " +
    `probabilidades. Después de leer «${f.reads}», el fragmento siguiente más probable es «${f.candidate}», con ` +
    `${f.amount(f.probability, 3)}.`,
};

/** Lo que se tapa, y por qué. @param {Facts} f */
function covering(f) {
  if (f.masked && f.causal)
    return (
      `Una palabra no debe mirar a palabras que aún no se han ${f.querySide === "source" ? "leído" : "escrito"}. ` +
      `«${f.query}» puede ver ${f.allowed} de ${f.keys} lugares; el resto está tapado.`
    );
  if (f.masked)
    return `«${f.query}» puede ver ${f.allowed} de ${f.keys} lugares${f.window ? ", los de su ventana" : ""}; el resto está tapado.`;
  if (f.reach !== null)
    return (
      `Una consulta ve ${f.reach} lugares a cada lado de ${digits(f.centre, 2)}. Esta frase es demasiado corta para que quede ` +
      "algo fuera; en una más larga se tapa lo que está más lejos."
    );
  const why = f.cross
    ? "la frase que se lee se conoce desde la primera palabra hasta la última"
    : "un codificador tiene toda la frase delante";
  return `Aquí no se tapa nada: ${why}. La máscara causal es para la autoatención que escribe.`;
}

const SOFTMAX =
  "A cada puntuación se le resta la mayor, lo que no cambia ninguna parte pero mantiene las potencias lo bastante pequeñas para un " +
  "ordenador. Después cada diferencia se convierte en una potencia de e, y las potencias se dividen por su suma.";

/** De puntuaciones a partes, por el nombre del alineamiento. @type {Record<string, (f: Facts) => string>} */
const SHARES = {
  soft: (f) =>
    `${SOFTMAX} Las ${f.allowed} partes de «${f.query}» suman ` +
    `${f.amount(f.rowSum, 4)}` +
    (f.blank === null ? "" : `; el otro ${f.amount(f.blank, 4)} va a un hueco que no representa nada`) +
    ".",
  "local-p": (f) =>
    `${SOFTMAX} Luego una campana alrededor del lugar ${digits(f.centre, 2)}, donde la consulta espera su palabra, aligera las ` +
    `claves lejanas. No se vuelve a dividir, así que las ${f.allowed} partes solo suman ${f.amount(f.rowSum, 4)}.`,
  hard: (f) =>
    `La clave con la puntuación más alta se lo lleva todo: esta fila suma ${f.amount(f.rowSum, 4)} con un solo lugar.`,
  diagonal: (f) =>
    "No se pregunta ninguna puntuación: las partes son una joroba fija que avanza con la consulta. Suman " +
    `${f.amount(f.rowSum, 4)}.`,
  "top-k": (f) => `Solo quedan las claves de mayor puntuación. ${SOFTMAX} Esta fila suma ${f.amount(f.rowSum, 4)}.`,
  sparsemax: (f) =>
    "A todas las puntuaciones se les quita el mismo número, y lo que cae por debajo de 0 pasa a ser 0. El número se elige para que " +
    `la fila sume 1: ${f.amount(f.rowSum, 4)}.`,
  sigmoid: (f) =>
    "Cada clave se pesa por sí misma, entre 0 y 1, reciban lo que reciban las demás. Esta fila suma " +
    `${f.amount(f.rowSum, 4)}.`,
  reinforced: (f) =>
    "Al entrenar se sorteaba una clave, y los sorteos que salían bien se hacían más probables. Ahora la clave con la puntuación " +
    `más alta se lo lleva todo: esta fila suma ${f.amount(f.rowSum, 4)} con un solo lugar.`,
  "reinforced-subset": (f) =>
    "Se abre una puerta para cada clave cuya puntuación supera un umbral aprendido, y solo se ven esas. " +
    `${SOFTMAX} Esta fila suma ${f.amount(f.rowSum, 4)}.`,
};

const NORM = {
  /** @param {Facts} f */
  post: (f) =>
    `Lo que entró se suma a lo que la atención hizo de ello, para que no se pierda nada. Después los ${f.width} números de cada ` +
    "lugar se llevan a media 0 y varianza 1, y dos vectores aprendidos los estiran y los desplazan.",
  /** @param {Facts} f */
  pre: (f) =>
    `En este modelo la norma va antes de la atención: los ${f.width} números de cada lugar se llevaron primero a media 0 y ` +
    "varianza 1, y dos vectores aprendidos los estiraron y desplazaron. Lo que la atención hizo de ellos se suma después a lo que entró.",
  residual: () => "Lo que entró se suma a lo que la atención hizo de ello. Este modelo no tiene norma.",
  plain: () => "Lo que hizo la atención ocupa el lugar de lo que entró. Este modelo no tiene conexión residual.",
};

/** @type {typeof import("page/words/en/steps").SCORE_SENTENCE} */
export const SCORE_SENTENCE = {
  additive:
    "La consulta y la clave pasan cada una por una matriz aprendida, se suman, tanh comprime la suma, y un vector aprendido hace " +
    "del resultado un número.",
  concat:
    "La consulta y la clave se ponen una junto a otra, pasan por una matriz aprendida y tanh, y un vector aprendido hace del " +
    "resultado un número.",
  general: "Una matriz aprendida traduce la consulta al lenguaje de la clave; después se multiplican las dos.",
  "biased-general":
    "Una matriz aprendida y un sesgo traducen la consulta al lenguaje de la clave; después se multiplican las dos.",
  "activated-general":
    "El producto a través de una matriz aprendida se comprime con tanh, así que ninguna puntuación sale del intervalo de −1 a 1.",
  cosine: "Solo cuentan las direcciones: el producto se divide por las dos longitudes.",
  location: "La consulta sola dice qué lugar quiere; a las claves no se les pregunta.",
};

export const UNKNOWN_SCORE = "Una función aprendida hace un número de la consulta y la clave.";

/** @type {typeof import("page/words/en/steps").MISSING} */
export const MISSING = {
  embedding: "los vectores de sus fragmentos no están en este registro",
  position: "no se suma ninguna posición: este sistema conoce el orden porque lee un fragmento tras otro",
  positionLearned: "no se suma ninguna posición a los vectores",
  qkv: "no se hacen consultas, claves y valores por separado: se comparan los propios estados",
  memory: "lo que se lleva consigo no está en este registro",
  scores: "este modelo no tiene atención",
  states: "los vectores que compara no están en este registro",
  told: "sus números no están en este registro",
  apart: "las cabezas quedan una junto a otra, y aquí ninguna matriz las mezcla",
  scale: "las puntuaciones se usan como están, sin dividir",
  mask: "aquí nunca se tapa nada",
  softmax: "este modelo no tiene atención",
  values: "este modelo no tiene atención",
  concat: "una sola cabeza no tiene con quién unirse",
  norm: "este sistema no suma ni normaliza nada aquí",
  ffn: "este sistema no tiene aquí capa feed-forward",
  output: "este registro no tiene paso de salida",
};

/** @type {typeof import("page/words/en/steps").SAY} */
export const SAY = {
  kind: "Atención",
  kinds: {
    enc: "el codificador se mira a sí mismo",
    dec: "el decodificador se mira a sí mismo",
    cross: "el decodificador mira al origen",
  },
  layer: "Capa",
  head: "Cabeza",
  query: "Consulta",
  key: "Clave",
  dimension: "Dimensión",
  analogy: "Cuéntalo como",
  later: "Los números de este texto aún no están aquí.",
  steps: "Pasos",
  step: (at, all, title) => `Paso ${at} de ${all}: ${title}`,
  back: "Atrás",
  next: "Siguiente",
  of: (name, shape) => `${name} ${shape}`,
  beforeAfter: (query) => `El vector de «${query}», número a número`,
  change: (query, times, cosine) =>
    `Lo que se suma mide ${times} veces lo que tenía «${query}». Antes y después apuntan en la misma dirección en ` +
    `${cosine}, y 100 % sería no girar nada: una capa cambia un vector, no lo sustituye.`,
  outlier: (number, value, times) =>
    `Un número destaca: el número ${number} de la suma es ${value}, ${times} veces la dispersión de todos. Los modelos ` +
    "entrenados suelen conservar unos pocos así; una norma divide entre la dispersión, que ellos hacen grande.",
  moments: ["media", "dispersión (desviación típica)", "longitud"],
  folded: "La fórmula, y una celda en cifras",
  cell: "Una celda en cifras",
  pieceNumber: (id) => `fragmento número ${id}`,
  perPiece: "números por fragmento",
  causal: (k, q) =>
    k <= q ? `porque el lugar ${k} no va después del ${q}` : `porque el lugar ${k} va después del ${q}`,
  near: (k, centre, reach, seen) =>
    `porque el lugar ${k} está a ${digits(Math.abs(k - centre), 2)} de ${digits(centre, 2)}, ` +
    `${seen ? "no más" : "más"} de ${reach}`,
  allowed: "porque este lugar puede verse",
  covered: "porque este lugar no puede verse",
  exact: "Sumado en esta página. Son los números del propio modelo.",
  powers: "suma de potencias",
  rest: (count) => `${count} términos más`,
  lighter: (count) => `${count} términos más ligeros`,
  agrees: (error) => `Sumado en esta página. Los números del propio modelo difieren en ${error} como mucho.`,
  disagrees: (here, there) =>
    `La suma de la página es ${here}, el número del modelo ${there}: hay algo que este registro no cuenta.`,
  skipped: "Pasos que no están aquí, y por qué",
  tensors: "Tensores de este paso",
  code: "En código",
  askDetail: "Los números de este paso están en camino …",
  noDetail: (details, model, sentence) =>
    "Este archivo no contiene los números de este paso. Un archivo con todos los pasos de esta capa: saccade " +
    `explore ${model} --sentence ${JSON.stringify(sentence)} ` +
    `${details.map((/** @type {string} */ detail) => `--detail ${detail}`).join(" ")} --export page.html`,
  noAttention:
    "Este modelo no tiene atención: su decodificador recibe en su lugar una memoria de tamaño fijo. Estos son los pasos que tiene.",
  noTrace: "Escribe una frase y tradúcela: los pasos se calculan con tus propias palabras.",
  read: (read, predicted) => `lee «${read}» → predice «${predicted}»`,
  above: "Esto ocurre una vez, muy por encima de esta cabeza: al final de la última capa del decodificador.",
  layerInput: (layer) =>
    `La capa ${layer} lee lo que escribió la capa ${layer - 1}. El embedding está abajo, en la capa 1.`,
  table: (name, rows, columns) => `${name}, ${rows} por ${columns}`,
};

/** @type {typeof import("page/words/en/steps").FURTHER} */
export const FURTHER = {
  tokens: "La traducción entera, palabra por palabra",
  position: "Las ondas de todas las posiciones",
  memory: "Lo que llevan consigo otros sistemas",
  softmax: "Los pesos de esta cabeza, en grande",
  concat: "Todas las cabezas de todas las capas",
  norm: "Lo que hacen las normas con estos números",
  output: "Todas las continuaciones que probó la búsqueda",
};
