/** Was die Ansicht „Köpfe“ sagt. */

/** @type {typeof import("page/words/en/heads").heads} */
export const heads = {
  heading: "Alle Köpfe auf einmal",
  lead:
    "Jeder Kopf jeder Schicht als ein kleines Bild: Zeilen fragen, Spalten werden angesehen. Mit den Zahlen findest du " +
    "einen Kopf, den zu öffnen sich lohnt.",
  nothing: "Übersetze einen Satz, um seine Köpfe zu sehen.",
  noAttention: (name) =>
    `${name} hat keine Aufmerksamkeit: Es übergibt einen einzigen Vektor; darum gibt es keine Köpfe zu sehen.`,
  toAncestors: "Unter „Vorläufer“ siehst du, was es stattdessen weitergibt.",
  length: {
    neighbours: { "-1": "das Wortstück davor", 0: "das Wortstück selbst", 1: "das Wortstück danach" },
    looks: (layer, head, neighbour, places) =>
      `Ein langer Satz ist lehrreich: Kopf ${head} der Encoder-Schicht ${layer} schaut auf ${neighbour}. An den ersten ` +
      `${places} Stellen mit einem Anteil von`,
    afterwards: ", danach mit ",
    keeps: "Sein Muster hält also, so weit dieser Satz reicht.",
    loses:
      "Er verliert also sein Muster: Was so weit hinten steht, kam im Training selten oder nie vor. Darum misslingen " +
      "Übersetzungen langer Sätze.",
  },
  kinds: {
    enc: "Selbstaufmerksamkeit des Encoders",
    dec: "Selbstaufmerksamkeit des Decoders",
    cross: "Kreuzaufmerksamkeit",
  },
  kindNotes: {
    enc: "Quelle schaut auf Quelle",
    dec: "Ausgabe schaut auf schon Geschriebenes",
    cross: "Ausgabe schaut auf Quelle",
  },
  size: (layers, heads) =>
    `${layers} ${layers === 1 ? "Schicht" : "Schichten"} \u00d7 ${heads} ${heads === 1 ? "Kopf" : "Köpfe"}`,
  layer: (layer) => `Schicht ${layer}`,
  head: (head) => `Kopf ${head}`,
  short: (layer, head) => `S${layer} K${head}`,
  badge: {
    label: "Zahl",
    names: {
      entropy: "Entropie",
      distance: "Abstand",
      special: "Besondere",
      diagonal: "Diagonale",
      agreement: "Übereinstimmung",
    },
    meaning: {
      entropy: "Wie breit eine Zeile gestreut ist, in Bit: 0 heißt nur ein Platz, jedes Bit verdoppelt die Auswahl.",
      distance: "Wie viele Wörter oder Wortstücke, je nach Anzeige, eine Zeile im Mittel weit schaut.",
      special: "Anteil des Gewichts auf besonderen Token, etwa dem Satzende, die keine Wörter sind.",
      diagonal: "Anteil des Gewichts höchstens einen Platz neben der Diagonale.",
      agreement: "Anteil der Zeilen, die am meisten auf dasselbe Quellwort schauen wie die Referenz.",
    },
    none: "\u2013",
    short: (name, value) => heads.badge.format(name, value).replace(" Bit", ""),
    format: (name, value) =>
      value === null
        ? "\u2013"
        : name === "entropy"
          ? `${value.toFixed(2)} Bit`
          : name === "distance"
            ? value.toFixed(2)
            : `${Math.round(100 * value)} %`,
  },
  reference: {
    label: "Referenz",
    own: "die Zuordnung des Modells selbst",
    occlusion: "Wörter weglassen",
    gradient: "Gradient",
    note: "Nur Köpfe zwischen Ausgabe und Quelle können mit einer Zuordnung übereinstimmen.",
  },
  order: { label: "Reihenfolge", grid: "Schicht für Schicht", high: "größte zuerst", low: "kleinste zuerst" },
  filter: {
    least: "Mindestens",
    most: "Höchstens",
    off: "Alle zeigen",
    count: (shown, all) => `${shown} von ${all} Köpfen`,
  },
  open: { label: "Enter oder Klick öffnet", heat: "Matrix", steps: "Schritte" },
  mode: { label: "Zeigen", heads: "alle Bilder", word: "ein Wort" },
  word: {
    choose: "Wort",
    label: { source: "Quelle", reads: "Ausgabe: liest \u2192 sagt voraus" },
    note: "Eine Zeile für jeden Kopf: wohin dieses Wort in jeder Schicht schaut. Enter öffnet den Kopf.",
    title: (kind, word) => `${kind}: ${word}`,
    reads: (reads, predicts) => `${reads} \u2192 ${predicts}`,
    axis: "Kopf",
    keys: "schaut auf",
  },
  unit: { label: "Einheiten", word: "Wörter", piece: "Wortstücke" },
  hide: "Besondere Token ausblenden",
  caption: (unit, transfer, badge, queries, keys) =>
    `${queries} mal ${keys} ${unit === "word" ? "Wörter" : "Wortstücke"}, Farben: ${transfer}, Zahl: ${badge}`,
  where: (kind, layer, head) => `${kind}, Schicht ${layer}, Kopf ${head}`,
  strongest: "am stärksten",
  tensor: (name, head, queries, keys) => `${name}[${head}]: ${queries} \u00d7 ${keys}`,
  goTo: (view) => `In „${view}“ öffnen`,
  choose: "Geh zu einem Bild, um seine Zahlen zu lesen.",
  tree: (layer, head) =>
    `Der Baum: Kreuzaufmerksamkeit, Schicht ${layer + 1}, ${head === "mean" ? "Mittel ihrer Köpfe" : `Kopf ${head + 1}`}`,
  meaning: "Was die Zahlen bedeuten",
  tags: {
    best: "ordnet am besten zu",
    special: "besondere",
    diagonal: "diagonal",
    sharp: "scharf",
    even: "gleichmäßig",
  },
  tagRules:
    "Schildchen: „besondere“ oder „diagonal“, wo mindestens die Hälfte des Gewichts dort liegt; „scharf“ oder " +
    "„gleichmäßig“, wo die Entropie höchstens ein Viertel oder mindestens 85 % derjenigen einer gleichmäßigen Verteilung " +
    "beträgt; „ordnet am besten zu“, wo kein anderer Kopf besser mit dem übereinstimmt, was das Weglassen von Wörtern " +
    "kostet.",
  cell: (layer, head, numbers, query, key, weight) =>
    `Schicht ${layer}, Kopf ${head}. ${numbers}. Am stärksten: ${query} auf ${key}, ${weight.toFixed(3)}.`,
  numbers: (facts, format, names) =>
    Object.keys(names)
      .filter((name) => facts[name] !== null)
      .map((name) => `${names[name]} ${format(/** @type {any} */ (name), facts[name])}`)
      .join(", "),
  help: "Die Pfeiltasten gehen von Kopf zu Kopf, Enter öffnet einen.",
  table: {
    caption: (kind) => `${kind}: die Zahlen jedes Kopfes`,
    layer: "Schicht",
    head: "Kopf",
    strongest: "Stärkstes Paar",
    tags: "Schildchen",
    pair: (query, key, weight) => `${query} \u2192 ${key} ${weight.toFixed(3)}`,
  },
  notOne: "Die Zeilen dieser Aufmerksamkeit müssen nicht eins ergeben; ihre Zahlen sind Summen dessen, was da ist.",
  detail: "Der Kopf unter dem Zeiger",
  caution: "Ein Gewicht sagt, wohin ein Kopf schaut, nicht, warum ein Wort geschrieben wurde.",
  averaged:
    "Je kleiner die Entropie, desto weniger verwischt ein Kopf, was er liest; mehrere Köpfe zusammen können an mehrere " +
    "Stellen schauen.",
};
