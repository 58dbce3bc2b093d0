import { kindOf } from "../../datasets/describe.js";

/** Whether a value is a valid request text of a dataset row: not blank, at most 8,000 characters. */
export function isUsableText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "" && value.length <= 8000;
}

/** Why a value is not a request text; the message does not repeat the value. */
export const unusableText = (value: unknown): string =>
  `found ${kindOf(value)}, expected a text of 1 to 8,000 characters`;
