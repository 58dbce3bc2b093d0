import type { ResolvableInput, Workflow } from "../domain/catalog.js";
import { collapseSpace } from "./contract-parts.js";
import { cutText, equalShares, type FittedText, firstItems, largestShare } from "./cut-text.js";

/**
 * Characters of each segment without its label, in the order of the text: what must survive a model's token limit
 * comes first. Names of required inputs are never omitted, so many long names may exceed their budget.
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
  /** Segments that did not fit their budget whole. */
  readonly cut: readonly ContractSegment[];
}

/**
 * A whole workflow as one text for a cross-encoder: one line `LABEL: content` for each segment that is not empty, white
 * space collapsed.
 */
export function contractText(workflow: Workflow): ContractText {
  const fitted: Readonly<Record<ContractSegment, FittedText>> = {
    NAME: oneText(workflow.name, contractBudgets.NAME),
    DESCRIPTION: oneText(workflow.description, contractBudgets.DESCRIPTION),
    EXCLUDES: equalShares(collapsed(workflow.exclusions), contractBudgets.EXCLUDES),
    REQUIRES: requiredInputs(workflow.requiredInputs, contractBudgets.REQUIRES),
    CAPABILITIES: firstItems(collapsed(workflow.capabilities), contractBudgets.CAPABILITIES),
    EFFECT: oneText(workflow.sideEffect.replaceAll("_", " "), contractBudgets.EFFECT),
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

/** `name: description` of every input; all names stay, and the descriptions share what they leave of the budget. */
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
