/** Cosas que se dicen de estos pasos y que los números pueden comprobar, con palabras propias, y lo que los números responden. */
import { digits, short } from "page/numbers/numbers";

/** @param {{name: string, covered: number, cells: number}} kind */
const covered = (kind) => `${kind.name}, ${kind.covered} de ${kind.cells} celdas tapadas`;

export const CHECK = "Comprueba esta afirmación";

/** @type {typeof import("page/words/en/steps-claims").CLAIMS} */
export const CLAIMS = {
  norms: {
    claim: "Los embeddings se multiplican por √d_model porque, si no, su longitud se perdería al lado de la posición.",
    answer: (n) =>
      `El artículo no da ninguna razón, así que aquí están las longitudes. Antes: ${digits(n.before, 2)} de media; después de × ` +
      `${digits(n.scale, 2)}: ${digits(n.after, 2)}. Los vectores de posición miden ${digits(n.position, 2)}. Sin el factor, un ` +
      `fragmento sería ${digits(n.before / n.position, 2)} veces tan largo como su lugar; con él, ` +
      `${digits(n.after / n.position, 2)} veces.`,
  },
  options: {
    claim: "d_k es el número de cosas entre las que se puede elegir.",
    answer: (n) =>
      `No: d_k es cuántos números tiene una consulta o una clave, ${n.dk} en esta cabeza. Se puede elegir entre las claves, ` +
      `${n.keys} en esta frase. Una frase más larga cambia el segundo número y deja el primero como está.`,
  },
  overflow: {
    claim: "Sin √d_k las exponenciales se desbordarían.",
    answer: (n) =>
      `La mayor puntuación sin dividir de esta cabeza es ${short(n.largest)}. Un número de 32 bits admite e elevado a ` +
      `${digits(n.bound, 1)} como mucho, pero nadie calcula eso: primero se resta la mayor puntuación de la fila, así que la ` +
      "mayor potencia es e^0 = 1, con la raíz y sin ella. Lo que cambia es cuánto puede mover todavía una puntuación un peso: en " +
      `el mejor caso ${digits(n.slopeScaled, 4)} en esta fila con la raíz y ${digits(n.slopeRaw, 4)} sin ella. Cerca de cero ya ` +
      "no se aprende nada. Esa es la razón que da el artículo.",
  },
  proportion: {
    claim: "Softmax no hace más que convertir puntuaciones en porcentajes de su suma.",
    answer: () =>
      "No: compara potencias de e. Cuentan las diferencias, no las proporciones. Toma las seis puntuaciones de abajo. Como parte " +
      "de su suma, la más fuerte recibe menos de un tercio; con softmax se lo lleva todo. Divididas antes por una raíz, las " +
      "demás vuelven.",
  },
  causal: {
    claim: "Toda la atención del decodificador está enmascarada.",
    answer: (n) =>
      n.kinds.length
        ? "Contado aquí: " +
          `${n.kinds.map(covered).join("; ")}. ` +
          (n.kinds.some((/** @type {any} */ kind) => kind.kind === "enc" && kind.covered)
            ? "Este sistema lee palabra por palabra, así que su codificador también tapa lo que aún no ha leído."
            : "Solo la autoatención del decodificador tiene que ocultar palabras que aún no están escritas.")
        : "Este modelo no tiene atención que contar.",
  },
};

/** @type {typeof import("page/words/en/steps-claims").PROPORTION} */
export const PROPORTION = {
  score: "puntuación",
  share: "parte de la suma",
  softmax: "softmax",
  six: "softmax de ÷ √6",
  sixtyfour: "softmax de ÷ √64",
};

/** @type {typeof import("page/words/en/steps-claims").KIND_NAMES} */
export const KIND_NAMES = {
  enc: "autoatención del codificador",
  dec: "autoatención del decodificador",
  cross: "atención al origen",
};
