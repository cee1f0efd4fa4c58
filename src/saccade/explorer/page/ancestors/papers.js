/**
 * Eleven papers from 2013 to 2017: what stood in the way, what was done about it, in our words.
 *
 * A card knows its paper by the key under which the document lists it; title, authors, year and address come from
 * there. Equations are written as `page/ancestors/equation` reads them. `against` says what is new compared with an
 * earlier card, `before` which one that is.
 */
import { inLanguage } from "page/language/language";
import * as de from "page/words/de/papers";
import * as en from "page/words/en/papers";
import * as es from "page/words/es/papers";

/** @import { CardWords } from "page/words/en/papers" */

/** @typedef {{paper: string, equations: string[], before?: string} & CardWords} Card */

const { CARD_WORDS, DIFFERENCES } = inLanguage({ en, de, es });

/** @type {{paper: string, equations: string[], before?: string}[]} */
const EQUATIONS = [
  {
    paper: "kalchbrenner2013",
    equations: ["s_{i+1} = σ(R s_i + I e(y_i) + S f_i)"],
  },
  {
    paper: "cho2014",
    equations: ["\\hat{h}_t = tanh(W x_t + U (r_t ⊙ h_{t−1}))", "h_t = z_t ⊙ h_{t−1} + (1 − z_t) ⊙ \\hat{h}_t"],
    before: "kalchbrenner2013",
  },
  {
    paper: "sutskever2014",
    equations: ["c_t = f_t ⊙ c_{t−1} + i_t ⊙ g_t", "h_t = o_t ⊙ tanh(c_t)", "s_0 = h_n"],
    before: "cho2014",
  },
  {
    paper: "bahdanau2015",
    equations: ["e_{i j} = v^⊤ tanh(W s_{i−1} + U h_j)", "α_i = softmax(e_i)", "c_i = ∑_j α_{i j} h_j"],
    before: "sutskever2014",
  },
  {
    paper: "luong2015",
    equations: ["e_t(s) = h_t^⊤ W h_s", "\\tilde{h}_t = tanh(W_c [c_t ; h_t])", "p_t = S · σ(v^⊤ tanh(W_p h_t))"],
    before: "bahdanau2015",
  },
  {
    paper: "he2015",
    equations: ["y = x + F(x)"],
    before: "luong2015",
  },
  {
    paper: "cheng2016",
    equations: [
      "a_i^t = v^⊤ tanh(W_h h_i + W_x x_t + W_s \\tilde{h}_{t−1})",
      "[\\tilde{h}_t ; \\tilde{c}_t] = ∑_{i<t} softmax(a^t)_i [h_i ; c_i]",
    ],
    before: "bahdanau2015",
  },
  {
    paper: "daniluk2017",
    equations: ["h_t = [k_t ; v_t ; p_t]", "α_t = softmax(w^⊤ tanh(W_Y K_t + W_h k_t))", "r_t = V_t α_t"],
    before: "cheng2016",
  },
  {
    paper: "lin2017",
    equations: ["A = softmax(W_2 tanh(W_1 H^⊤))", "M = A H", "P = ‖A A^⊤ − I‖_F^2"],
    before: "cheng2016",
  },
  {
    paper: "gehring2017",
    equations: ["GLU(A, B) = A ⊙ σ(B)", "c_i^l = ∑_j α_{i j}^l (z_j + e_j)"],
    before: "luong2015",
  },
  {
    paper: "vaswani2017",
    equations: ["Attention(Q, K, V) = softmax(\\frac{Q K^⊤}{\\sqrt{d_k}}) V"],
    before: "gehring2017",
  },
];

/** @type {Card[]} */
export const CARDS = EQUATIONS.map((card) => ({ ...card, ...CARD_WORDS[card.paper] }));

export { DIFFERENCES };
