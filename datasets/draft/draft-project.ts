import { sha256Hex } from "../../src/base/sha256.js";
import { type CatalogFile, CatalogFileSchema } from "../../src/documents/catalog.js";
import type { RiskTier } from "../../src/documents/choices.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { groupBy } from "../../src/base/group-by.js";
import type { SourceFollowUp, SourceMaterial, SourceText } from "../sources/parsed-source.js";
import { everyTextShares, hasEnoughTexts } from "../every-text.js";
import { exampleTest, familiesOf } from "../families.js";
import { foldOfFamily } from "../split-by-request.js";
import { chooseEveryText, chooseExamples, draftWorkflow } from "./draft-workflow.js";
import { workflowIdsFor } from "./workflow-ids.js";
import { stringify } from "yaml";

export interface DraftOptions {
  /** Name of the catalog, from which its version is derived. */
  readonly name: string;
  readonly owner: string;
  /** Tier assigned to every workflow. */
  readonly tier: RiskTier;
  readonly seed: number;
  /**
   * Makes every text both an example and a request, except the held-out texts of large sources. Ignored if workflows
   * have too few texts or the source has published parts. Default: a text is either an example or a request.
   */
  readonly everyText?: boolean;
  /** Workflow ids by label from an earlier import. Default: none. */
  readonly knownIds?: ReadonlyMap<string, WorkflowId>;
}

/** How the texts of a label that stand alone were used. */
export interface LabelCounts {
  readonly label: string;
  readonly workflowId: WorkflowId;
  readonly examples: number;
  readonly heldOut: number;
}

/** A catalog and requests drafted from a source. Each text of the source becomes an example, a request, or both. */
export interface DraftedProject {
  readonly catalog: CatalogFile;
  /** The texts that are not examples; with `everyText`, all texts except those that are the only text of a label. */
  readonly requests: readonly LabelledRequest[];
  /** The texts that follow another one, without those that are an example. */
  readonly followUps: readonly LabelledRequest[];
  /** The others, which cannot be tested. */
  readonly taught: readonly SourceFollowUp[];
  /** Labels that the source describes come first, in source order; the rest follow in ascending order. */
  readonly labels: readonly LabelCounts[];
  readonly outOfScope: number;
  /** Whether every text is both an example and a request. */
  readonly everyText: boolean;
}

/**
 * Drafts a catalog with a single tier, and the requests for measuring it. No text is dropped: the only text of a label
 * becomes its example, and all other texts are divided by `chooseExamples`.
 */
export function draftProject(parsedSource: SourceMaterial, options: DraftOptions): DraftedProject {
  const described = new Map(parsedSource.workflows.map((workflow) => [workflow.label, workflow]));
  const byLabel = groupBy(
    parsedSource.texts.filter((text) => text.label !== null),
    ({ label }) => label ?? "",
  );
  const following = parsedSource.followUps.flatMap(({ label }) => label ?? []);
  const found = [...new Set([...byLabel.keys(), ...following])].sort();
  const ids = workflowIdsFor([...described.keys(), ...found], options.knownIds);
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
  // A workflow whose only text is left out could not be found.
  const isOnly = ({ label }: SourceText): boolean => label !== null && byLabel.get(label)?.length === 1;
  const measures = (text: SourceText): boolean => (everyText ? !isOnly(text) : !examples.has(text));
  const requests = parsedSource.texts.filter(measures);
  const severalFiles = new Set([...parsedSource.texts, ...parsedSource.followUps].map(({ file }) => file)).size > 1;
  const isExample = exampleTest(catalog);
  return {
    catalog,
    requests: requests.map((text) => requestOf(text, ids, severalFiles)),
    followUps: parsedSource.followUps
      .filter(({ text }) => !isExample(text))
      .map((text) => followUpOf(text, ids, severalFiles)),
    taught: parsedSource.followUps.filter(({ text }) => isExample(text)),
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

/** Whether a text belongs to a family that the split will place in EVAL. */
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

/** A text of a source as a request. @param severalFiles whether the id names the file too */
export function requestOf(
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

/** A text that follows another one as a labelled follow-up. */
export const followUpOf = (
  text: SourceFollowUp,
  ids: ReadonlyMap<string, WorkflowId>,
  severalFiles: boolean,
): LabelledRequest => ({
  ...requestOf(text, ids, severalFiles),
  group_id: shortened(`${text.file.replace(/\.[^./]*$/, "")}:${text.conversation}`),
  previous: { workflow_id: text.previous === null ? null : (ids.get(text.previous) ?? null) },
});

/** Maximum length of an id, in characters. */
const longestId = 160;

/**
 * An id made from the position of a row in one of several files. A long path is replaced by a digest of the whole path
 * followed by its end.
 */
function shortened(place: string): string {
  if (place.length <= longestId) return place;
  const digest = sha256Hex(place).slice(0, 16);
  return `${digest}:${place.slice(digest.length + 1 - longestId)}`;
}

const header = `# The workflows that Sluice may choose. Edit freely; the next run of the project uses your changes.
# All fields: "sluice schema catalog". Suggestions: "sluice catalog lint".
#
# workflow_id      the id that a route returns; do not change it once callers use it
# name             a short name, 3 to 160 characters
# description      what the workflow does, in one or two sentences; used by retrieval
# owner            the team responsible for it; required in production
# risk_tier        low, medium, high or critical; a tier can have its own target: require_tiers in sluice.yaml
# side_effect      read_only, internal_write, external_write or destructive
# confirmation     never, or when the caller must ask its user for confirmation, e.g. always
# exclusions       what the workflow is not for; external_write and destructive require at least one
# examples         requests as people write them, up to 50; the first few matter most
# required_inputs  inputs required to run it: name, description, aliases, pattern
#
# Drafted values for you to check: description, owner, risk_tier, side_effect, confirmation.
`;

/** The comment that tells editors where the JSON Schema is; `path` is relative to the file with the comment. */
export const schemaLine = (path: string): string => `# yaml-language-server: $schema=${path}\n`;

/**
 * The catalog as YAML with a comment per field, for editing by hand.
 * @param schemaPath  path of the JSON Schema of catalogs, relative to the file; undefined: no schema comment
 */
export function catalogYaml(catalog: CatalogFile, schemaPath?: string): string {
  const { workflows, ...head } = catalog;
  const schema = schemaPath === undefined ? "" : schemaLine(schemaPath);
  return `${schema}${header}${stringify(head, yamlOptions)}workflows:\n${workflowsYaml(workflows)}`;
}

export const workflowsYaml = (workflows: CatalogFile["workflows"]): string =>
  workflows.map((workflow) => indented(stringify([workflow], yamlOptions))).join("");

const yamlOptions = { lineWidth: 0 };

const indented = (yaml: string): string => yaml.replace(/^(?=.)/gm, "  ");
