/** Whole numbers with their thousands apart. */
import { language } from "page/language/language";

/** A comma would be a decimal comma to most of the world; English alone has it between thousands. */
const BETWEEN = language === "en" ? "," : "\u202f";

/** 1,234,567. @param {number} value */
export const thousands = (value) =>
  value.toLocaleString("en-US", { maximumFractionDigits: 0 }).replaceAll(",", BETWEEN);
