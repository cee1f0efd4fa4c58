/** Lo que dice el marco, y lo que dice más de una vista. */

/** @type {typeof import("page/words/en/app").KIND_NAMES} */
export const KIND_NAMES = {
  enc: "autoatención del codificador",
  dec: "autoatención del decodificador",
  cross: "atención cruzada",
};

/** @type {typeof KIND_NAMES} */
const KIND_TITLES = {
  enc: "Autoatención del codificador",
  dec: "Autoatención del decodificador",
  cross: "Atención cruzada",
};

/** @type {typeof import("page/words/en/app").words} */
export const words = {
  brand: "saccade",
  language: "Idioma",
  theme: "Colores",
  skip: "Ir a la imagen",
  viewNames: {
    home: "Inicio",
    translate: "Traducir",
    steps: "Pasos",
    heads: "Cabezas",
    heat: "Matriz",
    beam: "Haz",
    ancestors: "Antecesores",
    cost: "Coste",
    position: "Posición",
    model: "Modelo",
    train: "Entrenar",
    quiz: "Preguntas",
  },
  pageTitle: (view) => `${view} · saccade explorer`,
  notDrawn: (message) => `Esto no se ha podido dibujar: ${message}.`,
  viewNotDrawn: (message) => `Esta vista no se ha podido dibujar: ${message}.`,
  copyFrom: (address) => `Cópialo de aquí: ${address}`,
  otherSchema: (schema) =>
    `Este archivo es del tipo «${schema}», que esta página no sabe leer. Escríbelo de nuevo con el mismo saccade con el que ` +
    "se abre.",
  noModel: (name, other) => `Aquí no hay ningún modelo «${name}»; este es «${other}».`,
  noView: (name, other) => `No hay ninguna vista «${name}»; esta es ${other}.`,
  unreadable: (part, name, value) => `«${part}» no se puede leer en el enlace; en su lugar, ${name} es ${value}.`,
  notChosen: "no elegido",
  emptyText: "vacío",
  problems: {
    cancelled: "Cancelado.",
    modelStopped: "El modelo que lleva esta página se ha detenido.",
    reload: "Vuelve a cargar la página.",
    silent: "El servidor no responde.",
    stopped: "Puede que lo hayan detenido.",
    start: "Arráncalo otra vez: saccade explore MODEL",
    answered: (status) => `El servidor ha respondido ${status}.`,
    unreadable: "Esta página no sabe leer lo que ha enviado el servidor.",
    schema: (schema) => `Su esquema es «${schema}».`,
  },
  present: "Presentar",
  presentWhy: "Letra grande, números ocultos y las teclas de un mando: AvPág y RePág, o flechas (p)",
  presentEnd: "Terminar la presentación",
  unveil: "Mostrar los números",
  veil: "Ocultar los números",
  sentence: "Frase",
  placeholder: "Escribe una frase y pulsa Intro",
  translate: "Traducir",
  model: "Modelo",
  views: "Vistas",
  help: "Ayuda",
  share: "Copiar enlace",
  shared: "El enlace está copiado.",
  export: "Exportar",
  settings: "Decodificación",
  settingsWhy: "Cómo se busca la traducción: tamaño del haz y penalización por longitud",
  menu: "Menú",
  depth: "Cuánto mostrar",
  depths: { words: "palabras", numbers: "números", tensors: "tensores" },
  themes: { system: "Colores: sistema", light: "Colores: claros", dark: "Colores: oscuros" },
  kinds: { enc: "Codificador", dec: "Decodificador", cross: "Cruzada" },
  kindTitles: {
    enc: "Las palabras del texto de origen se miran unas a otras",
    dec: "Las palabras ya escritas se miran unas a otras",
    cross: "Las palabras que se escriben miran el texto de origen",
  },
  /** What a reader of words sees in the place of a special token. */
  marks: { bos: "(inicio)", eos: "(fin)", unk: "(desconocido)", pad: "(nada)" },
  transfers: { sqrt: "raíz cuadrada", linear: "lineal", rowmax: "parte del mayor de la fila" },
  palettes: { ink: "tinta", dusk: "del ocaso al alba", grey: "gris" },
  mean: "media",
  layer: "Capa",
  head: "Cabeza",
  noAttention: ({ model, memory }) =>
    `${model.name} no tiene atención: ninguna fila de pesos dice adónde ` +
    `mira.${memory?.kind === "vector" ? " Todo lo que su decodificador recibe del origen es un vector." : ""} Aun así se ` +
    "puede medir lo que aporta cada palabra: elige otra imagen en «Matriz», o mira en «Antecesores».",
  noCross:
    "Este modelo no lee un segundo texto mientras escribe, así que no hay palabras que unir con líneas. «Matriz» muestra " +
    "cómo se miran sus propias palabras.",
  noSource: "Un modelo de lenguaje: lee lo que hay antes y continúa.",
  noKind: (kind) => `Este modelo no tiene ${KIND_NAMES[kind]}.`,
  title: (kind, layer, head, heads) =>
    `${KIND_TITLES[kind]}, ` +
    `${layer}${heads === 1 ? "" : head === "mean" ? `, media de ${heads} cabezas` : `, cabeza ${head + 1}`}`,
  caution:
    "Un peso dice adónde miró una cabeza, no por qué se escribió una palabra: también deciden los valores, las otras " +
    "cabezas y las capas de alrededor. Lo que importó se mide sin atención: en «qué importó» de Traducir y en " +
    "«influencia por omisión» de Matriz.",
  sink: (share, name) =>
    `El ${share} de la atención de esta imagen recae en ${name}. Las cabezas que no necesitan nada suelen dejar ahí su peso.`,
  shiftWhy:
    "Una fila sale de la palabra que se acaba de leer y decide la palabra que se escribe a continuación. Si se nombra por " +
    "lo que escribe, un alineamiento queda donde uno lo busca.",
  picture: "Imagen",
  looked: "adónde miró el modelo",
  mattered: "qué importó",
  lookedTitle: "Adónde miró el modelo al escribir cada palabra",
  matteredTitle: "Qué palabras importaron para cada palabra",
  matteredWhy:
    "Cada palabra de origen se sustituyó por el token desconocido. Una línea es la parte de la log-probabilidad perdida " +
    "por una palabra escrita que se debe a ella; las palabras sin las cuales se volvió más probable no tienen línea.",
  bestHeadWhy: (agreement) =>
    "De todas las cabezas, es la que tiene las filas que mejor coinciden con lo que ocurre al quitar palabras de origen " +
    `(correlación ${agreement}).`,
  opinions: {
    attention: "pesos de atención",
    gradient: "influencia por gradiente",
    occlusion: "influencia por omisión",
  },
  opinionWhy: {
    attention: "",
    gradient:
      "Con qué fuerza cambia la log-probabilidad de una palabra escrita con el embedding de una palabra de origen: la " +
      "longitud de su gradiente, con cada fila dividida por su suma.",
    occlusion:
      "Cuánta log-probabilidad pierde una palabra escrita cuando una palabra de origen se sustituye por el token " +
      "desconocido. Negativo: la palabra se volvió más probable.",
  },
  missing: (what, command) => `En este archivo falta: ${what}. ${command}`,
  missingCommand: (model, sentence) =>
    `Se consigue con: saccade explore ${model} --sentence ${JSON.stringify(sentence)} --detail all --export page.html`,
  leavingOut: "Se omite cada palabra, una tras otra",
  waiting: "La frase está recorriendo el modelo …",
  progress: (written) =>
    written ? `El modelo escribe: ${written} ${written === 1 ? "token" : "tokens"} hasta ahora …` : "El modelo lee …",
  cancel: "Cancelar",
  retry: "Intentarlo otra vez",
  empty: "Escribe una frase arriba, o prueba una de estas.",
  notEnglish: (language) =>
    `Estas están en inglés, y este modelo aprendió a leer «${language}»: una frase tuya mostrará más.`,
  notHere: "Este archivo contiene otras frases; sin servidor no puede calcular nuevas.",
  holds: "Contiene:",
  alsoHere: "También en este archivo",
  long: (count) => `${count} tokens: las imágenes se hacen pequeñas. Por encima de 256 no se dibuja nada.`,
  unknown: (characters) =>
    `El vocabulario no tiene ningún fragmento para ${characters.map((one) => `«${one}»`).join(", ")}. Tales caracteres ` +
    "se deletrean en bytes si el modelo puede, y si no, se pierden.",
  lossy: "Los números de este archivo se redondearon a media precisión: el tercer decimal puede diferir.",
  whatIf: (name) => `Esto es una suposición (${name}), no el modelo tal como se entrenó.`,
  unfinished: "La búsqueda terminó en su longitud máxima, antes de que el modelo escribiera un final.",
  source: "Origen",
  target: "Traducción",
  round: (t, total) => (t === null ? `los ${total}` : `${t + 1} de ${total}`),
  rounds: "Paso de decodificación",
  play: "Reproducir",
  pause: "Pausa",
};
