/** Play: the decoding steps one after the other, until the last, a pause, or another sentence. */

/** @import { Context } from "page/types" */

const MILLISECONDS = 1500;

/** @type {ReturnType<typeof setInterval> | null} */
let timer = null;

/** Whether the steps are being played. */
export const isPlaying = () => timer !== null;

/** Stops playing. */
export function pause() {
  if (timer !== null) clearInterval(timer);
  timer = null;
}

/** Begins with the first step, or goes on with the next; stops where it was playing. @param {Context} context */
export function toggled(context) {
  if (isPlaying()) {
    pause();
    return;
  }
  const { trace, set } = context;
  const last = trace.steps.length - 1;
  const sentence = context.state.sentence;
  const next = () => {
    const { step, sentence: now } = context.state;
    if (now === sentence && step !== null && step < last) {
      set({ step: step + 1 });
      return;
    }
    pause();
    if (now === sentence) set({ step: null }); // all of them
  };
  const { step } = context.state;
  timer = setInterval(next, MILLISECONDS);
  set({ step: step === null || step >= last ? 0 : step + 1 });
}
