/**
 * A random order that is the same everywhere: what torch.randperm makes of a seed.
 *
 * Numbers come from the Mersenne twister MT19937 (Matsumoto and Nishimura 1998); each place in turn changes places with
 * one that is not settled yet (Fisher and Yates).
 */

const [SIZE, MIDDLE] = [624, 397];

/** 32 random bits at each call. @param {number} seed */
function mersenneTwister(seed) {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let at = 1; at < SIZE; at++) {
    const last = state[at - 1];
    state[at] = Math.imul(1_812_433_253, last ^ (last >>> 30)) + at;
  }
  let at = SIZE;
  return () => {
    if (at === SIZE) {
      for (let place = 0; place < SIZE; place++) {
        const joined = (state[place] & 0x8000_0000) | (state[(place + 1) % SIZE] & 0x7fff_ffff);
        state[place] = state[(place + MIDDLE) % SIZE] ^ (joined >>> 1) ^ (joined & 1 ? 0x9908_b0df : 0);
      }
      at = 0;
    }
    let bits = state[at++];
    bits ^= bits >>> 11;
    bits ^= (bits << 7) & 0x9d2c_5680;
    bits ^= (bits << 15) & 0xefc6_0000;
    return (bits ^ (bits >>> 18)) >>> 0;
  };
}

/** The places from 0 on, in an order that the seed decides. @param {number} length @param {number} seed */
export function randomOrder(length, seed) {
  const draw = mersenneTwister(seed);
  const order = Array.from({ length }, (_, place) => place);
  for (let place = 0; place < length - 1; place++) {
    const other = place + (draw() % (length - place));
    [order[place], order[other]] = [order[other], order[place]];
  }
  return order;
}
