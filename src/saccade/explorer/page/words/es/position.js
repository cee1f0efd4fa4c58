/** Lo que dice la vista «Posición». */
import { digits, short } from "page/numbers/numbers";
import { MADE_BY } from "page/position/made-by";

/** @type {typeof import("page/words/en/position").POSITION} */
export const POSITION = {
  title: "Dónde está una palabra",
  lede:
    "La atención suma valores, y una suma no conoce el orden de sus términos. Por eso cada palabra recibe un segundo vector " +
    "que solo dice dónde está, sumado al que dice qué es.",
  kinds: {
    sinusoidal: "Estas posiciones se calculan: senos y cosenos de ondas cada vez más largas, y nada que aprender.",
    halves:
      "Estas posiciones se calculan: los senos y cosenos del artículo, primero todos los senos y luego todos los cosenos.",
    tensor2tensor:
      "Estas posiciones se calculan como en el código de los propios autores: primero todos los senos y luego todos los cosenos.",
    learned:
      "Estas posiciones se aprendieron, como los vectores de las palabras: no hay fórmula, solo lo que dejó el entrenamiento. " +
      "Las filas que un modelo apenas encontró se quedan cerca de donde empezaron.",
  },
  other: (kind) => `Las posiciones de este modelo son del tipo «${kind}».`,
  heat: "La tabla de posiciones",
  heatLabel: (rows, width, pos, dim) =>
    `${rows} posiciones por ${width} lugares del vector, de -1 azul a 1 naranja. Elegido: posición ${pos}, lugar ${dim}.`,
  rows: "posición",
  columns: "lugar en el vector",
  pos: "posición",
  dim: "lugar en el vector",
  wave: (dim) => `La onda del lugar ${dim}`,
  waveLabel: (dim, length) =>
    `Cómo cambia el lugar ${dim} de posición en posición${length ? `: una onda de ${length} posiciones` : ""}. Los puntos ` +
    "son la tabla del modelo.",
  learnedWave: (dim) => `El lugar ${dim} de posición en posición`,
  length: (length, rows) =>
    length > rows
      ? `Una onda ocupa ${short(length)} posiciones: a lo largo de esta tabla apenas se curva.`
      : `Una onda ocupa ${short(length)} posiciones.`,
  spelled: (pos, dim, inside, name, value) => ["PE(", pos, ", ", dim, ") = ", name, "(", inside, ") = ", value],
  agrees: (rows, width, error) =>
    `Calculado de nuevo aquí: los ${rows} × ${width} números de la tabla del modelo coinciden con la fórmula hasta ` +
    `${short(error)}.`,
  exactly: "Calculado de nuevo aquí: todos los números coinciden.",
  dots: "Lo parecidas que son dos posiciones",
  dotsLead:
    "El producto escalar de dos filas de la tabla. Una consulta que lleva dentro su posición puede encontrar una clave por él.",
  dotsTitle: "Productos escalares entre posiciones",
  distance: "Producto escalar según la distancia",
  distanceLabel: (first, last, far) => `De ${first} a distancia 0 hasta ${last} a distancia ${far}.`,
  steady: (spread) =>
    `Las parejas a la misma distancia tienen el mismo producto estén donde estén, hasta ${short(spread)}: con estas ondas una ` +
    "posición se reconoce por la distancia.",
  unsteady: (spread) =>
    `Las parejas a la misma distancia difieren hasta en ${short(spread)}: una tabla aprendida no debe nada a la distancia.`,
  axes: {
    pos: "posición",
    value: "número de la tabla",
    distance: "posiciones de distancia",
    product: "producto escalar",
  },
  table: "tabla",
  formula: "fórmula",
  code: (name, rows, width, kind) =>
    kind === "learned"
      ? `${name} [${rows}, ${width}] = las primeras ${rows} filas de saccade.layers.position.LearnedPositions.table`
      : `${name} [${rows}, ${width}] = ` +
        `saccade.layers.position.${MADE_BY[/** @type {keyof typeof MADE_BY} */ (kind)]}(${rows}, ${width})`,
  shuffle: "La prueba de barajar",
  shuffleLead:
    "Las palabras se ponen en otro orden y el codificador las lee otra vez. Si el orden no importara, cada palabra recibiría " +
    "el mismo vector que antes, solo que en otro sitio.",
  before: "como está escrita",
  after: "barajada",
  without: "sin posiciones",
  with: "con posiciones",
  difference: "mayor diferencia de un número que entrega el codificador",
  verdict: (without, withPositions) =>
    `Sin posiciones no cambia nada más que el redondeo (${short(without)}); con ellas los vectores se mueven hasta ` +
    `${digits(withPositions, 3)}. El orden entra solo por las posiciones.`,
  ordered: (without) =>
    `Incluso sin posiciones los vectores se mueven hasta ${digits(without, 3)}: este codificador conoce el orden por sí mismo.`,
  untested: "La prueba no se ha hecho con esta frase.",
  noOrder: "Un solo fragmento tiene un único orden: toma una frase más larga.",
  untestable: "A este modelo no se le pueden quitar vectores de posición, así que no hay nada que comparar.",
  noEncoder:
    "Este modelo no tiene codificador. Lee sus propias palabras una tras otra, y ninguna ve a una posterior: eso por sí solo " +
    "le dice algo de su orden.",
  unavailable:
    "Este archivo no contiene la prueba de barajar. saccade explore MODEL la hace cuando se le pide; una exportación con " +
    "--detail all la contiene.",
  missing:
    "Este archivo no contiene la tabla de posiciones. Abre el modelo con saccade explore MODEL, o exporta con --detail all.",
  none: "Este modelo no tiene vectores para las posiciones",
  why: {
    recurrent:
      "No los necesita: lee una palabra tras otra, y lo que lleva de paso en paso ha encontrado las palabras en ese orden. " +
      "Ponlas en otro orden y todos los estados son otros.",
    convolution:
      "Una convolución ve a sus vecinos en lugares fijos de su ventana, izquierda y derecha por separado. El orden está en los " +
      "pesos de la ventana.",
    attention:
      "La atención sola no podría distinguir un orden de las palabras de otro; aquí el orden entra de otra manera, o no entra.",
    other: "Lo que sabe del orden lo sabe por cómo está construido.",
  },
};
