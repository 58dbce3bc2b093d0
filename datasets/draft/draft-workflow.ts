import type { Static } from "../../src/base/typebox.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { type WorkflowSchema, mostExamples } from "../../src/documents/catalog.js";
import type { RiskTier } from "../../src/documents/choices.js";
import type { SourceInput, SourceWorkflow, SourceText } from "../sources/parsed-source.js";
import { wordsOfLabel } from "./workflow-ids.js";
import { seededRandom } from "../../src/base/numbers/seeded-random.js";

/** A workflow in the format of a catalog file. */
export type DraftedWorkflow = Static<typeof WorkflowSchema>;

export interface DraftWorkflowInput {
  readonly workflowId: WorkflowId;
  readonly label: string;
  /** The source's description of the workflow; null if the source has only labelled texts. */
  readonly source: SourceWorkflow | null;
  readonly examples: readonly string[];
  /** null: the owner is unknown, and production refuses the workflow until one is set. */
  readonly owner: string | null;
  readonly tier: RiskTier;
}

/** Effect of a drafted workflow if the source states none. */
export const unstatedEffect = "internal_write";

const sideEffects = { reads: "read_only", writes: "internal_write", destroys: "destructive" } as const;

/** Placeholder exclusion of a destructive workflow, to be replaced by a person. */
export const draftedExclusion = "Questions about this action, without the wish that it is carried out.";

const longestDescription = 2000;
const longestInputDescription = 500;
const mostInputs = 30;

/**
 * Drafts a workflow from a source. Missing facts get safe defaults: it writes, and each call needs confirmation until a
 * person changes that.
 */
export function draftWorkflow(input: DraftWorkflowInput): DraftedWorkflow {
  const { workflowId, label, source, examples, owner, tier } = input;
  const words = wordsOfLabel(label).join(" ");
  const effect = source?.effect ?? null;
  const inputs = namedInputs(source?.inputs ?? []);
  const required = inputs.filter(({ required: needed }) => needed).slice(0, mostInputs);
  const optional = inputs.filter(({ required: needed }) => !needed).slice(0, mostInputs);
  return {
    workflow_id: workflowId,
    version: "1",
    name: sentenceCase(words.length < 3 ? workflowId : words).slice(0, 160),
    description: descriptionOf(source, words),
    ...(owner === null ? {} : { owner }),
    risk_tier: tier,
    side_effect: effect === null ? unstatedEffect : sideEffects[effect],
    confirmation: effect === "reads" ? "never" : "always",
    ...(effect === "destroys" ? { exclusions: [draftedExclusion] } : {}),
    examples: [...examples],
    ...(required.length === 0 ? {} : { required_inputs: required.map(inputFile) }),
    ...(optional.length === 0 ? {} : { optional_inputs: optional.map(inputFile) }),
    ...toolMetadata(source),
  };
}

/** The properties of a tool that `find_tools` returns. */
function toolMetadata(source: SourceWorkflow | null): Pick<DraftedWorkflow, "metadata"> {
  if (source?.tool === undefined) return {};
  const { name, inputSchema } = source.tool;
  return { metadata: { tool_name: name, input_schema: inputSchema } };
}

const sentenceCase = (words: string): string => `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;

function descriptionOf(source: SourceWorkflow | null, words: string): string {
  const own = (source?.description ?? "").trim().slice(0, longestDescription);
  return own.length >= 10 ? own : `Requests about ${words === "" ? "this workflow" : words}.`;
}

/** Inputs whose names a catalog accepts; of inputs with the same name, the first. */
function namedInputs(inputs: readonly SourceInput[]): readonly SourceInput[] {
  const named = new Map<string, SourceInput>();
  for (const input of inputs) {
    const words = wordsOfLabel(input.name)
      .join("_")
      .replace(/[^a-z0-9_]/g, "");
    const name = (/^[a-z]/.test(words) ? words : `input_${words}`).slice(0, 80);
    if (!named.has(name)) named.set(name, { ...input, name });
  }
  return [...named.values()];
}

function inputFile({ name, description }: SourceInput) {
  return { name, ...(description === "" ? {} : { description: description.slice(0, longestInputDescription) }) };
}

/** Maximum number of examples per workflow if a text is either an example or a request. */
const usualExamples = 10;
/** Share of a workflow's texts that become examples; the rest become requests. */
const exampleShare = 0.4;
/** Maximum length of a catalog example, in characters. */
const longestExample = 1000;

/** Number of examples of a workflow with this many texts: two fifths, at least one, at most ten. */
export function exampleCount(texts: number): number {
  return Math.min(usualExamples, Math.max(Math.min(1, texts), Math.floor(texts * exampleShare)));
}

/**
 * The texts of a label that become examples: a seeded random draw, so that the held-out texts remain a representative
 * sample. If the source has published parts, examples come only from `train`, so a label without training texts has
 * none.
 */
export function chooseExamples(texts: readonly SourceText[], seed: number): readonly SourceText[] {
  const withParts = texts.some(({ part }) => part !== null);
  const usable = texts.filter(({ text, part }) => text.length <= longestExample && (!withParts || part === "train"));
  const count = withParts ? Math.min(usualExamples, usable.length) : exampleCount(texts.length);
  return seededRandom(seed).shuffle(usable).slice(0, count);
}

/** Every text of a label that is not held out; a seeded draw if there are more than a catalog accepts. */
export function chooseEveryText(
  texts: readonly SourceText[],
  isHeldOut: (text: SourceText) => boolean,
  seed: number,
): readonly SourceText[] {
  const usable = texts.filter((text) => text.text.length <= longestExample && !isHeldOut(text));
  return usable.length <= mostExamples ? usable : seededRandom(seed).shuffle(usable).slice(0, mostExamples);
}
