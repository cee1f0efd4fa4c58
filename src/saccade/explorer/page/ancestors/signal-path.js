/**
 * How a signal gets from one word to another: every place of a sentence is a node, every way to move a line between
 * nodes, and the shortest way is found by search. Nothing here knows a system by name; a `Shape` says how it moves.
 *
 * Only moves are counted: a recurrent step, a window of a convolution, a look of attention, handing the source over.
 * What a place computes for itself, and going up a layer without moving, costs nothing.
 */

/**
 * @typedef {object} Side how one side moves along its sentence
 * @property {"steps" | "windows" | "looks"} moves
 * @property {number} layers
 * @property {boolean} waits whether a place needs the place before it, so that they cannot be computed together
 * @property {number[]} kernels widths of the windows, from the first layer on; empty for others
 * @property {boolean} centred windows: whether a place keeps its place; false: columns become fewer
 * @property {number | null} reach looks: how far to each side; null: everywhere
 * @property {boolean} both looks: to both sides; false: only what comes later looks at what came before
 * @property {number[][]} orders steps: for each chain the places in the order in which it reads; empty: from left to
 *   right
 * @property {boolean} feeds whether the first layer also waits for what the last one made of the word before
 */

/**
 * @typedef {object} Shape
 * @property {Side} reading
 * @property {Side} writing
 * @property {"looks" | "vector" | "places"} bridge what the writer may read of the source: any state, one vector, or
 *   the
 *   one vector that was made for its place
 * @property {boolean} always whether it may do so at every word, and not only before the first
 * @property {boolean} carries whether the reader's last state is the writer's first, besides
 * @property {((target: number) => [number, number]) | null} window the first and last place a look may see
 */

/** @typedef {{side: "source" | "vector" | "target", place: number, level: number}} Spot */
/** @typedef {{hops: number, ways: Spot[][], meeting: Spot}} Found */

/** @typedef {{id: string, spot: Spot, next: () => [string, number][]}} Node */

/**
 * Dijkstra where every way costs 0 or 1.
 * @param {any} nodes @param {string} start
 */
function distances(nodes, start) {
  /** @type {Map<string, {hops: number, from: string | null}>} */
  const known = new Map([[start, { hops: 0, from: null }]]);
  let front = [start];
  const done = new Set();
  while (front.length) {
    /** @type {any[]} */
    const later = [];
    for (let at = 0; at < front.length; at++) {
      const id = front[at];
      if (done.has(id)) continue;
      done.add(id);
      const { hops } = /** @type {{hops: number}} */ (known.get(id));
      for (const [to, cost] of nodes.get(id).next()) {
        if (!nodes.has(to) || done.has(to)) continue;
        const before = known.get(to);
        if (before && before.hops <= hops + cost) continue;
        known.set(to, { hops: hops + cost, from: id });
        (cost ? later : front).push(to);
      }
    }
    front = later;
  }
  return known;
}

/**
 * The nodes on the way to one, from the start on.
 * @param {Map<string, any>} nodes
 * @param {any} known
 * @param {any} end
 */
function way(nodes, known, end) {
  const spots = [];
  for (let id = end; id !== null; id = known.get(id).from) spots.unshift(nodes.get(id).spot);
  return spots;
}

/** How many levels of states a side has: those of windows are told apart, others need none. @param {Side} side */
const levels = (side) =>
  side.moves === "windows" ? side.kernels.length : side.moves === "looks" && side.reach !== null ? side.layers : 1;

/**
 * How many columns a level of windows has.
 * @param {Side} side
 * @param {number} length
 * @param {number} level
 */
function columns(side, length, level) {
  if (side.moves !== "windows" || side.centred) return length;
  let left = length;
  for (const width of side.kernels.slice(0, level)) left -= width - 1;
  return Math.max(1, left);
}

/**
 * The chains of a side that steps.
 * @param {Side} side
 * @param {number} length
 */
const orders = (side, length) => (side.orders.length ? side.orders : [Array.from({ length }, (_, i) => i)]);

/**
 * The reader's states, from its words (level 0) to what it hands over.
 * @param {Side} side
 * @param {number} length
 * @param {(place: number) => [string, number][]} out what leaves the last level
 */
function reader(side, length, out) {
  /** @type {Map<string, Node>} */
  const nodes = new Map();
  /** @param {string} id @param {number} level @param {number} place @param {any} next */
  const add = (id, level, place, next) => nodes.set(id, { id, spot: { side: "source", place, level }, next });
  const top = levels(side);
  if (side.moves === "steps") {
    const chains = orders(side, length);
    for (let i = 0; i < length; i++) {
      add(`s0:${i}`, 0, i, () => chains.map((_, chain) => [`r${chain}:${i}`, 0]));
      add(`s1:${i}`, 1, i, () => out(i));
    }
    chains.forEach((order, chain) =>
      order.forEach((place, at) =>
        add(`r${chain}:${place}`, 1, place, () => [
          [`r${chain}:${order[at + 1]}`, 1],
          [`s1:${place}`, 0],
        ]),
      ),
    );
    return nodes;
  }
  for (let level = 0; level <= top; level++) {
    for (let i = 0; i < columns(side, length, level); i++) {
      add(`s${level}:${i}`, level, i, () => {
        if (level === top) return out(i);
        return reached(side, length, level, i).map((to) => [
          `s${level + 1}:${to}`,
          side.moves === "windows" && !side.centred ? 1 : Number(to !== i),
        ]);
      });
    }
  }
  return nodes;
}

/**
 * The places of the next level that hear of a place of this one.
 * @param {Side} side
 * @param {number} length
 * @param {number} level
 * @param {number} place
 */
function reached(side, length, level, place) {
  let [from, to] = [0, length - 1];
  if (side.moves === "windows") {
    const width = side.kernels[level];
    // A window of width k around a place sees (k - 1) / 2 to each side, the longer half before it.
    [from, to] = side.centred
      ? [place - Math.floor((width - 1) / 2), place + Math.ceil((width - 1) / 2)]
      : [place - width + 1, place];
    const count = columns(side, length, level + 1);
    [from, to] = [Math.max(0, Math.min(from, count - 1)), Math.min(to, count - 1)];
  } else {
    if (side.reach !== null) [from, to] = [Math.max(from, place - side.reach), Math.min(to, place + side.reach)];
    if (!side.both) from = place; // only what comes later looks back at this place
  }
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}

/**
 * The fewest moves until one state of the reader has heard of both words; null where none ever has.
 * @param {Shape} shape @param {number} length tokens of the source @param {number} first @param {number} second
 * @returns {Found | null}
 */
export function meeting(shape, length, first, second) {
  const nodes = reader(shape.reading, length, () => []);
  const [left, right] = [distances(nodes, `s0:${first}`), distances(nodes, `s0:${second}`)];
  let best = null;
  for (const [id, { spot }] of nodes) {
    if (!left.has(id) || !right.has(id) || spot.level === 0) continue;
    // Every window is a layer: what waits in its place for a neighbour to come nearer goes through it as well.
    const hops =
      shape.reading.moves === "windows"
        ? spot.level
        : Math.max(/** @type {any} */ (left.get(id)).hops, /** @type {any} */ (right.get(id)).hops);
    const sum = /** @type {any} */ (left.get(id)).hops + /** @type {any} */ (right.get(id)).hops;
    if (!best || hops < best.hops || (hops === best.hops && sum < best.sum)) best = { id, hops, sum };
  }
  if (!best) return null;
  return {
    hops: best.hops,
    ways: [way(nodes, left, best.id), way(nodes, right, best.id)],
    meeting: /** @type {any} */ (nodes.get(best.id)).spot,
  };
}

/**
 * Windows fold the source into groups and unfold these again, each by as much: the vector for a place has heard of the
 * words that are at most half of all that apart. Places beyond the source have its last vector.
 * @param {Map<string, any>} nodes
 * @param {any} reading
 * @param {number} length
 * @param {number} place
 * @param {any} rows
 */
function fold(nodes, reading, length, place, rows) {
  const reach =
    reading.kernels.reduce((/** @type {any} */ sum, /** @type {number} */ kernel) => sum + kernel - 1, 0) / 2;
  const heard = rows.filter((/** @type {number} */ t) => Math.abs(place - Math.min(t, length - 1)) <= reach);
  nodes.get(`s0:${place}`).next = () => heard.map((/** @type {number} */ t) => [`f:${t}`, 1]);
  for (const t of heard) {
    const spot = /** @type {Spot} */ ({ side: "source", place: Math.min(t, length - 1), level: 1 });
    nodes.set(`f:${t}`, { id: `f:${t}`, spot, next: () => [[`t:${t}`, 1]] });
  }
}

/**
 * The fewest moves from a word of the source to the choice of a word of the target; null where there is no way.
 * @param {Shape} shape @param {number} length tokens of the source @param {number} place @param {number} target row t
 * @returns {Found | null}
 */
export function crossing(shape, length, place, target) {
  const { reading, writing, bridge } = shape;
  const ends = reading.moves === "steps" ? orders(reading, length).map((order) => order.at(-1)) : [];
  const rows = Array.from({ length: target + 1 }, (_, t) => t);
  const nodes = reader(reading, length, (i) => {
    /** @type {[string, number][]} */
    const ways = [];
    if (bridge === "looks") {
      for (const t of rows) {
        const [from, to] = shape.window ? shape.window(t) : [0, length - 1];
        if (from <= i && i <= to) ways.push([`t:${t}`, 1]);
      }
    }
    if (bridge === "vector" && (i === ends[0] || reading.moves !== "steps")) ways.push(["v", 0]);
    if (shape.carries && ends.includes(i)) ways.push(["t:0", 1]);
    return ways;
  });
  if (bridge === "places") fold(nodes, reading, length, place, rows);
  if (bridge === "vector") {
    const next = () => (shape.always ? rows : [0]).map((t) => /** @type {[string, number]} */ ([`t:${t}`, 1]));
    nodes.set("v", { id: "v", spot: { side: "vector", place: 0, level: 1 }, next });
  }
  for (const t of rows) {
    const later = () => {
      if (writing.moves === "steps") return [t + 1];
      if (writing.moves === "looks")
        return rows.slice(t + 1, writing.reach === null ? undefined : t + 1 + writing.reach);
      return rows.slice(t + 1, t + Math.max(...writing.kernels));
    };
    nodes.set(`t:${t}`, {
      id: `t:${t}`,
      spot: { side: "target", place: t, level: 1 },
      next: () => later().map((to) => [`t:${to}`, 1]),
    });
  }
  const known = distances(nodes, `s0:${place}`);
  const end = `t:${target}`;
  return known.has(end)
    ? {
        hops: /** @type {any} */ (known.get(end)).hops,
        ways: [way(nodes, known, end)],
        meeting: /** @type {any} */ (nodes.get(end)).spot,
      }
    : null;
}

/**
 * The longest chain of layers that wait for each other:
 * a stack of L layers that steps through n words needs n + L - 1, since a layer may begin when the one below has begun,
 * and n L where the first layer waits for the last; a stack that takes all words at once needs L.
 * Who writes must know a word before the next: a round of L layers for each word, for everybody.
 * @param {Shape} shape @param {number} source @param {number} target numbers of tokens
 */
export function waiting(shape, source, target) {
  /** @param {Side} side @param {number} length */
  const chain = (side, length) => {
    if (!side.waits) return side.layers;
    return side.feeds ? length * side.layers : length + side.layers - 1;
  };
  return {
    reading: chain(shape.reading, source),
    training: chain(shape.writing, target),
    writing: target * shape.writing.layers,
  };
}
