/** Was die Ansicht „Modell“ sagt. */
import { factor, readable } from "page/model/numbers";
import { digits, short } from "page/numbers/numbers";
import { thousands as count } from "page/numbers/thousands";

/** @type {typeof import("page/words/en/model").MODEL} */
export const MODEL = {
  title: "Wie dieses Modell gebaut ist",
  lede: ({ name, summary, year }) => `${name}: ${summary} (${year}).`,
  paper: "Nach",
  drawing: "Von Wörtern zu Wörtern",
  drawingLabel: (parts) => `Von unten nach oben zu lesen. ${parts.join(". ")}.`,
  caption: "Kästen sind die Teile, die gesagt haben, was sie mit diesem Satz getan haben.",
  dots: "Drei Punkte in einem Kasten: Dort wirkt beim Training Dropout.",
  times: (layers) => `${layers} ×`,
  boxes: {
    words: "gelesene Wörter",
    written: "schon Geschriebenes",
    embedding: (scale) => (scale === 1 ? "Embedding" : `Embedding × ${factor(scale)}`),
    position: (kind) =>
      kind === "learned" ? "+ gelernte Positionen" : kind ? "+ Positionen (Wellen)" : "+ Positionen",
    self: (causal) => (causal ? "maskierte Selbstaufm." : "Selbstaufmerksamkeit"),
    cross: "Kreuzaufmerksamkeit",
    heads: (heads, each) => (heads > 1 ? `${heads} Köpfe${each ? ` zu ${each}` : ""}` : "ein Kopf"),
    ffn: "Feed-forward-Netz",
    inner: (width, inner) => `${width} → ${inner} → ${width}`,
    recurrent: "rekurrent, Wort für Wort",
    backwards: "rekurrent, rückwärts",
    bothWays: "rekurrent, beide Wege",
    gates: (names) => `Gates: ${names.join(", ")}`,
    noGates: "keine Gates",
    convolution: (kernel) => `Faltung, ${kernel} auf einmal`,
    layers: (number) => `${number} ${number === 1 ? "Schicht" : "Schichten"}`,
    addNorm: "Summe & Norm",
    add: "Summe",
    norm: "Normierung",
    counts: "gezählt, was folgte",
    shares: "Anteile, Summe 1",
    output: "linear + Softmax",
    choices: (vocabulary) => `${count(vocabulary)} Wortstücke zur Wahl`,
    list: (rows, width) => `Speicher: ${rows} × ${width}`,
    vector: (numbers) => `Speicher: ${count(numbers)} Zahlen`,
    next: "nächstes Wort",
    encoder: "Encoder",
    decoder: "Decoder",
  },
  parts: "Die Teile, und wo man sie sieht",
  partColumns: ["Teil", "Größen", "Dropout", "Ansehen"],
  letters: "Die Buchstaben",
  letterColumns: ["Buchstabe", "Was es ist", "Hier"],
  meanings: {
    N: ["N", "Schichten des Encoders"],
    N_decoder: ["N", "Schichten des Decoders"],
    d_model: ["d_model", "Zahlen im Vektor eines Tokens, zwischen allen Schichten dieselben"],
    d_ff: ["d_ff", "Zahlen im Inneren des Feed-forward-Netzes"],
    h: ["h", "Köpfe nebeneinander in jeder Aufmerksamkeit"],
    d_k: ["d_k", "Zahlen einer Anfrage und eines Schlüssels in einem Kopf"],
    d_v: ["d_v", "Zahlen eines Wertes in einem Kopf"],
    P_drop: ["P_drop", "Anteil der Zahlen, die beim Training auf null gesetzt werden"],
    eps_ls: ["ε_ls", "Anteil der richtigen Antwort, den Label Smoothing abgibt"],
    steps: ["Schritte", "Änderungen der Gewichte im Training"],
  },
  outputs: "Zahlen des Vektors, nach dem das nächste Wort gewählt wird",
  unknown: "im Ordner des Modells nicht aufgehoben",
  notHere: "hat dieses System nicht",
  agree: (h, dk, d) =>
    `h × d_k = ${h} × ${dk} = ` +
    `${h * dk}${h * dk === d ? " = d_model: Die Köpfe teilen sich so viele Zahlen, wie ein Vektor hat" : ""}.`,
  parameters: "Parameter nach Teilen",
  total: (all) => `${count(all)} Zahlen wurden gelernt.`,
  share: "Anteil",
  tied: "Gemeinsame Gewichte",
  tiedLead: (names) =>
    `${names.map(readable).join(", ")} sind eine einzige Matrix: Was für eins gelernt wird, ist für alle gelernt, und sie ` +
    "zählt einmal.",
  untied: "Keine zwei Teile teilen sich eine Matrix.",
  training: "Was nur beim Training wirkt",
  dropout: (p) =>
    `Dropout setzt ${digits(100 * p, 0)} % der Zahlen zufällig auf null und multipliziert die anderen zum Ausgleich mit ` +
    `${digits(1 / (1 - p), 3)}. Es wirkt auf die Summe aus Embedding und Position und auf das, was jede Teilschicht ` +
    "zurückgibt, bevor es addiert wird. Hier ist Dropout ausgeschaltet: Derselbe Satz ergibt immer dieselben Zahlen.",
  plainDropout: (p) =>
    `Dropout setzt beim Training ${digits(100 * p, 0)} % der Zahlen zwischen den Schichten zufällig auf null. Hier ist ` +
    "Dropout ausgeschaltet.",
  noDropout: "Dieses Modell wurde ohne Dropout trainiert.",
  smoothing: (eps) =>
    `Label Smoothing ändert nur das Ziel: Das richtige Wortstück zählt ${digits(1 - eps, 2)} statt 1, und alle anderen ` +
    `teilen sich ${digits(eps, 2)}.`,
  unknownSmoothing:
    "Label Smoothing ändert nur das Ziel des Trainings: Das richtige Wortstück zählt etwas weniger als 1, und alle anderen " +
    "teilen sich den Rest. Der Wert ist im Ordner des Modells nicht aufgehoben.",
  embedding: "Wie lang sind die Vektoren?",
  embeddingLead: (scale) =>
    `Embeddings werden mit √d_model = ${factor(scale)} multipliziert, bevor Positionen addiert werden. Das Paper nennt ` +
    "keinen Grund; hier sind die Längen für diesen Satz.",
  unscaled: "Dieses Modell multipliziert seine Embeddings nicht.",
  noLab: "Dieses Modell hat keine Norm und übergibt keine Liste von Zuständen, an denen man eine ausprobieren könnte.",
  embeddingColumns: ["Token", "Embedding allein", "nach × √d_model", "Position", "Position / Token, vorher", "nachher"],
  plainColumns: ["Token", "Embedding"],
  means: "Mittel",
  lengths: (before, after, position) =>
    `Im Mittel ist ein Embedding allein ${digits(before, 2)} lang, nach dem Faktor ${digits(after, 2)}, und eine Position ` +
    `${digits(position, 2)}. ` +
    (before < position && after > position
      ? "Ohne den Faktor würde die Position das Wort überwiegen; mit ihm überwiegt das Wort die Position."
      : before < position
        ? "Ohne den Faktor würde die Position das Wort noch mehr überwiegen."
        : "Das Wort überwiegt die Position mit dem Faktor wie ohne ihn."),
  lab: "Layer-Norm oder Batch-Norm?",
  labLead:
    "Beide bringen Zahlen auf Mittelwert 0 und Varianz 1. Layer-Norm tut es entlang der Zahlen eines Wortes, Batch-Norm an " +
    "jedem Platz des Vektors entlang aller Wörter. Hier werden beide an den Zahlen ausprobiert, die in eine Norm dieses " +
    "Modells hineingehen. Wirkliche Batch-Norm bezieht auch die anderen Sätze eines Stapels ein; ein Satz genügt, um den " +
    "Unterschied zu sehen.",
  labKind: "Teilschicht",
  labAxes: ["Wort", "Platz"],
  labLayer: "Schicht",
  labName: (kind, layer) => `${kind}, Schicht ${layer}`,
  source: {
    normed: (name) => `Was in die Norm hineingeht: ${name}.`,
    sum: "Dieses Modell hat keine Norm; darum nimmt der Versuch seine Embeddings.",
    recurrent: "Dieses Modell hat keine Norm; darum nimmt der Versuch die Zustände seines Encoders.",
    memory: "Dieses Modell hat keine Norm; darum nimmt der Versuch, was sein Encoder übergibt.",
  },
  panels: {
    before: "Wie sie kommen",
    layer: "Layer-Norm: jede Zeile für sich",
    batch: "Batch-Norm: jede Spalte für sich",
  },
  firstPlaces: (shown, width) => (shown < width ? `erste ${shown} von ${width} Plätzen` : `${width} Plätze`),
  place: (number) => String(number),
  swap: "Angenommen, ein anderes Wort stünde bei",
  swapped: (word, other) => [
    "Angenommen, die Zahlen von ",
    word,
    " wären die von ",
    other,
    ". Wie weit bewegen sich die anderen, obwohl sich an ihnen nichts geändert hat?",
  ],
  swapColumns: ["Wort", "mit Layer-Norm", "mit Batch-Norm"],
  verdict: (layer, batch, others) =>
    `Mit Layer-Norm bewegen sich die anderen ${others} Wörter um ${layer === 0 ? "genau 0" : short(layer)}. Mit Batch-Norm ` +
    `ändern sich alle, um bis zu ${digits(batch, 3)}: Was aus einem Wort wird, hinge von seiner Gesellschaft ab.`,
  again: (error) =>
    "Hier neu berechnet: Layer-Norm mit der Verstärkung und Verschiebung des Modells selbst stimmt auf " +
    `${short(error)} mit dem überein, was das Modell benutzt hat.`,
  listed: (shown, all) => `Aufgeführt sind die ersten ${shown} von ${all} Wörtern; mitgezählt sind alle.`,
  tensors: (names) => names.map((/** @type {any} */ [name, shape]) => `${name} [${shape.join(", ")}]`).join("   "),
  missing:
    "Diese Datei enthält diese Zahlen nicht. Öffne das Modell mit saccade explore MODEL, oder exportiere mit --detail all.",
  kinds: {
    enc: "Selbstaufmerksamkeit des Encoders",
    dec: "Selbstaufmerksamkeit des Decoders",
    cross: "Kreuzaufmerksamkeit",
  },
};
