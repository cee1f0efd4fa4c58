/** Was die Ansicht „Aufwand“ sagt. */
import { bytes, duration, grouped, rounded, times } from "page/cost/table";

/** @type {typeof import("page/words/en/cost").COST} */
export const COST = {
  title: "Was eine Schicht kostet",
  lede: (tokens, width) =>
    `Dieser Satz hat n = ${tokens} Token, und dieses Modell schreibt jedes mit d = ${width} Zahlen. Ändere sie und sieh, ` +
    "was eine Schicht jeder Art zu tun hat.",
  bare:
    "Ohne Satz stehen hier die Größen des Basismodells aus dem Paper und ein Satz von 30 Token. Übersetze etwas, und deine " +
    "eigenen stehen hier.",
  letters: {
    n: ["n", "Token im Satz"],
    width: ["d", "Zahlen je Token"],
    kernel: ["k", "Positionen, die eine Faltung sieht"],
    reach: ["r", "Positionen, die eine beschränkte Aufmerksamkeit sieht"],
  },
  reset: "Aus meinem Satz",
  table: "Die vier Arten von Schichten",
  columns: ["Schicht", "Operationen", "Schritte, die aufeinander warten", "Längster Weg zwischen zwei Wörtern"],
  measuredColumn: (n) => `Gemessen bei n = ${n}`,
  series: {
    "self-attention": "Aufmerksamkeit",
    recurrent: "rekurrent",
    convolutional: "Faltung",
    restricted: "beschränkt",
  },
  kinds: {
    "self-attention": "Selbstaufmerksamkeit",
    recurrent: "rekurrent",
    convolutional: "Faltung",
    restricted: "Selbstaufmerksamkeit, beschränkt",
  },
  means: {
    "self-attention": "jedes Token schaut auf jedes Token",
    recurrent: "ein Token nach dem anderen, jedes reicht einen Zustand weiter",
    convolutional: "jedes Token sieht ein Fenster von k",
    restricted: "jedes Token schaut auf die r um sich herum",
  },
  once: "genauso viele",
  relative: (ratio) =>
    ratio > 1 ? `${times(ratio)} × Selbstaufmerksamkeit` : `${times(1 / ratio)}-mal weniger als Selbstaufmerksamkeit`,
  relativeExact: (ratio) => `mit Projektionen ${times(ratio)} ×`,
  way: {
    layers: (count) => `${grouped(count)} ${count === 1 ? "Schicht" : "Schichten"}`,
    steps: (count) => `${grouped(count)} Schritte`,
  },
  dilated: (plain) => `mit wachsenden Fenstern; gleich große brauchen ${Number.isFinite(plain) ? grouped(plain) : "∞"}`,
  plain: (plain) => `Fenster, in deren Mitte das Wort steht, brauchen ${Number.isFinite(plain) ? grouped(plain) : "∞"}`,
  counted: "Gezählt wie im Paper: ohne Konstanten, und die Aufmerksamkeit ohne ihre vier Projektionen.",
  exactly: "Mit Konstanten und Projektionen",
  exactLead: "Was die Schichten dieses Pakets multiplizieren und addieren, jedes Produkt einmal:",
  exact: {
    "self-attention": "4·n·d² + 2·n²·d",
    recurrent: "8·n·d² (ein LSTM)",
    convolutional: "2·k·n·d² (mit einem Gate)",
    restricted: "4·n·d² + 2·d·(blockweise berechnete Scores)",
  },
  summary: (n, d, ratio) =>
    n === d
      ? `Bei n = d = ${grouped(n)} brauchen Selbstaufmerksamkeit und Rekurrenz gleich viele Operationen.`
      : n < d
        ? `Hier ist n kleiner als d; darum braucht Selbstaufmerksamkeit ${times(1 / ratio)}-mal weniger Operationen als ` +
          `Rekurrenz. Bei n = ${grouped(d)} sind es gleich viele.`
        : `Hier ist n größer als d; darum braucht Selbstaufmerksamkeit ${times(ratio)}-mal so viele Operationen wie ` +
          `Rekurrenz. Bei n = ${grouped(d)} waren es gleich viele.`,
  summaryExact: (ratio) =>
    "Mit dem, was die Tabelle weglässt, den vier Projektionen der Aufmerksamkeit und den vier Gattern eines LSTM, braucht " +
    `Selbstaufmerksamkeit ${ratio < 1 ? `${times(1 / ratio)}-mal weniger` : `${times(ratio)}-mal so viele`}.`,
  chart: "Operationen nach Länge",
  chartLabel: (sizes, rows) =>
    `Beide Achsen logarithmisch. Bei ${sizes.n} Token: ` +
    `${rows.map((row) => `${COST.kinds[/** @type {keyof typeof COST.kinds} */ (row.kind)]} ${rounded(row.operations)}`).join(", ")}. ` +
    `Die Selbstaufmerksamkeit kreuzt die Rekurrenz bei n = d = ${sizes.d}.`,
  axes: { n: "Token n", operations: "Operationen einer Schicht", seconds: "Zeit einer Schicht" },
  crossing: (d) => `n = d = ${d}`,
  yours: (n) => `n = ${n}`,
  measured: "Gemessen auf diesem Rechner",
  measure: "Jetzt messen",
  again: "Noch einmal messen",
  measuring: "Eine Schicht jeder Art wird gemessen; das dauert ein paar Sekunden …",
  explain:
    "Eine Zählung sagt, wie viel zu tun ist, eine Uhr, wie lange es dauert. Eine Schicht jeder Art läuft bei mehreren Längen " +
    "mit dem d dieses Modells; gezeigt wird die mittlere von mehreren Zeiten.",
  absent:
    "Diese Datei enthält keine gemessenen Zeiten. saccade explore MODEL --export page.html schreibt sie in die Seite; " +
    "saccade explore MODEL misst auf Wunsch.",
  setting: (cost) =>
    `Eine Schicht, d = ${cost.d}, ${cost.heads} ${cost.heads === 1 ? "Kopf" : "Köpfe"}, k = ${cost.k}, r = ` +
    `${cost.r}; die mittlere von ${cost.repeats} Zeiten. ${cost.machine}, ${cost.threads} ` +
    `${cost.threads === 1 ? "Thread" : "Threads"}, torch ${cost.torch}, ${cost.date}.`,
  other: (d) => `Diese Zeiten wurden mit d = ${d} gemessen.`,
  unsteady: (times) =>
    `In einer von vier Messungen dauerte derselbe Aufruf ${times}-mal so lang wie ein anderes Mal oder länger: Diese ` +
    "Maschine war mit anderem beschäftigt. Diesen Zeiten ist nicht zu trauen; miss noch einmal, wenn sie ruhig ist.",
  timesChart: "Zeit nach Länge",
  timesLabel: (cost) =>
    `Beide Achsen logarithmisch, ${cost.lengths[0]} bis ${cost.lengths.at(-1)} Token. Die Tabelle darunter hat jede Zahl.`,
  timesTable: "Gemessene Zeiten",
  countedHere: "Multiplikationen mit Addition",
  compare: (n, work, time) =>
    `Bei ${n} Token multipliziert und addiert die rekurrente Schicht (ein LSTM) ${times(work)}-mal so viel wie ` +
    `Selbstaufmerksamkeit mit ihren Projektionen, und braucht ${times(time)}-mal so lange. ` +
    (time > work
      ? "Was eine Zählung nicht zeigt, ist das Warten: Ihre Schritte können nicht nebeneinander laufen."
      : "Hier kostet sie das Warten nichts extra."),
  claims: "Prüfe diese Behauptungen",
  parallel: {
    claim: "„Aufmerksamkeit braucht konstante Zeit, weil sie parallel ist.“",
    answer: (n, rows) =>
      `Konstant ist die Zahl der Schritte, die warten: 1, wo Rekurrenz ${grouped(n)} hat. Die Arbeit ist es nicht: ` +
      `${grouped(rows[0].operations)} Operationen für ${grouped(n)} Token, ` +
      `${grouped(4 * rows[0].operations)} für doppelt so viele. Nur ein Rechner mit ebenso vielen Prozessoren könnte sie ` +
      "auf einmal ausführen.",
    clock: (a, b, first, second) =>
      `Hier gemessen: ${duration(first)} für ${grouped(a)} Token, ${duration(second)} für ${grouped(b)}.`,
  },
  infinite: {
    claim: "„Aufmerksamkeit sieht unendlich weit.“",
    answer: (n, heads) =>
      `Je zwei dieser ${grouped(n)} Token sind einen Schritt voneinander entfernt, und kein Zustand muss das erste bis zum ` +
      `letzten tragen. Aber jede Schicht hält ${heads} × ${grouped(n)} × ${grouped(n)} Gewichte, ` +
      `${bytes(4 * heads * n * n)}; bei ${grouped(100_000)} Token wären es ${bytes(4 * heads * 1e10)}.`,
    table: (most) =>
      `Und dieses Modell kennt ${grouped(most)} Positionen: Einen längeren Satz kann es gar nicht lesen.`,
  },
  window: {
    claim: "„Beschränkte Aufmerksamkeit ist dasselbe, nur billiger.“",
    answer: (n, r, ratio, plain) =>
      r >= n
        ? `Dein Fenster von ${grouped(r)} deckt alle ${grouped(n)} Token ab; hier wird also nichts gespart und nichts verloren.`
        : `Sie braucht hier ${times(ratio)}-mal weniger Operationen und zahlt mit Abstand: Das erste und das letzte Wort ` +
          `begegnen sich erst nach ${grouped(plain)} Schichten statt nach 1.`,
  },
};
