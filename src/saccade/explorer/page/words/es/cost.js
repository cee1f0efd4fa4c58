/** Lo que dice la vista «Coste». */
import { bytes, duration, grouped, rounded, times } from "page/cost/table";

/** @type {typeof import("page/words/en/cost").COST} */
export const COST = {
  title: "Lo que cuesta una capa",
  lede: (tokens, width) =>
    `Esta frase tiene n = ${tokens} tokens, y este modelo escribe cada uno como d = ${width} números. Cámbialos y mira qué ` +
    "tiene que hacer una capa de cada tipo.",
  bare:
    "Sin frase, estos son los tamaños del modelo base del artículo y una frase de 30 tokens. Traduce algo, y aquí estarán " +
    "los tuyos.",
  letters: {
    n: ["n", "tokens de la frase"],
    width: ["d", "números por token"],
    kernel: ["k", "posiciones que ve una convolución"],
    reach: ["r", "posiciones que ve una atención restringida"],
  },
  reset: "De mi frase",
  table: "Los cuatro tipos de capa",
  columns: ["Capa", "Operaciones", "Pasos que se esperan unos a otros", "Camino más largo entre dos palabras"],
  measuredColumn: (n) => `Medido con n = ${n}`,
  series: {
    "self-attention": "autoatención",
    recurrent: "recurrente",
    convolutional: "convolucional",
    restricted: "restringida",
  },
  kinds: {
    "self-attention": "autoatención",
    recurrent: "recurrente",
    convolutional: "convolucional",
    restricted: "autoatención restringida",
  },
  means: {
    "self-attention": "cada token mira a todos los tokens",
    recurrent: "un token tras otro, y cada uno pasa un estado",
    convolutional: "cada token ve una ventana de k",
    restricted: "cada token mira a los r que lo rodean",
  },
  once: "la misma cantidad",
  relative: (ratio) =>
    ratio > 1 ? `${times(ratio)} × autoatención` : `${times(1 / ratio)} veces menos que la autoatención`,
  relativeExact: (ratio) => `${times(ratio)} × con proyecciones`,
  way: {
    layers: (count) => `${grouped(count)} ${count === 1 ? "capa" : "capas"}`,
    steps: (count) => `${grouped(count)} pasos`,
  },
  dilated: (plain) => `con ventanas crecientes; iguales necesitan ${Number.isFinite(plain) ? grouped(plain) : "∞"}`,
  plain: (plain) => `las ventanas centradas en cada palabra necesitan ${Number.isFinite(plain) ? grouped(plain) : "∞"}`,
  counted: "Como cuenta el artículo: sin constantes, y la atención sin sus cuatro proyecciones.",
  exactly: "Con constantes y proyecciones",
  exactLead: "Lo que multiplican y suman las capas de este paquete, cada producto una vez:",
  exact: {
    "self-attention": "4·n·d² + 2·n²·d",
    recurrent: "8·n·d² (una LSTM)",
    convolutional: "2·k·n·d² (con una puerta)",
    restricted: "4·n·d² + 2·d·(puntuaciones calculadas por bloques)",
  },
  summary: (n, d, ratio) =>
    n === d
      ? `Con n = d = ${grouped(n)}, la autoatención y la recurrencia necesitan las mismas operaciones.`
      : n < d
        ? `Aquí n es menor que d, así que la autoatención necesita ${times(1 / ratio)} veces menos operaciones que la ` +
          `recurrencia. Con n = ${grouped(d)} son iguales.`
        : `Aquí n es mayor que d, así que la autoatención necesita ${times(ratio)} veces más operaciones que la ` +
          `recurrencia. Con n = ${grouped(d)} eran iguales.`,
  summaryExact: (ratio) =>
    "Con lo que la tabla deja fuera, las cuatro proyecciones de la atención y las cuatro puertas de una LSTM, la " +
    `autoatención necesita ${ratio < 1 ? `${times(1 / ratio)} veces menos` : `${times(ratio)} veces más`}.`,
  chart: "Operaciones según la longitud",
  chartLabel: (sizes, rows) =>
    `Los dos ejes son logarítmicos. Con ${sizes.n} tokens: ` +
    `${rows.map((row) => `${COST.kinds[/** @type {keyof typeof COST.kinds} */ (row.kind)]} ${rounded(row.operations)}`).join(", ")}. ` +
    `La autoatención cruza la recurrencia en n = d = ${sizes.d}.`,
  axes: { n: "n, tokens", operations: "operaciones de una capa", seconds: "tiempo de una capa" },
  crossing: (d) => `n = d = ${d}`,
  yours: (n) => `n = ${n}`,
  measured: "Medido en este ordenador",
  measure: "Medir ahora",
  again: "Medir otra vez",
  measuring: "Se mide una capa de cada tipo; tarda unos segundos …",
  explain:
    "Una cuenta dice cuánto hay que hacer; un reloj, cuánto se tarda. Se ejecuta una capa de cada tipo con varias longitudes " +
    "y el d de este modelo, y se muestra la mediana de varios tiempos.",
  absent:
    "Este archivo no contiene tiempos medidos. saccade explore MODEL --export page.html los escribe en la página; saccade " +
    "explore MODEL los mide cuando se le pide.",
  setting: (cost) =>
    `Una capa, d = ${cost.d}, ${cost.heads} ${cost.heads === 1 ? "cabeza" : "cabezas"}, k = ${cost.k}, r = ` +
    `${cost.r}; la mediana de ${cost.repeats} tiempos. ${cost.machine}, ${cost.threads} ` +
    `${cost.threads === 1 ? "hilo" : "hilos"}, torch ${cost.torch}, ${cost.date}.`,
  other: (d) => `Estos tiempos se midieron con d = ${d}.`,
  unsteady: (times) =>
    `En una de cada cuatro medidas la misma llamada tardó ${times} veces más que otra vez, o todavía más: esta máquina ` +
    "estaba ocupada con otra cosa. No te fíes de estos tiempos; vuelve a medir cuando esté tranquila.",
  timesChart: "Tiempo según la longitud",
  timesLabel: (cost) =>
    `Los dos ejes son logarítmicos, de ${cost.lengths[0]} a ${cost.lengths.at(-1)} tokens. La tabla de abajo tiene todos los números.`,
  timesTable: "Tiempos medidos",
  countedHere: "multiplicaciones con suma",
  compare: (n, work, time) =>
    `Con ${n} tokens, la capa recurrente (una LSTM) multiplica y suma ${times(work)} veces lo que la autoatención con sus ` +
    `proyecciones, y tarda ${times(time)} veces más. ` +
    (time > work
      ? "Lo que una cuenta no muestra es la espera: sus pasos no pueden ir en paralelo."
      : "Aquí la espera no le cuesta nada más."),
  claims: "Comprueba estas afirmaciones",
  parallel: {
    claim: "«La atención tarda un tiempo constante, porque es paralela.»",
    answer: (n, rows) =>
      `Lo constante es el número de pasos que esperan: 1, donde la recurrencia tiene ${grouped(n)}. El trabajo no lo es: ` +
      `${grouped(rows[0].operations)} operaciones para ${grouped(n)} tokens, ` +
      `${grouped(4 * rows[0].operations)} para el doble. Solo una máquina con otros tantos procesadores podría hacerlas a la ` +
      "vez.",
    clock: (a, b, first, second) =>
      `Medido aquí: ${duration(first)} para ${grouped(a)} tokens, ${duration(second)} para ${grouped(b)}.`,
  },
  infinite: {
    claim: "«La atención ve infinitamente lejos.»",
    answer: (n, heads) =>
      `Dos cualesquiera de estos ${grouped(n)} tokens están a un paso, y ningún estado tiene que llevar el primero hasta el ` +
      `último. Pero cada capa guarda ${heads} × ${grouped(n)} × ${grouped(n)} pesos, ` +
      `${bytes(4 * heads * n * n)}; con ${grouped(100_000)} tokens serían ${bytes(4 * heads * 1e10)}.`,
    table: (most) => `Y este modelo conoce ${grouped(most)} posiciones: una frase más larga no puede leerla.`,
  },
  window: {
    claim: "«La atención restringida es lo mismo, solo que más barata.»",
    answer: (n, r, ratio, plain) =>
      r >= n
        ? `Tu ventana de ${grouped(r)} abarca los ${grouped(n)} tokens, así que aquí no se ahorra ni se pierde nada.`
        : `Aquí necesita ${times(ratio)} veces menos operaciones, y lo paga en distancia: la primera y la última palabra no ` +
          `se encuentran hasta después de ${grouped(plain)} capas en vez de 1.`,
  },
};
