/** Was die Ansicht „Beam“ sagt. */
import { exponent, number, signed } from "page/beam/numbers";
import { percent } from "page/numbers/numbers";

/** @type {typeof import("page/words/en/beam").beam} */
export const beam = {
  box: { logp: "log p", sum: "Summe", score: "Score", token: "Token" },
  read: (node, piece) =>
    `Schritt ${node.t}, ${piece}, ${beam.states[node.state]}, Log-Wahrscheinlichkeit ${signed(node.logp, 4)}, Summe ` +
    `${signed(node.cum, 4)}`,
  more: (count) => `+ ${count} weitere`,
  heading: "Wie die Ausgabe gefunden wurde",
  lead: (size, steps) =>
    `Die Suche hielt ${size === 1 ? "den besten Anfang" : `die besten ${size} Anfänge`} ${steps} ` +
    `${steps === 1 ? "Schritt" : "Schritte"} lang am Leben. Eine Spalte ist ein Schritt, der ein Wort oder einen Teil davon schreibt; ` +
    "was bisher am wahrscheinlichsten ist, steht oben.",
  widthOne:
    "Bei einem Beam von 1 lebt nur ein Anfang weiter, aber die Suche merkt sich jede Stelle, an der die Ausgabe hätte enden " +
    "können, und gibt das Ende mit dem besten Score zurück.",
  noSearch: {
    force:
      "Es gab keine Suche: Diese Ausgabe war vorgegeben, und das Modell sagte nur, wie wahrscheinlich jedes Wortstück ist.",
    sample: "Es gab keine Suche: Jedes Wortstück dieser Ausgabe wurde zufällig gezogen.",
    other: "Hinter dieser Ausgabe stand keine Suche.",
  },
  noSearchPicture:
    "Unten steht diese eine Ausgabe, und in Grau, was sonst noch in jedem Schritt wahrscheinlich war; das wurde nie verfolgt.",
  runSearch: "Stattdessen suchen",
  prefixed: "Die Ausgabe musste beginnen mit:",
  freely: "Wieder frei suchen",
  size: "Breite des Beams",
  legendOf: "Was die Kästen bedeuten",
  legend: {
    winner: "auf dem Siegerweg",
    kept: "behalten, geht weiter",
    finished: "zu Ende",
    pruned: "verworfen, zu unwahrscheinlich",
    given: "die Ausgabe",
    alternative: "auch wahrscheinlich, nie verfolgt",
  },
  roleOf: "Suchbaum",
  picture: (steps, rows) => `Die Suche: ${steps} Schritte, bis zu ${rows} Knoten in jedem`,
  help:
    "Links geht zu dem, was ein Knoten fortsetzt, rechts zu seiner besten Fortsetzung, auf und ab im selben Schritt, Enter " +
    "liest den Knoten vor.",
  step: (t) => `Schritt ${t}`,
  start: "Anfang",
  pruned: {
    label: "Verworfene Knoten",
    alternatives: "Alternativen",
    none: "keine",
    few: "3 je Schritt",
    all: "alle, die da sind",
  },
  columns: {
    step: "Schritt",
    rank: "Rang",
    piece: "Wortstück",
    state: "Zustand",
    logp: "log p",
    cum: "Summe",
    score: "Score",
    after: "Nach",
  },
  states: { root: "Anfang", kept: "behalten", pruned: "verworfen", finished: "zu Ende" },
  tableCaption: "Jeder Knoten des Bildes",
  tableCut: (shown, all) => `Das sind die ersten ${shown} von ${all} Knoten; die CSV-Datei hat alle.`,
  caption: (size, alpha) => `Beam ${size}, Längenstrafe mit alpha ${alpha}`,
  tools: { table: "Als Bild oder als Tabelle zeigen", asTable: "Tabelle", asPicture: "Bild" },
  node: {
    heading: "Dieser Knoten",
    none: "Wähle einen Knoten: Hier steht dann, was bis zu ihm geschrieben wurde und wie sein Score zustande kommt.",
    root: "Hier beginnt alles: Nichts ist geschrieben, und die Summe ist 0.",
    written: "Bisher geschrieben",
    piece: "Wortstück",
    logp: "log p",
    chance: (p) => `eine Wahrscheinlichkeit von ${percent(p)}`,
    digits: (before, logp, cum) => `${signed(before, 4)} + (${signed(logp, 4)}) = ${signed(cum, 4)}`,
    sum: "Summe",
    penalty: "Längenstrafe",
    penaltyDigits: (length, alpha, lp, rule) =>
      `${rule === "power" ? length : `((5 + ${length}) / 6)`}^${exponent(alpha)} = ${number(lp, 4)}`,
    score: "Score",
    scoreDigits: (cum, lp, score) => `${signed(cum, 4)} / ${number(lp, 4)} = ${signed(score, 4)}`,
    rank: (rank) => `Nummer ${rank} aller Kandidaten seines Schritts.`,
    short: (gap) => `Den letzten Platz hat er um ${number(gap, 4)} verfehlt.`,
    winning: "Er liegt auf dem Siegerweg.",
    fates: {
      kept: "Behalten: Von hier ging die Suche weiter.",
      pruned: "Verworfen: Von hier ging die Suche nicht weiter.",
      finished: "Zu Ende: Hier endete die Ausgabe.",
    },
    forced: {
      kept: "Geschrieben, weil es vorgegeben war.",
      pruned: "Auch wahrscheinlich, aber nicht das Vorgegebene.",
      finished: "Das Ende des Vorgegebenen.",
    },
    path: (count) => (count === 1 ? "Das eine Wortstück bis hierher" : `Alle ${count} Wortstücke bis hierher`),
    id: "Nummer des Tokens",
    number: "Nummer des Knotens",
    continue: "Von hier fortsetzen",
    continueHelp: "Noch einmal suchen, mit allem bis zu diesem Knoten fest vorgegeben",
    inside: "In diese Ausgabe hineinsehen",
    insideHelp: "Dem Modell genau diesen Text geben und sehen, wohin jedes Wortstück schaut",
    pieces:
      "Das Geschriebene wird als Text übergeben; mitten in einem Wort kann es in andere Wortstücke zerlegt werden.",
    attention: "Sehen, wohin dieses Wortstück geschaut hat",
    offline:
      "Hinter dieser Datei steht kein Modell: Öffne den Satz mit „saccade explore MODEL“, um von einem Knoten aus " +
      "weiterzumachen.",
  },
  finished: {
    heading: "Fertige Ausgaben",
    unfinished: "Keine Ausgabe endete innerhalb der Grenze; dies hatte die Suche geschrieben, als sie anhalten musste.",
    caption: "Ausgaben, geordnet nach log P geteilt durch die Längenstrafe",
    alpha: "alpha der Längenstrafe",
    reset: (alpha) => `Zurück zu ${alpha}`,
    alphaIs: (value) => `alpha ${value}`,
    rerun: "Mit diesem alpha noch einmal suchen",
    columns: {
      now: "Jetzt",
      before: "Bei der Suche",
      text: "Ausgabe",
      length: "Wortstücke",
      cum: "log P",
      p: "Wahrscheinlichkeit",
      lp: "Strafe",
      score: "Score",
    },
    same: (alpha) => `Mit alpha ${alpha} gewinnt dieselbe Ausgabe wie bei der Suche.`,
    asSearched: (alpha) =>
      `Die Suche benutzte alpha ${alpha}. Verschiebe den Regler: Ein größeres verzeiht Länge eher.`,
    other: (alpha, text, was) => `Mit alpha ${alpha} gewinnt eine andere Ausgabe: „${text}“ statt „${was}“.`,
    ranges: "Wer bei welchem alpha gewinnt",
    range: (from, to) => `${from.toFixed(2)} bis ${to.toFixed(2)}`,
    more: (count) =>
      `${count} weitere endeten und haben einen kleineren Score; zeige alle verworfenen Knoten, um sie aufzuführen.`,
    caution:
      "Das ordnet neu, was die Suche gefunden hat, ohne zu decodieren. Eine Suche mit anderem alpha kann auch zu anderer Zeit " +
      "enden und Ausgaben finden, die nicht in dieser Liste stehen.",
    coverage:
      "Die Suche berechnete auch etwas für Quellwörter, auf die nichts geschaut hat; das steckt nicht in diesen Scores.",
    again: "derselbe Text in anderen Wortstücken",
    empty: "(nichts)",
  },
};
