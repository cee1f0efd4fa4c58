/** Lo que dice la vista «Haz». */
import { exponent, number, signed } from "page/beam/numbers";
import { percent } from "page/numbers/numbers";

/** @type {typeof import("page/words/en/beam").beam} */
export const beam = {
  box: { logp: "log p", sum: "suma", score: "punt.", token: "token" },
  read: (node, piece) =>
    `paso ${node.t}, ${piece}, ${beam.states[node.state]}, log-probabilidad ${signed(node.logp, 4)}, suma ` +
    `${signed(node.cum, 4)}`,
  more: (count) => `+ ${count} más`,
  heading: "Cómo se encontró la salida",
  lead: (size, steps) =>
    `La búsqueda mantuvo ${size === 1 ? "vivo el mejor comienzo" : `vivos los ${size} mejores comienzos`} durante ${steps} ` +
    `${steps === 1 ? "paso" : "pasos"}. Una columna es un paso, que escribe una palabra o una parte de ella; lo más probable hasta ese momento está arriba.`,
  widthOne:
    "Con un haz de 1 solo sobrevive un comienzo, pero la búsqueda recuerda cada lugar donde la salida podría haber terminado " +
    "y devuelve el final con mejor puntuación.",
  noSearch: {
    force: "No hubo búsqueda: esta salida estaba dada, y el modelo solo dijo lo probable que es cada fragmento.",
    sample: "No hubo búsqueda: cada fragmento de esta salida se sorteó.",
    other: "Detrás de esta salida no hubo búsqueda.",
  },
  noSearchPicture:
    "Abajo está esa única salida y, en gris, qué otra cosa era probable en cada paso; eso nunca se siguió.",
  runSearch: "Buscar en su lugar",
  prefixed: "La salida tenía que empezar por:",
  freely: "Volver a buscar libremente",
  size: "Tamaño del haz",
  legendOf: "Qué significan las cajas",
  legend: {
    winner: "en el camino ganador",
    kept: "conservada, sigue",
    finished: "terminada",
    pruned: "podada, demasiado improbable",
    given: "la salida",
    alternative: "probable también, nunca seguida",
  },
  roleOf: "árbol de búsqueda",
  picture: (steps, rows) => `La búsqueda: ${steps} pasos, hasta ${rows} nodos en cada uno`,
  help:
    "Izquierda va a lo que un nodo continúa, derecha a su mejor continuación, arriba y abajo recorren el paso, Intro lee el " +
    "nodo.",
  step: (t) => `paso ${t}`,
  start: "inicio",
  pruned: {
    label: "Nodos podados",
    alternatives: "Alternativas",
    none: "ninguno",
    few: "3 por paso",
    all: "todos los que hay",
  },
  columns: {
    step: "Paso",
    rank: "Puesto",
    piece: "Fragmento",
    state: "Estado",
    logp: "log p",
    cum: "Suma",
    score: "Puntuación",
    after: "Después de",
  },
  states: { root: "inicio", kept: "conservado", pruned: "podado", finished: "terminado" },
  tableCaption: "Todos los nodos de la imagen",
  tableCut: (shown, all) => `Estos son los primeros ${shown} de ${all} nodos; el archivo CSV los tiene todos.`,
  caption: (size, alpha) => `haz de ${size}, penalización por longitud con alfa ${alpha}`,
  tools: { table: "Mostrar como imagen o como tabla", asTable: "Tabla", asPicture: "Imagen" },
  node: {
    heading: "Este nodo",
    none: "Elige un nodo: aquí se verá lo escrito hasta él y de dónde sale su puntuación.",
    root: "Todo empieza aquí, sin nada escrito y con una suma de 0.",
    written: "Escrito hasta aquí",
    piece: "Fragmento",
    logp: "log p",
    chance: (p) => `una probabilidad de ${percent(p)}`,
    digits: (before, logp, cum) => `${signed(before, 4)} + (${signed(logp, 4)}) = ${signed(cum, 4)}`,
    sum: "Suma",
    penalty: "Penalización por longitud",
    penaltyDigits: (length, alpha, lp, rule) =>
      `${rule === "power" ? length : `((5 + ${length}) / 6)`}^${exponent(alpha)} = ${number(lp, 4)}`,
    score: "Puntuación",
    scoreDigits: (cum, lp, score) => `${signed(cum, 4)} / ${number(lp, 4)} = ${signed(score, 4)}`,
    rank: (rank) => `Número ${rank} de todos los candidatos de su paso.`,
    short: (gap) => `Se quedó a ${number(gap, 4)} del último puesto.`,
    winning: "Está en el camino ganador.",
    fates: {
      kept: "Conservado: la búsqueda siguió desde aquí.",
      pruned: "Podado: la búsqueda no siguió desde aquí.",
      finished: "Terminado: la salida acabó aquí.",
    },
    forced: {
      kept: "Escrito, porque estaba dado.",
      pruned: "Probable también, pero no era lo dado.",
      finished: "El final de lo dado.",
    },
    path: (count) => (count === 1 ? "El único fragmento hasta aquí" : `Los ${count} fragmentos hasta aquí`),
    id: "Número del token",
    number: "Número del nodo",
    continue: "Continuar desde aquí",
    continueHelp: "Buscar otra vez con todo fijado hasta este nodo",
    inside: "Mirar dentro de esta salida",
    insideHelp: "Dar al modelo exactamente este texto y ver adónde mira cada fragmento",
    pieces: "Lo escrito se entrega como texto; en mitad de una palabra puede quedar cortado en otros fragmentos.",
    attention: "Ver adónde miró este fragmento",
    offline:
      "Este archivo no tiene un modelo detrás: abre la frase con «saccade explore MODEL» para continuar desde un nodo.",
  },
  finished: {
    heading: "Salidas terminadas",
    unfinished:
      "Ninguna salida terminó dentro del límite; esto es lo que la búsqueda llevaba escrito cuando tuvo que parar.",
    caption: "Salidas ordenadas por log P dividido por la penalización por longitud",
    alpha: "alfa de la penalización por longitud",
    reset: (alpha) => `Volver a ${alpha}`,
    alphaIs: (value) => `alfa ${value}`,
    rerun: "Buscar otra vez con este alfa",
    columns: {
      now: "Ahora",
      before: "En la búsqueda",
      text: "Salida",
      length: "Fragmentos",
      cum: "log P",
      p: "Probabilidad",
      lp: "Penalización",
      score: "Puntuación",
    },
    same: (alpha) => `Con alfa ${alpha} gana la misma salida que en la búsqueda.`,
    asSearched: (alpha) => `La búsqueda usó alfa ${alpha}. Mueve el control: uno mayor perdona más la longitud.`,
    other: (alpha, text, was) => `Con alfa ${alpha} gana otra salida: «${text}» en vez de «${was}».`,
    ranges: "Quién gana con qué alfa",
    range: (from, to) => `de ${from.toFixed(2)} a ${to.toFixed(2)}`,
    more: (count) => `${count} más terminaron y puntúan menos; muestra todos los nodos podados para listarlas.`,
    caution:
      "Esto ordena de nuevo lo que la búsqueda encontró, sin decodificar. Una búsqueda con otro alfa también puede parar en " +
      "otro momento y encontrar salidas que no están en esta lista.",
    coverage:
      "La búsqueda también cobró por las palabras de origen a las que nada miró; eso no está en estas puntuaciones.",
    again: "el mismo texto en otros fragmentos",
    empty: "(nada)",
  },
};
