/** Lo que dice la vista «Antecesores». Las fichas de los artículos están en `page/words/es/papers`. */
import { thousands } from "page/numbers/thousands";

/** @param {number} number @param {string} one @param {string} [many] */
const count = (number, one, many = `${one}s`) => `${thousands(number)} ${number === 1 ? one : many}`;

/** @type {typeof import("page/words/en/ancestors").WORDS} */
export const WORDS = {
  partsLabel: "Partes de esta vista",
  parts: { models: "Lado a lado", papers: "Los artículos", words: "Cambiar una palabra" },
  lede:
    "La misma frase por todos los modelos dados, el más antiguo primero. Lee una fila de izquierda a derecha para ver qué " +
    "cambió una idea.",
  own: "traducción propia",
  forced: "la misma traducción para todos",
  whichTranslation: "Cada modelo lee",
  forcedNote: (name) =>
    `Se hace que todos los modelos escriban lo que escribió ${name}, para que las filas de las imágenes signifiquen la misma palabra.`,
  ownNote:
    "Cada modelo escribe lo que le parece mejor. Las filas de las imágenes difieren donde difieren las traducciones.",
  one: "Aquí solo hay un modelo. Da varios, y cada uno tendrá una columna: saccade explore MODEL MORE …",
  tasks: {
    translation: "traduce",
    pronunciation: "escribe cómo se pronuncian las palabras",
    "language-modelling": "continúa un texto",
    classification: "nombra una clase",
    parsing: "escribe un árbol sintáctico",
  },
  otherTask: (does) => `Este modelo tiene otra tarea: ${does}. Sus números no se pueden comparar con los demás.`,
  otherLanguages: (pair) => `Este modelo trabaja de ${pair}: puede que la frase no le diga nada.`,
  traced:
    "Calculado de antemano: un modelo pequeño que aprendió menos de una hora. Sus errores dicen poco de su " + "idea.",
  tracedHere: (name, year) => `${name} (${year}) puede estar al lado con estas frases, calculadas de antemano:`,
  noSentence: "Escribe una frase arriba para enviarla por los modelos.",
  waiting: "en camino …",
  missing: "Este archivo no lo contiene.",
  missingHow: (sentence) => `saccade explore MODELS --sentence ${JSON.stringify(sentence)} --export page.html`,
  notHere: "Sistemas que no están aquí",
  notHereLede: "Cada uno se entrena con una orden; después nombra las carpetas juntas.",

  rows: {
    translation: "Traducción",
    memory: "Lo que el codificador entrega al decodificador",
    alignment: "Adónde miró cada palabra",
    path: "El camino entre dos palabras",
    waiting: "Lo que tiene que esperar",
    influence: "Qué palabras de origen importaron",
    gates: "Lo que conservaron las unidades",
    cost: "Tamaño de este registro",
  },
  leads: {
    memory:
      "Cada cuadrito es un número, dibujado del mismo tamaño para todos los modelos: la superficie es lo que el decodificador " +
      "puede saber del origen.",
    alignment:
      "Todas las imágenes comparten una escala de 0 a 1. Las filas son palabras de destino; las columnas, de origen.",
    influence:
      "Medido de dos maneras, sin fiarse de la atención: con qué fuerza se movería la salida con una palabra (gradiente), y qué " +
      "se pierde cuando la palabra se sustituye (oclusión).",
    gates:
      "Cuánto se abrió cada puerta del codificador en cada palabra: la media de todas las unidades, de 0 (cerrada) a 1 (abierta).",
    waiting:
      "Capas que no pueden empezar antes de que otras acaben, una tras otra. Menos es más rápido en una máquina que puede hacer " +
      "muchas cosas a la vez.",
  },

  probable: (p) => `${p} de probabilidad, según este modelo`,
  logprob: (total, each, tokens) => `log p = ${total}; ${each} por cada uno de ${count(tokens, "fragmento")}`,
  list: (places, size, total) =>
    `Una lista: ${count(places, "estado")} de ${count(size, "número")}, ` +
    `${total > places * size ? `más ${count(total - places * size, "número")} aparte, ` : ""}` +
    `${count(total, "número")} en total. Una frase más larga da una lista más larga.`,
  vector: (total) => `Un vector de ${count(total, "número")}, por larga que sea la frase.`,
  several: (parts, total) =>
    `${count(parts, "vector", "vectores")}, ${count(total, "número")} en total, por larga que sea la frase.`,
  perWord: (each, words) => `${each} números por cada uno de ${count(words, "fragmento")} de origen.`,
  stays: "El decodificador puede volver a leerlo en cada palabra.",
  once: "El decodificador lo recibe una vez, antes de su primera palabra, y tiene que recordarlo.",
  noMemory: "Este modelo no tiene origen: no se entrega nada.",
  limit: (value) => `color más intenso: ±${value}`,

  noAttention:
    "Este modelo no mira. Lo que sabe del origen está ya dentro de su estado, así que no hay imagen de pesos que mostrar; en " +
    "su lugar está lo que cada palabra de origen vale para cada palabra de destino, medido quitándola.",
  noAttentionNothing:
    "Este modelo no mira, así que no hay imagen de pesos. Las filas de abajo dicen de todos modos qué palabras importaron.",
  alignmentTitle: (name) => `${name}: palabra de destino → palabra de origen`,
  measuredTitle: {
    occlusion: (name) => `${name}: lo que se pierde sin una palabra`,
    gradient: (name) => `${name}: cómo se mueve la salida con una palabra`,
  },
  axes: {
    writes: "escribe",
    looks: "mira a",
    moves: "se mueve con",
    without: "sin",
    measure: "medida",
    source: "palabra de origen",
    sentence: "frase",
  },
  show: "Mostrar",
  measures: { attention: "atención", occlusion: "lo que se pierde sin una palabra", gradient: "gradiente" },
  measureNotes: {
    attention: "Cuánto de cada mirada cae en cada palabra de origen.",
    occlusion:
      "La parte de la probabilidad de una palabra de destino que se pierde cuando una palabra de origen se vuelve desconocida, " +
      "de una en una. La atención no interviene, así que también la tienen los modelos que no miran.",
    gradient:
      "La parte de cada palabra de origen en la fuerza con que la log-probabilidad de una palabra de destino se movería con los " +
      "vectores de origen.",
  },
  notOne: "Las filas no tienen por qué sumar 1: una ventana se desvanece hacia sus bordes.",
  sharp: (bits, most) => `entropía media de ${bits} bits, de ${most} como mucho`,

  inside: "dentro del origen",
  across: "del origen al destino",
  pathMode: "Camino",
  from: "de",
  to: "a",
  target: "a la palabra de destino",
  hops: (number) => count(number, "salto"),
  noWay: "sin camino",
  otherWords: "Este modelo corta la frase en otras palabras, y no tiene esa.",
  sameWord: "Elige dos palabras distintas.",
  rules: {
    steps: (hops) =>
      `La recurrencia avanza un lugar cada vez: las palabras están a ${count(hops, "paso")} en el orden de lectura, y un estado ` +
      "lleva la primera todo el camino hasta la segunda.",
    both: (distance, hops) =>
      `Dos cadenas, una desde cada extremo: los fragmentos están a ${count(distance, "lugar", "lugares")}, y los estados se ` +
      `encuentran en medio después de ${count(hops, "paso")}.`,
    windows: (distance, kernels, hops) =>
      `Ventanas de ${kernels} lugares: cada capa deja que un estado sepa de más vecinos, y después de ${count(hops, "capa")} uno ` +
      `sabe de las dos, a ${count(distance, "lugar", "lugares")} de distancia.`,
    windowsNever: (distance, seen, layers) =>
      `Ventanas: después de ${count(layers, "capa")} un estado sabe de ${count(seen, "lugar", "lugares")} seguidos, pero las ` +
      `palabras están a ${distance}. En el codificador no se encuentran nunca; solo el decodificador ve las dos.`,
    looks: () => "Atención: una mirada, sea cual sea la distancia.",
    tape: () => "Una mirada atrás a la cinta, sea cual sea la distancia. La palabra posterior mira a la anterior.",
    restricted: (distance, reach, hops) =>
      `Atención dentro de ${count(reach, "lugar", "lugares")} a cada lado: ${count(distance, "lugar", "lugares")} necesitan ` +
      `${count(hops, "mirada")}.`,
    crossLooks: () => "El estado sobre la palabra de origen se mira directamente: una mirada.",
    crossWindow: (hops) =>
      `La palabra está fuera de la ventana de este paso, así que llega por los estados vecinos: ${count(hops, "salto")}.`,
    crossVector: (read, carried) =>
      `${count(read, "paso")} hasta el final del codificador, uno para la entrega y ${count(carried, "paso")} a lo largo del ` +
      "decodificador.",
    crossVectorAlways: (read) =>
      `${count(read, "paso")} hasta el final del codificador; después el vector está ahí en cada palabra.`,
    crossFold: (levels) =>
      `Las ventanas pliegan el origen en ${count(levels, "capa")}; el resultado está ahí en cada palabra.`,
    crossPlaces: (levels, carried) =>
      `${count(levels, "capa")} de ventanas pliegan y despliegan el origen en un vector por lugar, hallado contando y no ` +
      `mirando; ${carried ? `desde ahí, ${count(carried, "paso")} a lo largo del decodificador` : "la palabra está bastante cerca de esta"}.`,
    never: "Ningún estado del decodificador puede saber en esta palabra de la palabra de origen.",
  },
  pathLabel: (name, hops) => `El camino entre las palabras elegidas en ${name}: ${hops}.`,

  waitingRows: { reading: "leer el origen", training: "entrenar con el destino", writing: "escribir el destino" },
  waitingNote: (source, target) => `n = ${source} fragmentos de origen, m = ${target} fragmentos de destino.`,
  chains: {
    steps: (length, layers) => (layers === 1 ? `${length}` : `${length} + ${layers} − 1`),
    feeds: (length, layers) => `${length} × ${layers}`,
    once: () => "todos los lugares a la vez",
  },

  gateNames: { update: "actualizar", reset: "reiniciar", input: "incorporar", forget: "conservar", output: "mostrar" },
  gatesTitle: (backwards) => (backwards ? "leyendo de derecha a izquierda" : "leyendo de izquierda a derecha"),
  noGates: "Unidades recurrentes sin puertas: cada palabra reescribe todo el estado.",
  noRecurrence: "Sin recurrencia en el codificador, y por tanto sin puertas: nada se lleva de palabra en palabra.",

  gradient: "gradiente",
  occlusion: "oclusión",
  influenceTitle: (name) => `${name}: parte de cada palabra de origen`,
  influenceOf: "para la palabra de destino",
  all: "todas las palabras de destino (media)",
  influenceEntropy: (all, gradient, occlusion, most) =>
    `Entropía${all ? " de una palabra de destino, de media" : ""}: gradiente ${gradient}, oclusión ${occlusion}; todas iguales ` +
    `serían ${most} bits.`,
  noInfluence: "No está en este archivo; expórtalo con --detail influence.",

  pieces: (source, target) => `${count(source, "fragmento")} de origen, ${count(target, "fragmento")} de destino`,
  parameters: (number) => `${count(number, "parámetro")}`,
  seconds: (value) => `${value} s para el registro`,

  timeline: "Artículos de 2013 a 2017",
  timelineLede: "Once artículos en cinco años. Elige uno.",
  here: "aquí",
  problem: "El problema",
  idea: "La idea",
  equation: "En símbolos",
  against: (name) => (name ? `Nuevo frente a ${name}` : "Lo nuevo"),
  story: "Cómo surgió",
  inPackage: "En este paquete",
  isShown: "Un modelo suyo está aquí, al lado de los demás.",
  trainIt: "Entrena uno: ",
  noArchitecture: "No es un modelo propio: es el cableado alrededor de cada subcapa del Transformer.",
  noPapers: "Este archivo no lista artículos.",
  differences: "Bahdanau y Luong, punto por punto",
  differencesLede: "Dos artículos de un mismo año dieron a la atención sus dos formas habituales.",
  measuredEntropy: "lo repartida que es su mirada en esta frase (entropía media)",
  measuredBest: "mayor peso de una fila (media)",

  compare: {
    title: "Cambia una palabra y mira quién mira a otra parte",
    model: (name, others) => `Este es ${name}.${others ? " Arriba se puede elegir otro modelo." : ""}`,
    lede:
      "Un modelo, dos frases. Los pesos se calculan de nuevo para cada frase: cambia una palabra, y palabras que no han cambiado " +
      "pueden mirar a otra parte.",
    other: "La otra frase",
    show: "Comparar",
    presets: "Parejas para probar",
    inFile: "Otras frases de este archivo",
    missingHow: (first, second) =>
      `saccade explore MODEL --sentence ${JSON.stringify(first)} --sentence ${JSON.stringify(second)} --export page.html`,
    word: "Cómo mira esta palabra",
    choose: "palabra",
    noBlocks:
      "Este modelo no tiene atención dentro del origen. La tabla de abajo compara los vectores que hace de las palabras.",
    kind: "En el codificador",
    moved: (share) => `El ${share} de su atención se fue a otra parte.`,
    movedBy: "Qué cabeza se movió más",
    layerHead: (layer, head) => `capa ${layer}, cabeza ${head}`,
    meanHead: (layer) => `capa ${layer}, media de cabezas`,
    translations: "Traducciones",
    first: "primera frase",
    second: "segunda frase",
    vectors: "Cuánto cambió el vector de cada palabra común",
    vectorsLede:
      "Coseno entre los estados del codificador de la misma palabra en las dos frases: 1 es ningún cambio. Una simple tabla de " +
      "vectores de palabras daría 1 en todas partes.",
    mostMoved: "se fue a otra parte",
    before: "primera",
    after: "segunda",
    strongest: "mira sobre todo a",
    none: "Las dos frases no tienen ninguna palabra en común.",
    empty: "Escribe otra frase, o elige una pareja.",
  },
};
