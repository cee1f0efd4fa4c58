/** The functions of saccade.layers.position that compute positions, by their kind. */
export const MADE_BY = {
  sinusoidal: "sinusoids",
  halves: "halved_sinusoids",
  tensor2tensor: "tensor2tensor_sinusoids",
};
