/** Drawing that leaves time for everything else: training must not wait for its own pictures. */

/** How long nothing is drawn, in multiples of what the last drawing took. */
const REST = 6;
/** Milliseconds between two drawings at least. */
const LEAST = 100;

/** A function that has `draw` called soon, once for all calls in the meantime. @param {() => void} draw */
export function paced(draw) {
  let waits = false;
  let next = 0;
  const now = () => {
    const from = performance.now();
    waits = false;
    draw();
    const to = performance.now();
    next = to + Math.max(LEAST, REST * (to - from));
  };
  return () => {
    if (waits) return;
    waits = true;
    setTimeout(now, Math.max(0, next - performance.now()));
  };
}
