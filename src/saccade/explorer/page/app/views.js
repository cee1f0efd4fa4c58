/** The views, in the order in which the page lists them. */
import ancestors from "page/ancestors/view";
import beam from "page/beam/view";
import cost from "page/cost/view";
import heads from "page/heads/view";
import heat from "page/heat/view";
import home from "page/home/view";
import model from "page/model/view";
import position from "page/position/view";
import quiz from "page/quiz/view";
import steps from "page/steps/view";
import train from "page/train/view";
import translate from "page/translate/view";

/** @import { View } from "page/types" */

/** @type {readonly View[]} */
export const views = [home, translate, steps, heads, heat, beam, ancestors, cost, position, model, train, quiz];
