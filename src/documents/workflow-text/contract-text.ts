import type { ResolvableInput, Workflow } from "../catalog.js";
import { collapseSpace } from "./contract-parts.js";

/**
 * Maximum characters per segment, without its label. Segments are ordered so that the most important ones survive a
 * model's token limit. Names of required inputs are never omitted, so many long names may exceed their budget.
 */
export const contractBudgets = {
  NAME: 160,
  DESCRIPTION: 400,
  EXCLUDES: 480,
  REQUIRES: 480,
  CAPABILITIES: 320,
  EFFECT: 20,
  EXAMPLES: 320,
} as const;
export type ContractSegment = keyof typeof contractBudgets;

export interface ContractText {
  readonly text: string;
  /** Segments that did not fit into their budget. */
  readonly cut: readonly ContractSegment[];
}

/**
 * Writes a whole workflow as one text for a cross-encoder: one line `LABEL: content` for each non-empty segment, with
 * white space collapsed.
 */
export function contractText(workflow: Workflow): ContractText {
  const fitted: Readonly<Record<ContractSegment, FittedText>> = {
    NAME: oneText(workflow.name, contractBudgets.NAME),
    DESCRIPTION: oneText(workflow.description, contractBudgets.DESCRIPTION),
    EXCLUDES: equalShares(collapsed(workflow.exclusions), contractBudgets.EXCLUDES),
    REQUIRES: requiredInputs(workflow.required_inputs, contractBudgets.REQUIRES),
    CAPABILITIES: firstItems(collapsed(workflow.capabilities), contractBudgets.CAPABILITIES),
    EFFECT: oneText(workflow.side_effect.replaceAll("_", " "), contractBudgets.EFFECT),
    EXAMPLES: firstItems(collapsed(workflow.examples), contractBudgets.EXAMPLES),
  };
  const segments = (Object.keys(contractBudgets) as ContractSegment[]).filter((label) => fitted[label].text !== "");
  return {
    text: segments.map((label) => `${label}: ${fitted[label].text}`).join("\n"),
    cut: segments.filter((label) => fitted[label].cut),
  };
}

const collapsed = (texts: readonly string[]): readonly string[] =>
  texts.map(collapseSpace).filter((text) => text !== "");

function oneText(text: string, budget: number): FittedText {
  const whole = collapseSpace(text);
  const fitting = cutText(whole, budget);
  return { text: fitting, cut: fitting !== whole };
}

/** `name: description` for every input. All names are included; the descriptions share the remaining budget. */
function requiredInputs(inputs: readonly ResolvableInput[], budget: number): FittedText {
  const described = inputs.map(({ name, description }) => ({ name, description: collapseSpace(description) }));
  const bare = described.map(({ name, description }) => (description === "" ? name : `${name}: `)).join("; ");
  const share = largestShare(
    described.map(({ description }) => description.length),
    budget - bare.length,
  );
  const fitting = described.map(({ name, description }) => ({ name, description: cutText(description, share) }));
  return {
    text: fitting.map(({ name, description }) => (description === "" ? name : `${name}: ${description}`)).join("; "),
    cut: fitting.some(({ description }, index) => description !== described[index]?.description),
  };
}

/** Separates the items of a list. */
const separator = "; ";

/** A text that fits its budget, and whether something was left out. */
interface FittedText {
  readonly text: string;
  readonly cut: boolean;
}

/**
 * Cuts a text to at most `budget` characters (UTF-16 units). Cuts between words if that uses at least half of the
 * budget, and never inside a character.
 */
export function cutText(text: string, budget: number): string {
  if (text.length <= budget) return text;
  const head = text.slice(0, budget);
  const lastSpace = text[budget] === " " ? budget : head.lastIndexOf(" ");
  if (lastSpace > 0 && 2 * lastSpace >= budget) return head.slice(0, lastSpace);
  return head.replace(/[\uD800-\uDBFF]$/, "");
}

/** As many leading items as fit, each one whole. */
export function firstItems(items: readonly string[], budget: number): FittedText {
  let text = "";
  for (const item of items) {
    const longer = text === "" ? item : text + separator + item;
    if (longer.length > budget) return { text: text === "" ? cutText(item, budget) : text, cut: true };
    text = longer;
  }
  return { text, cut: false };
}

/** Every item in order; if they do not all fit, long items are cut to an equal share. */
export function equalShares(items: readonly string[], budget: number): FittedText {
  const whole = items.join(separator);
  if (whole.length <= budget) return { text: whole, cut: false };
  const share = largestShare(
    items.map((item) => item.length),
    budget - separator.length * (items.length - 1),
  );
  const shortened = items.map((item) => cutText(item, share)).filter((item) => item !== "");
  return { text: shortened.join(separator), cut: true };
}

/** The largest s such that the sum of min(length, s) is at most `budget`; at least 0. */
export function largestShare(lengths: readonly number[], budget: number): number {
  let left = budget;
  let share = 0;
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    share = Math.floor(left / (lengths.length - index));
    if (length > share) break;
    left -= length;
  }
  return Math.max(0, share);
}
