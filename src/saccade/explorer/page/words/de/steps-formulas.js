/** Die Formeln der Ansicht „Schritte“, wie sie vorgelesen werden. */

/** @type {typeof import("page/words/en/steps-formulas").SPOKEN} */
export const SPOKEN = {
  embedding: (scaled, positions) =>
    `x i = E von w i${scaled ? " mal Wurzel d model" : ""}${positions ? " plus P E von i" : ""}`,
  attention: (masked) =>
    `Attention von Q, K, V = Softmax von Q K transponiert durch Wurzel d k${masked ? " plus M" : ""}, mal V`,
  context: (how, score) => `c i = die Summe über j von ${how} des Scores ${score} von q i und k j, mal v j`,
  heads: "MultiHead von Q, K, V = die Köpfe hintereinander, mal W O",
  wiring: (wiring) => `y = Verschaltung ${wiring} von x und seiner Teilschicht`,
  relu: "das Maximum von null und",
  activation: (activation) => `${activation} von`,
  feedForward: (activated) => `F F N von x = ${activated} x W 1 plus b 1, mal W 2, plus b 2`,
  memory: "m = Encoder von x 1 bis x n",
  output: (bias) => `P von y t = Softmax von h t mal W transponiert${bias ? " plus b" : ""}`,
};
