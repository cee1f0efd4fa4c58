/**
 * Cuatro maneras de contar los mismos pasos, cada una atada a los números de la consulta y la clave elegidas. Una imagen en
 * palabras no debe decir nunca algo que los números no digan.
 */
import { full, share, two } from "page/steps/shares";

/** @typedef {typeof import("page/words/en/steps-analogies").TOLD} Told */

/** @type {typeof import("page/words/en/steps-analogies").ANALOGIES} */
export const ANALOGIES = {
  cafeteria: "un comedor",
  search: "una búsqueda de vídeos",
  dictionary: "un diccionario",
  filter: "un filtro de imagen",
  none: "sin imágenes, por favor",
};

/** @type {Told["cafeteria"]} */
const cafeteria = {
  tokens: (f) => `${f.pieces} comensales hacen cola, y cada comensal atiende también un mostrador.`,
  embedding: (f) =>
    `Cada comensal trae una tarjeta con ${f.width} datos sobre su gusto. Los que se llaman igual traen la misma tarjeta.`,
  position: (f) =>
    `Encima va un sello con el lugar en la cola: «${f.query}» es el número ${f.q}. Sin él, nadie distinguiría al primero del último.`,
  qkv: (f) =>
    `«${f.query}» apunta un deseo. Cada mostrador cuelga un letrero y guarda un plato detrás. Deseo, letrero y plato tienen ` +
    `${f.dk} números cada uno.`,
  memory: (f) =>
    `Aquí no hay mostradores. Un camarero oye los ${f.pieces} pedidos y tiene que recordarlos en ${f.memoryNumbers} números.`,
  states: (f) =>
    `El comensal al que se atiende ahora trae un deseo; hay ${f.keys} mostradores ` +
    `abiertos${f.oneVector ? ", y el letrero de cada uno es el propio plato" : ""}.`,
  scores: (f) =>
    `«${f.query}» compara el deseo con el letrero de cada uno de los ${f.keys} mostradores. El letrero de «${f.key}» encaja con ` +
    `${two(f.score)}.`,
  scale: (f) =>
    `Las listas de deseos largas dan muchos puntos a todo. Todos los puntos se dividen por ${two(1 / f.scale)}, para que ningún ` +
    `mostrador gane solo por lo larga que es la lista: ${two(f.score)} pasa a ser ${two(f.scaledScore)}.`,
  mask: (f) =>
    f.masked
      ? `Algunos mostradores ${f.causal ? "aún no han abierto" : "están demasiado lejos"}: «${f.query}» alcanza ${f.allowed} de ` +
        `${f.keys}.`
      : `Los ${f.keys} mostradores están abiertos para «${f.query}».`,
  softmax: (f) =>
    `Los puntos deciden cómo se reparte el plato: ${share(f.bestWeight)} para «${f.best}», ` +
    `${share(f.otherWeight)} para ` +
    `«${f.other}»` +
    full(f, ", y así hasta que el plato está justo lleno", `, y así; el plato se llena al ${share(f.rowSum)}`) +
    ".",
  values: (f) =>
    `Ahora los platos se sirven en esas partes. Es una sola comida mezclada, y el ${share(f.bestWeight)} viene de «${f.best}».`,
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} camareros hicieron la ronda con deseos distintos. Sus platos se ponen en una bandeja, y W_O los dispone.`
      : "Fue un camarero; W_O dispone el plato.",
  norm: () => "La comida nueva se pone junto a lo que el comensal ya tenía, y la ración se ajusta a un tamaño normal.",
  ffn: (f) =>
    `Cada comensal digiere por su cuenta. De ${f.inner} pequeñas reacciones, en «${f.query}» ocurren ${f.active}.`,
  output: (f) =>
    `Bien comido, el comensal dice el fragmento siguiente: «${f.candidate}», con una seguridad del ${share(f.probability)}.`,
};

/** @type {Told["search"]} */
const search = {
  tokens: (f) => `Una colección de ${f.pieces} vídeos, uno por cada fragmento de la frase.`,
  embedding: (f) => `Cada vídeo se describe con ${f.width} números; a fragmentos iguales, descripciones iguales.`,
  position: (f) => `Se añade la marca de tiempo: «${f.query}» es el vídeo ${f.q}.`,
  qkv: (f) =>
    `«${f.query}» teclea una búsqueda. Cada vídeo tiene un título por el que se encuentra y un contenido que se ve: tres vectores ` +
    `de ${f.dk} números.`,
  memory: (f) =>
    `Aquí no se busca: alguien vio los ${f.pieces} vídeos y escribió una nota de ${f.memoryNumbers} números.`,
  states: (f) =>
    `El decodificador teclea una búsqueda; se pueden encontrar ${f.keys} ` +
    `vídeos${f.oneVector ? ", cada uno por su propio contenido, pues no tiene título aparte" : ""}.`,
  scores: (f) => `La búsqueda se compara con los ${f.keys} títulos. «${f.key}» consigue ${two(f.score)} puntos.`,
  scale: (f) =>
    `Los títulos tienen ${f.dk} números, y los títulos largos juntan puntos solo por ser largos. Al dividir por ` +
    `${two(1 / f.scale)} quedan ${two(f.scaledScore)}.`,
  mask: (f) =>
    f.masked
      ? `Los vídeos que ${f.causal ? "aún no se han rodado" : "están demasiado lejos"} no se pueden encontrar: ${f.allowed} de ` +
        `${f.keys} están en la lista de «${f.query}».`
      : `Los ${f.keys} vídeos están en la lista.`,
  softmax: (f) =>
    `Los puntos se convierten en tiempo de ver. «${f.best}» se lleva el ${share(f.bestWeight)} de la hora; «${f.other}», el ` +
    `${share(f.otherWeight)}.`,
  values: (f) =>
    `Los ves todos a la vez, fundidos unos sobre otros; «${f.best}» con el ${share(f.bestWeight)} de la luz.`,
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} personas buscaron otras cosas. Sus notas se ponen una junto a otra, y W_O las resume.`
      : "Buscó una persona; W_O resume las notas.",
  norm: () => "El resumen se añade a lo que ya sabías, y el volumen se pone en normal.",
  ffn: (f) => `Ahora lo piensas por tu cuenta: se te ocurren ${f.active} de ${f.inner} ideas.`,
  output: (f) => `Y dices lo que viene después: «${f.candidate}» (${share(f.probability)}).`,
};

/** @type {Told["dictionary"]} */
const dictionary = {
  tokens: (f) => `Para esta frase se hace un diccionario de ${f.pieces} entradas.`,
  embedding: (f) => `Cada entrada empieza siendo ${f.width} números, tomados de una gran tabla que el modelo aprendió.`,
  position: (f) => `El número de página se incorpora a la entrada: «${f.query}» está en la página ${f.q}.`,
  qkv: (f) =>
    `«${f.query}» es lo que consultamos. Cada entrada tiene un lema (su clave) y una definición (su valor). Un diccionario ` +
    "corriente quiere el lema exacto; este admite cualquiera que se le acerque.",
  memory: (f) =>
    `Aquí no hay diccionario: ${f.pieces} entradas se reducen a ${f.memoryNumbers} números, y el libro se cierra.`,
  states: (f) =>
    `El estado del decodificador se busca en ${f.keys} ` +
    `entradas${f.oneVector ? ", cuyo lema y definición son un mismo vector" : ""}.`,
  scores: (f) =>
    `¿Cuánto se acerca el lema «${f.key}» a lo que consulta «${f.query}»? ${two(f.score)}. Se pregunta a los ${f.keys} lemas.`,
  scale: (f) =>
    `La cercanía se cuenta sobre ${f.dk} letras; dividir por ${two(1 / f.scale)} deja ${two(f.score)} en un sensato ` +
    `${two(f.scaledScore)}.`,
  mask: (f) =>
    f.masked
      ? `Las páginas que ${f.causal ? "aún no están escritas" : "quedan demasiado lejos"} están pegadas: se pueden abrir ` +
        `${f.allowed} de ${f.keys}.`
      : `Se pueden abrir las ${f.keys} páginas.`,
  softmax: (f) =>
    `En vez de un acierto obtienes partes de todas las entradas: «${f.best}» ${share(f.bestWeight)}, «${f.other}» ` +
    `${share(f.otherWeight)}.`,
  values: (f) =>
    `La respuesta es una mezcla de definiciones; el ${share(f.bestWeight)} es la que está bajo «${f.best}».`,
  concat: (f) =>
    f.heads > 1
      ? `Se abrieron a la vez ${f.heads} diccionarios de distinto tipo. W_O escribe una respuesta a partir de ${f.heads}.`
      : "Se abrió un diccionario; W_O escribe la respuesta.",
  norm: () => "La respuesta se anota a lápiz junto a la entrada antigua, y la letra se pone de un mismo tamaño.",
  ffn: (f) => `La entrada se corrige por su cuenta: se aplican ${f.active} de ${f.inner} reglas.`,
  output: (f) => `La entrada terminada nombra el fragmento siguiente: «${f.candidate}» (${share(f.probability)}).`,
};

/** @type {Told["filter"]} */
const filter = {
  tokens: (f) => `La frase es una tira de ${f.pieces} píxeles, uno por fragmento.`,
  embedding: (f) => `Cada píxel no tiene tres colores, sino ${f.width}.`,
  position: (f) =>
    `Encima se imprime una trama fina, para que el píxel ${f.q}, «${f.query}», se distinga de cualquier otro lugar.`,
  qkv: (_f) =>
    "La imagen hace su propio filtro: consultas y claves deciden por dónde pasa la luz, y los valores son la imagen que se filtra.",
  memory: (f) => `Aquí no hay filtro: la tira de ${f.pieces} píxeles se reduce a uno de ${f.memoryNumbers} colores.`,
  states: (f) =>
    `El estado del decodificador hace un filtro sobre ${f.keys} ` +
    `píxeles${f.oneVector ? " y mira a través de él esos mismos píxeles" : ""}.`,
  scores: (f) =>
    `Este es el filtro en bruto: una fila por consulta. En la fila «${f.query}», columna «${f.key}», tiene ${two(f.score)}.`,
  scale: (f) =>
    `El contraste se baja en ${two(1 / f.scale)}; si no, solo quedaría visible un píxel: ${two(f.score)} pasa a ser ` +
    `${two(f.scaledScore)}.`,
  mask: (f) =>
    f.masked
      ? `Una cinta negra tapa ${f.keys - f.allowed} de ${f.keys} píxeles de esta fila.`
      : "Sin cinta: toda la fila está abierta.",
  softmax: (f) =>
    "La fila se vuelve un cristal que deja pasar " +
    `${full(f, "toda la luz exactamente una vez", `el ${share(f.rowSum)} de la luz`)}: ${share(f.bestWeight)} en «${f.best}», ` +
    `${share(f.otherWeight)} en «${f.other}».`,
  values: (f) =>
    `A través del filtro, «${f.query}» ve un solo píxel borroso, sobre todo «${f.best}» (${share(f.bestWeight)}).`,
  concat: (f) =>
    f.heads > 1
      ? `${f.heads} filtros a la vez, como ${f.heads} canales de una imagen; W_O mezcla los canales.`
      : "Un filtro, un canal; W_O mezcla sus colores.",
  norm: () => "La imagen filtrada se pone sobre la original, y el brillo y el contraste vuelven a lo normal.",
  ffn: (f) => `Cada píxel se retoca solo: ${f.active} de ${f.inner} pinceles tocan «${f.query}».`,
  output: (f) => `En la imagen terminada se lee «${f.candidate}» (${share(f.probability)}).`,
};

export const TOLD = { cafeteria, search, dictionary, filter };
