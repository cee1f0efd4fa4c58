/** Was der Rahmen sagt, und was mehr als eine Ansicht sagt. */

/** @type {typeof import("page/words/en/app").KIND_NAMES} */
export const KIND_NAMES = {
  enc: "Selbstaufmerksamkeit des Encoders",
  dec: "Selbstaufmerksamkeit des Decoders",
  cross: "Kreuzaufmerksamkeit",
};

/** @type {typeof import("page/words/en/app").words} */
export const words = {
  brand: "saccade",
  language: "Sprache",
  theme: "Farben",
  skip: "Zum Bild springen",
  viewNames: {
    home: "Start",
    translate: "Übersetzen",
    steps: "Schritte",
    heads: "Köpfe",
    heat: "Matrix",
    beam: "Beam",
    ancestors: "Vorläufer",
    cost: "Aufwand",
    position: "Position",
    model: "Modell",
    train: "Trainieren",
    quiz: "Quiz",
  },
  pageTitle: (view) => `${view} · saccade explorer`,
  notDrawn: (message) => `Das konnte nicht gezeichnet werden: ${message}.`,
  viewNotDrawn: (message) => `Diese Ansicht konnte nicht gezeichnet werden: ${message}.`,
  copyFrom: (address) => `Von hier kopieren: ${address}`,
  otherSchema: (schema) =>
    `Diese Datei ist von der Art „${schema}“, die diese Seite nicht lesen kann. Schreibe sie neu, mit demselben saccade, mit ` +
    "dem sie geöffnet wird.",
  noModel: (name, other) => `Ein Modell „${name}“ gibt es hier nicht; dies ist „${other}“.`,
  noView: (name, other) => `Eine Ansicht „${name}“ gibt es nicht; dies ist ${other}.`,
  unreadable: (part, name, value) => `„${part}“ im Link ist nicht lesbar; ${name} ist stattdessen ${value}.`,
  notChosen: "nicht gewählt",
  emptyText: "leer",
  problems: {
    cancelled: "Abgebrochen.",
    modelStopped: "Das Modell in dieser Seite hat angehalten.",
    reload: "Lade die Seite neu.",
    silent: "Der Server antwortet nicht.",
    stopped: "Vielleicht wurde er beendet.",
    start: "Starte ihn neu: saccade explore MODEL",
    answered: (status) => `Der Server hat mit ${status} geantwortet.`,
    unreadable: "Diese Seite kann nicht lesen, was der Server geschickt hat.",
    schema: (schema) => `Sein Schema ist „${schema}“.`,
  },
  present: "Vorführen",
  presentWhy: "Große Schrift, verdeckte Zahlen und die Tasten eines Presenters: Bild ab und Bild auf, oder Pfeile (p)",
  presentEnd: "Vorführung beenden",
  unveil: "Zahlen zeigen",
  veil: "Zahlen verdecken",
  sentence: "Satz",
  placeholder: "Schreibe einen Satz und drücke Enter",
  translate: "Übersetzen",
  model: "Modell",
  views: "Ansichten",
  help: "Hilfe",
  share: "Link kopieren",
  shared: "Der Link ist kopiert.",
  export: "Exportieren",
  settings: "Decodieren",
  settingsWhy: "Wie die Übersetzung gesucht wird: Breite des Beams und Längenstrafe",
  menu: "Menü",
  depth: "Wie viel zu sehen ist",
  depths: { words: "Worte", numbers: "Zahlen", tensors: "Tensoren" },
  themes: { system: "Farben: System", light: "Farben: hell", dark: "Farben: dunkel" },
  kinds: { enc: "Encoder", dec: "Decoder", cross: "Kreuz" },
  kindTitles: {
    enc: "Wörter der Quelle sehen einander an",
    dec: "Schon geschriebene Wörter sehen einander an",
    cross: "Wörter, die geschrieben werden, sehen die Quelle an",
  },
  /** What a reader of words sees in the place of a special token. */
  marks: { bos: "(Anfang)", eos: "(Ende)", unk: "(unbekannt)", pad: "(nichts)" },
  transfers: { sqrt: "Quadratwurzel", linear: "linear", rowmax: "Anteil am größten der Zeile" },
  palettes: { ink: "Tinte", dusk: "Abend bis Morgen", grey: "Grau" },
  mean: "Mittel",
  layer: "Schicht",
  head: "Kopf",
  noAttention: ({ model, memory }) =>
    `${model.name} hat keine Aufmerksamkeit: Keine Zeile von Gewichten sagt, wohin es ` +
    `schaut.${memory?.kind === "vector" ? " Alles, was sein Decoder von der Quelle bekommt, ist ein Vektor." : ""} Was ` +
    "jedes Wort beiträgt, lässt sich trotzdem messen: Wähle in „Matrix“ ein anderes Bild, oder sieh unter „Vorläufer“ nach.",
  noCross:
    "Dieses Modell liest keinen zweiten Text, während es schreibt; darum gibt es keine Wörter, die Linien verbinden " +
    "könnten. „Matrix“ zeigt, wie seine eigenen Wörter einander ansehen.",
  noSource: "Ein Sprachmodell: Es liest, was davor steht, und schreibt weiter.",
  noKind: (kind) => `Dieses Modell hat keine ${KIND_NAMES[kind]}.`,
  title: (kind, layer, head, heads) =>
    `${KIND_NAMES[kind]}, ` +
    `${layer}${heads === 1 ? "" : head === "mean" ? `, Mittel von ${heads} Köpfen` : `, Kopf ${head + 1}`}`,
  caution:
    "Ein Gewicht sagt, wohin ein Kopf geschaut hat, nicht, warum ein Wort geschrieben wurde: Werte, andere Köpfe und die " +
    "Schichten ringsum entscheiden mit. Was gezählt hat, wird ohne Aufmerksamkeit gemessen: unter „was gezählt hat“ in " +
    "Übersetzen und „Einfluss durch Weglassen“ in Matrix.",
  sink: (share, name) =>
    `${share} der Aufmerksamkeit in diesem Bild liegen auf ${name}. Köpfe, die nichts brauchen, legen ihr Gewicht oft dort ab.`,
  shiftWhy:
    "Eine Zeile entsteht aus dem eben gelesenen Wort und entscheidet über das nächste. Nach dem benannt, was sie " +
    "schreibt, liegt eine Zuordnung dort, wo man sie sucht.",
  picture: "Bild",
  looked: "wohin das Modell geschaut hat",
  mattered: "was gezählt hat",
  lookedTitle: "Wohin das Modell geschaut hat, als es jedes Wort schrieb",
  matteredTitle: "Welche Wörter für jedes Wort gezählt haben",
  matteredWhy:
    "Jedes Wort der Quelle wurde durch das unbekannte Token ersetzt. Eine Linie ist der Anteil an der verlorenen " +
    "Log-Wahrscheinlichkeit eines geschriebenen Wortes, der auf dieses Quellwort zurückgeht; Wörter, ohne die es " +
    "wahrscheinlicher wurde, haben keine.",
  bestHeadWhy: (agreement) =>
    "Von allen einzelnen Köpfen stimmen seine Zeilen am besten mit dem überein, was geschieht, wenn man Wörter der " +
    `Quelle wegnimmt (Korrelation ${agreement}).`,
  opinions: {
    attention: "Aufmerksamkeitsgewichte",
    gradient: "Einfluss nach Gradient",
    occlusion: "Einfluss durch Weglassen",
  },
  opinionWhy: {
    attention: "",
    gradient:
      "Wie stark sich die Log-Wahrscheinlichkeit eines geschriebenen Wortes mit dem Embedding eines Quellwortes ändert: " +
      "die Länge seines Gradienten, jede Zeile durch ihre Summe geteilt.",
    occlusion:
      "Wie viel Log-Wahrscheinlichkeit ein geschriebenes Wort verliert, wenn ein Quellwort durch das unbekannte Token " +
      "ersetzt wird. Negativ: Das Wort wurde wahrscheinlicher.",
  },
  missing: (what, command) => `In dieser Datei fehlt: ${what}. ${command}`,
  missingCommand: (model, sentence) =>
    `So bekommst du es: saccade explore ${model} --sentence ${JSON.stringify(sentence)} --detail all --export page.html`,
  leavingOut: "Jedes Wort wird einmal weggelassen",
  waiting: "Der Satz ist auf dem Weg durch das Modell …",
  progress: (written) => (written ? `Das Modell schreibt: bisher ${written} Token …` : "Das Modell liest …"),
  cancel: "Abbrechen",
  retry: "Noch einmal versuchen",
  empty: "Schreibe oben einen Satz, oder probiere einen von diesen.",
  notEnglish: (language) =>
    `Diese Sätze sind englisch, und dieses Modell hat gelernt, „${language}“ zu lesen: Ein eigener Satz zeigt mehr.`,
  notHere: "Diese Datei enthält andere Sätze; ohne Server kann sie keine neuen berechnen.",
  holds: "Sie enthält:",
  alsoHere: "Auch in dieser Datei",
  long: (count) => `${count} Token: Die Bilder werden klein. Ab 257 wird nichts mehr gezeichnet.`,
  unknown: (characters) =>
    `Das Vokabular hat kein Wortstück für ${characters.map((one) => `„${one}“`).join(", ")}. Solche Zeichen ` +
    "werden in Bytes buchstabiert, wo das Modell es kann, und gehen sonst verloren.",
  lossy: "Die Zahlen in dieser Datei wurden auf halbe Genauigkeit gerundet: Die dritte Nachkommastelle kann abweichen.",
  whatIf: (name) => `Das ist eine Annahme (${name}), nicht das Modell, wie es trainiert wurde.`,
  unfinished: "Die Suche endete bei ihrer größten Länge, bevor das Modell ein Ende schrieb.",
  source: "Quelle",
  target: "Übersetzung",
  round: (t, total) => (t === null ? `alle ${total}` : `${t + 1} von ${total}`),
  rounds: "Decodierschritt",
  play: "Abspielen",
  pause: "Anhalten",
};
