/** Was die Ansicht „Position“ sagt. */
import { digits, short } from "page/numbers/numbers";
import { MADE_BY } from "page/position/made-by";

/** @type {typeof import("page/words/en/position").POSITION} */
export const POSITION = {
  title: "Wo ein Wort steht",
  lede:
    "Aufmerksamkeit addiert Werte, und eine Summe kennt die Reihenfolge ihrer Summanden nicht. Darum bekommt jedes Wort " +
    "einen zweiten Vektor, der nur sagt, wo es steht, addiert zu dem, der sagt, was es ist.",
  kinds: {
    sinusoidal: "Diese Positionen werden berechnet: Sinus und Kosinus immer längerer Wellen, und nichts zu lernen.",
    halves: "Diese Positionen werden berechnet: Sinus und Kosinus des Papers, erst alle Sinus, dann alle Kosinus.",
    tensor2tensor:
      "Diese Positionen werden berechnet wie im Code der Autoren selbst: erst alle Sinus, dann alle Kosinus.",
    learned:
      "Diese Positionen wurden gelernt, wie die Vektoren der Wörter: Es gibt keine Formel, nur was das Training " +
      "hinterlassen hat. Zeilen, denen ein Modell kaum begegnet ist, bleiben nahe an ihrem Anfang.",
  },
  other: (kind) => `Die Positionen dieses Modells sind von der Art „${kind}“.`,
  heat: "Die Tabelle der Positionen",
  heatLabel: (rows, width, pos, dim) =>
    `${rows} Positionen mal ${width} Plätze des Vektors, von -1 blau bis 1 orange. Gewählt: Position ${pos}, Platz ${dim}.`,
  rows: "Position",
  columns: "Platz im Vektor",
  pos: "Position",
  dim: "Platz im Vektor",
  wave: (dim) => `Die Welle an Platz ${dim}`,
  waveLabel: (dim, length) =>
    `Wie sich Platz ${dim} von Position zu Position ändert${length ? `: eine Welle von ${length} Positionen` : ""}. Die ` +
    "Punkte sind die Tabelle des Modells.",
  learnedWave: (dim) => `Platz ${dim} von Position zu Position`,
  length: (length, rows) =>
    length > rows
      ? `Eine Welle braucht ${short(length)} Positionen: Über diese Tabelle hin krümmt sie sich kaum.`
      : `Eine Welle braucht ${short(length)} Positionen.`,
  spelled: (pos, dim, inside, name, value) => ["PE(", pos, ", ", dim, ") = ", name, "(", inside, ") = ", value],
  agrees: (rows, width, error) =>
    `Hier neu berechnet: Alle ${rows} × ${width} Zahlen der Modelltabelle stimmen auf ${short(error)} mit der Formel überein.`,
  exactly: "Hier neu berechnet: Jede Zahl stimmt.",
  dots: "Wie ähnlich sich zwei Positionen sind",
  dotsLead:
    "Das Skalarprodukt zweier Zeilen der Tabelle. Eine Anfrage, die ihre Position in sich trägt, kann daran einen Schlüssel finden.",
  dotsTitle: "Skalarprodukte zwischen Positionen",
  distance: "Skalarprodukt nach Abstand",
  distanceLabel: (first, last, far) => `Von ${first} bei Abstand 0 bis ${last} bei Abstand ${far}.`,
  steady: (spread) =>
    `Gleich weit entfernte Paare haben überall dasselbe Produkt, auf ${short(spread)} genau: Mit diesen Wellen erkennt man ` +
    "eine Position am Abstand.",
  unsteady: (spread) =>
    `Gleich weit entfernte Paare unterscheiden sich um bis zu ${short(spread)}: Eine gelernte Tabelle schuldet dem Abstand nichts.`,
  axes: { pos: "Position", value: "Zahl in der Tabelle", distance: "Abstand in Positionen", product: "Skalarprodukt" },
  table: "Tabelle",
  formula: "Formel",
  code: (name, rows, width, kind) =>
    kind === "learned"
      ? `${name} [${rows}, ${width}] = die ersten ${rows} Zeilen von saccade.layers.position.LearnedPositions.table`
      : `${name} [${rows}, ${width}] = ` +
        `saccade.layers.position.${MADE_BY[/** @type {keyof typeof MADE_BY} */ (kind)]}(${rows}, ${width})`,
  shuffle: "Der Mischtest",
  shuffleLead:
    "Die Wörter werden in eine andere Reihenfolge gebracht, und der Encoder liest sie noch einmal. Käme es auf die " +
    "Reihenfolge nicht an, bekäme jedes Wort denselben Vektor wie zuvor, nur an anderer Stelle.",
  before: "wie geschrieben",
  after: "gemischt",
  without: "ohne Positionen",
  with: "mit Positionen",
  difference: "größter Unterschied einer Zahl, die der Encoder weitergibt",
  verdict: (without, withPositions) =>
    `Ohne Positionen ändert sich nichts als die Rundung (${short(without)}); mit ihnen bewegen sich die Vektoren um bis zu ` +
    `${digits(withPositions, 3)}. Die Reihenfolge kommt allein durch die Positionen hinein.`,
  ordered: (without) =>
    `Auch ohne Positionen bewegen sich die Vektoren um bis zu ${digits(without, 3)}: Dieser Encoder kennt die Reihenfolge von selbst.`,
  untested: "Für diesen Satz wurde der Test nicht gemacht.",
  noOrder: "Ein einziges Wortstück hat nur eine Reihenfolge: Nimm einen längeren Satz.",
  untestable: "Aus diesem Modell lassen sich keine Positionsvektoren weglassen; darum gibt es nichts zu vergleichen.",
  noEncoder:
    "Dieses Modell hat keinen Encoder. Es liest seine eigenen Wörter eins nach dem anderen, und keins sieht ein späteres: " +
    "Schon das sagt ihm etwas über ihre Reihenfolge.",
  unavailable:
    "Diese Datei enthält den Mischtest nicht. saccade explore MODEL macht ihn auf Wunsch; ein Export mit --detail all " +
    "enthält ihn.",
  missing:
    "Diese Datei enthält die Tabelle der Positionen nicht. Öffne das Modell mit saccade explore MODEL, oder exportiere mit " +
    "--detail all.",
  none: "Dieses Modell hat keine Vektoren für Positionen",
  why: {
    recurrent:
      "Es braucht sie nicht: Es liest ein Wort nach dem anderen, und was es von Schritt zu Schritt trägt, ist den Wörtern in " +
      "dieser Reihenfolge begegnet. In anderer Reihenfolge ist jeder Zustand ein anderer.",
    convolution:
      "Eine Faltung sieht ihre Nachbarn an festen Plätzen ihres Fensters, links und rechts getrennt. Die Reihenfolge steckt " +
      "in den Gewichten des Fensters.",
    attention:
      "Aufmerksamkeit allein könnte eine Reihenfolge der Wörter nicht von einer anderen unterscheiden; hier kommt die " +
      "Reihenfolge auf anderem Weg hinein, oder gar nicht.",
    other: "Was es von der Reihenfolge weiß, weiß es durch die Art, wie es gebaut ist.",
  },
};
