/** Was die Ansicht „Matrix“ sagt. */

/** @type {typeof import("page/words/en/heat").HEAT} */
export const HEAT = {
  heading: "Wohin jedes Wort schaut",
  axes: { writes: "schreibt", reads: "liest", word: "Wort", looks: "schaut auf", influenced: "beeinflusst von" },
  row: (read, written) => `liest ${read}, schreibt ${written}`,
  specials: "besonderen Token",
  influence: "der Einfluss der Wörter",
  allLayers: "Mittel aller Schichten",
  allHeads: "Mittel aller Köpfe",
  kind: "Art der Aufmerksamkeit",
  unit: "Einheit",
  units: { word: "Wörter", piece: "Wortstücke" },
  rows: "Zeilen nach dem geschriebenen Wort benannt",
  links: "Verbindungen einer Zeile",
  tuning: (changed) => `Filter und Farben${changed ? ` (${changed} geändert)` : ""}`,
  colours: "Farbskala",
  palette: "Palette",
  show: "Zeigen",
  everything: "alles",
  heaviest: (percent) => `die schwersten ${percent} % einer Zeile`,
  hide: "Besondere Token ausblenden",
  again: "Zeilen ergeben wieder eins",
  best: (layer, head) => `Kopf, der am besten zuordnet: Schicht ${layer}${head === null ? "" : `, Kopf ${head}`}`,
  picture: "Bild",
};
