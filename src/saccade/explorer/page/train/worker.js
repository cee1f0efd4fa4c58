/**
 * The worker in which a training runs: it trains while it is told to, and answers what it is asked.
 *
 *   asked     {start: Settings}, {run: true | false}, {step: true}, {look: {source, step}}
 *   answered  {progress: Progress}, {look: Look}
 *
 * Between two rounds of training it lets messages in.
 */
import { Trainer } from "page/train/trainer";

/** Milliseconds of training between two messages. */
const ROUND = 100;

/** @type {Trainer} */
let trainer;
let running = false;
/** Of the last batch. @type {number | null} */
let loss = null;
/** Steps a second. @type {number | null} */
let speed = null;

addEventListener("message", ({ data }) => {
  if (data.start) trainer = new Trainer(data.start);
  const begins = data.run && !running;
  if (data.run !== undefined) running = data.run;
  if (data.step) loss = trainer.step();
  if (data.look) postMessage({ look: trainer.look(data.look.source, data.look.step) });
  else if (begins) round();
  else tell();
});

function round() {
  if (!running) return;
  const from = performance.now();
  const before = trainer.steps;
  while (performance.now() < from + ROUND) loss = trainer.step();
  speed = ((trainer.steps - before) * 1000) / (performance.now() - from);
  tell();
  setTimeout(round);
}

function tell() {
  const { steps: step, points, rate, network } = trainer;
  postMessage({ progress: { step, running, loss, speed, rate, parameters: network.parameters.count, points } });
}
