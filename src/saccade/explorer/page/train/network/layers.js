/**
 * The layers of encoder and decoder: sub-layers, each as LayerNorm(x + Sublayer(x)) (section 3.1).
 *
 * The encoder layer has self-attention and a feed-forward network; the decoder layer has cross-attention between them.
 */
import { feedForward, transform } from "page/train/network/feed-forward";
import { attend, multiHead } from "page/train/network/multi-head";
import { norm, normalise } from "page/train/network/norm";
import { add } from "page/train/network/sum";

/** @import { AttentionOptions } from "page/train/network/attention" */
/** @import { Parameters } from "page/train/network/parameters" */

/** @typedef {ReturnType<typeof encoderLayer>} EncoderLayer */
/** @typedef {ReturnType<typeof decoderLayer>} DecoderLayer */

/** @param {Parameters} parameters @param {string} name @param {number} width @param {number} innerWidth */
export const encoderLayer = (parameters, name, width, innerWidth) => ({
  self: multiHead(parameters, `${name}.self`, width),
  selfNorm: norm(parameters, `${name}.self.norm`, width),
  ffn: feedForward(parameters, `${name}.ffn`, width, innerWidth),
  ffnNorm: norm(parameters, `${name}.ffn.norm`, width),
});

/** @param {Parameters} parameters @param {string} name @param {number} width @param {number} innerWidth */
export const decoderLayer = (parameters, name, width, innerWidth) => ({
  ...encoderLayer(parameters, name, width, innerWidth),
  cross: multiHead(parameters, `${name}.cross`, width),
  crossNorm: norm(parameters, `${name}.cross.norm`, width),
});

/** @param {EncoderLayer} layer @param {Float32Array} x @param {AttentionOptions} self */
export function encode(layer, x, self) {
  const looked = attend(layer.self, x, x, self);
  const first = normalise(layer.selfNorm, add(x, looked.y));
  const transformed = transform(layer.ffn, first.y);
  const second = normalise(layer.ffnNorm, add(first.y, transformed.y));

  /** At every sum the gradient goes both ways, and where two ways meet, gradients add. @param {Float32Array} dy */
  const backward = (dy) => {
    const dsecond = second.backward(dy);
    const dfirst = first.backward(add(dsecond, transformed.backward(dsecond)));
    const { dx, dmemory } = looked.backward(dfirst);
    return add(dfirst, add(dx, dmemory));
  };
  return { y: second.y, self: looked.weights, backward };
}

/**
 * @param {DecoderLayer} layer
 * @param {Float32Array} x
 * @param {Float32Array} memory  what the encoder hands over
 * @param {{self: AttentionOptions, cross: AttentionOptions}} options
 */
export function decode(layer, x, memory, { self, cross }) {
  const looked = attend(layer.self, x, x, self);
  const first = normalise(layer.selfNorm, add(x, looked.y));
  const aligned = attend(layer.cross, first.y, memory, cross);
  const second = normalise(layer.crossNorm, add(first.y, aligned.y));
  const transformed = transform(layer.ffn, second.y);
  const third = normalise(layer.ffnNorm, add(second.y, transformed.y));

  /** @param {Float32Array} dy */
  const backward = (dy) => {
    const dthird = third.backward(dy);
    const dsecond = second.backward(add(dthird, transformed.backward(dthird)));
    const ofCross = aligned.backward(dsecond);
    const dfirst = first.backward(add(dsecond, ofCross.dx));
    const ofSelf = looked.backward(dfirst);
    return { dx: add(dfirst, add(ofSelf.dx, ofSelf.dmemory)), dmemory: ofCross.dmemory };
  };
  return { y: third.y, self: looked.weights, cross: aligned.weights, backward };
}
