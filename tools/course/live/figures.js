/** The live figures by the name of the picture that they stand for. */
import { afterThePaper } from "course/after-the-paper";
import { convolution } from "course/convolution";
import { countingWords } from "course/counting-words";
import { encoderDecoder } from "course/encoder-decoder";
import { forgetting } from "course/forgetting";
import { headsAndPositions } from "course/heads-and-positions";
import { perceptrons } from "course/perceptrons";
import { recurrence } from "course/recurrence";
import { scoresAndAlignments } from "course/scores-and-alignments";
import { theTransformer } from "course/the-transformer";
import { whatEachIdeaBought } from "course/what-each-idea-bought";

export const FIGURES = {
  "counting-words": countingWords,
  perceptrons,
  recurrence,
  forgetting,
  "encoder-decoder": encoderDecoder,
  "scores-and-alignments": scoresAndAlignments,
  convolution,
  "heads-and-positions": headsAndPositions,
  "the-transformer": theTransformer,
  "what-each-idea-bought": whatEachIdeaBought,
  "after-the-paper": afterThePaper,
};
