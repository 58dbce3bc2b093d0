import { sha256Hex } from "../../src/base/sha256.js";
import { type CatalogFile, CatalogFileSchema } from "../../src/documents/catalog.js";
import type { RiskTier } from "../../src/documents/choices.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { groupBy } from "../../src/base/group-by.js";
import type { SourceMaterial, SourceText } from "../sources/parsed-source.js";
import { everyTextShares, hasEnoughTexts } from "../every-text.js";
import { familiesOf } from "../families.js";
import { foldOfFamily } from "../split-by-request.js";
import { chooseEveryText, chooseExamples } from "./choose-examples.js";
import { draftWorkflow } from "./draft-workflow.js";
import { workflowIdsFor } from "./workflow-ids.js";

export interface DraftOptions {
  /** Name of the catalog; its version is drafted from it. */
  readonly name: string;
  readonly owner: string;
  /** Tier of every workflow. */
  readonly tier: RiskTier;
  /** Seed of the draw of examples. */
  readonly seed: number;
  /**
   * Every text is an example and a request, except held-out ones of large sources; where workflows have enough texts and
   * the source publishes no parts. Default: a text is one of the two.
   */
  readonly everyText?: boolean;
  /** Workflow ids by label from an earlier import. Default: none. */
  readonly knownIds?: ReadonlyMap<string, WorkflowId>;
}

/** How many texts of a label became what. */
export interface LabelCounts {
  readonly label: string;
  readonly workflowId: WorkflowId;
  readonly examples: number;
  /** Requests that measure the workflow. */
  readonly heldOut: number;
}

/** A catalog and requests drafted from a source; each text of the source is an example or a request. */
export interface DraftedProject {
  readonly catalog: CatalogFile;
  /** The texts that measure: those that are not examples; where `everyText` applies, all but the only text of a label. */
  readonly requests: readonly LabelledRequest[];
  /** By label: those that the source describes in its order, then the others ascending. */
  readonly labels: readonly LabelCounts[];
  /** Out-of-scope texts among the requests. */
  readonly outOfScope: number;
  /** Whether every text is an example and a request. */
  readonly everyText: boolean;
}

/**
 * Drafts a catalog with one tier and the requests that measure it. Nothing is dropped: texts of a label with a single
 * text become its example, all others are drawn as `chooseExamples` says.
 */
export function draftProject(parsedSource: SourceMaterial, options: DraftOptions): DraftedProject {
  const described = new Map(parsedSource.workflows.map((workflow) => [workflow.label, workflow]));
  const byLabel = groupBy(
    parsedSource.texts.filter((text) => text.label !== null),
    ({ label }) => label ?? "",
  );
  const ids = workflowIdsFor([...described.keys(), ...[...byLabel.keys()].sort()], options.knownIds);
  const everyText = options.everyText === true && canTeachEveryText(parsedSource, [...byLabel.values()]);
  const isHeldOut = everyText ? heldOutTexts(parsedSource, options.seed) : () => false;
  const choose = (texts: readonly SourceText[]): readonly SourceText[] =>
    everyText ? chooseEveryText(texts, isHeldOut, options.seed) : chooseExamples(texts, options.seed);
  const examples = new Set([...ids.keys()].flatMap((label) => choose(byLabel.get(label) ?? [])));
  const examplesOf = (label: string): readonly SourceText[] =>
    (byLabel.get(label) ?? []).filter((text) => examples.has(text));
  const workflows = [...ids].map(([label, workflowId]) =>
    draftWorkflow({
      workflowId,
      label,
      source: described.get(label) ?? null,
      examples: examplesOf(label).map(({ text }) => text),
      owner: options.owner,
      tier: options.tier,
    }),
  );
  const catalog = checkSchema(
    CatalogFileSchema,
    { schema_version: 1, catalog_version: `${options.name}-1`, workflows },
    "the drafted catalog",
  );
  // Nothing is left to find a workflow by where its only text is left out.
  const isOnly = ({ label }: SourceText): boolean => label !== null && byLabel.get(label)?.length === 1;
  const measures = (text: SourceText): boolean => (everyText ? !isOnly(text) : !examples.has(text));
  const requests = parsedSource.texts.filter(measures);
  const severalFiles = new Set(parsedSource.texts.map(({ file }) => file)).size > 1;
  return {
    catalog,
    requests: requests.map((text) => requestOf(text, ids, severalFiles)),
    labels: [...ids].map(([label, workflowId]) => ({
      label,
      workflowId,
      examples: examplesOf(label).length,
      heldOut: (byLabel.get(label) ?? []).filter(measures).length,
    })),
    outOfScope: requests.filter(({ label }) => label === null).length,
    everyText,
  };
}

const canTeachEveryText = ({ texts }: SourceMaterial, labelled: readonly (readonly SourceText[])[]): boolean =>
  texts.every(({ part }) => part === null) && hasEnoughTexts(labelled.map(({ length }) => length));

/** Texts of the families that the split will place in EVAL. */
function heldOutTexts({ texts }: SourceMaterial, seed: number): (text: SourceText) => boolean {
  const shares = everyTextShares(texts.length);
  if (shares.eval === 0) return () => false;
  const rows = texts.map(({ text, label }, index) => ({
    id: `${index}`,
    text,
    workflow_id: label as WorkflowId | null,
  }));
  const { of } = familiesOf({ rows });
  const held = new Set(texts.filter((_, index) => foldOfFamily(seed, of[index], shares) === "eval"));
  return (text) => held.has(text);
}

function requestOf(
  { file, at, text, label, part }: SourceText,
  ids: ReadonlyMap<string, WorkflowId>,
  severalFiles: boolean,
): LabelledRequest {
  const place = at.replaceAll(" ", "-");
  return {
    id: severalFiles ? shortened(`${file}:${place}`) : place,
    text,
    workflow_id: label === null ? null : (ids.get(label) ?? null),
    group_id: null,
    ...(part === null ? {} : { slices: { part } }),
  };
}

/** Maximum length of an id, in characters. */
const longestId = 160;

/**
 * The position of a row in one of several files as an id. A long path is shortened to its end, prefixed by a digest
 * of the whole path.
 */
function shortened(place: string): string {
  if (place.length <= longestId) return place;
  const digest = sha256Hex(place).slice(0, 16);
  return `${digest}:${place.slice(digest.length + 1 - longestId)}`;
}
