import { resolveOptions } from "../../src/base/options.js";
import { createProjectOptions } from "../options/project.js";
import { existsSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { datasetBytes } from "../../datasets/dataset-bytes.js";
import {
  followUpOf,
  requestOf,
  type DraftOptions,
  draftProject,
  workflowsYaml,
} from "../../datasets/draft/draft-project.js";
import { workflowIdFor } from "../../datasets/draft/workflow-ids.js";
import { exampleTest } from "../../datasets/families.js";
import { freeId, requestIds } from "../../datasets/free-id.js";
import { textKey } from "../../datasets/near-duplicates.js";
import { parseSource } from "../../datasets/sources/parse-source.js";
import type { LeftOutRow, SourceMaterial, SourceText } from "../../datasets/sources/parsed-source.js";
import { readJsonl } from "../../datasets/read-jsonl.js";
import { shippedBy } from "../../store/shipped-models.js";
import { SluiceError } from "../../src/base/error.js";
import { readIfThere, readInput, replaceFile } from "../../src/base/files.js";
import { projectFileName } from "../../src/documents/choices.js";
import type { Catalog } from "../../src/documents/catalog.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import type { WorkflowId } from "../../src/documents/primitives.js";
import { loadCatalog } from "../../src/router/catalog/load.js";
import { readProject } from "../../store/project/project-file.js";
import type { WorkbenchContext } from "../../store/workbench-context.js";
import {
  type CreateProjectOptions,
  knownIdsIn,
  leftOutCsv,
  leftOutFileName,
  readInitSource,
  settledChoices,
} from "../init.js";
import { readFollowUps } from "../fit/background-source.js";
import { writeDrafts } from "./write-drafts.js";

export interface AddedRequests {
  readonly parsedSource: SourceMaterial;
  readonly file: string;
  readonly added: number;
  /** Requests that follow another one and were added to the project's file of them. */
  readonly addedFollowUps: number;
  /** Those that were not, because the project has no such file. */
  readonly unusedFollowUps: number;
  readonly outOfScope: number;
  readonly known: number;
  /** Texts that the project has with another label; they are not added. */
  readonly relabelled: number;
  /** Number of texts by label, for labels that no workflow of the catalog has; they are not added. */
  readonly unknownLabels: ReadonlyMap<string, number>;
  /** File with drafts of workflows for these labels; null without such labels. */
  readonly newWorkflows: string | null;
  /** File that lists the rows that cannot be used; null without such rows. */
  readonly leftOutFile: string | null;
}

/**
 * Adds the labelled requests of a further source to those of a project. Its catalog and its other requests stay as they
 * are. Labels become workflow ids as when the project was made; workflows of labels that the catalog lacks are drafted
 * in a file of their own. The rows that cannot be used are added to those of the first source.
 *
 * @example await addRequests(workbench, { into: "my-router", source: "tickets-of-may.csv" });
 * @throws {SluiceError} as `parseSource`; FILE_NOT_FOUND  the folder holds no project
 */
export async function addRequests(
  workbench: Pick<WorkbenchContext, "actor">,
  wanted: CreateProjectOptions,
): Promise<AddedRequests> {
  const { into: folder } = resolveOptions("addRequests", createProjectOptions, wanted);
  const projectFile = join(folder, projectFileName);
  if (!existsSync(projectFile)) {
    throw new SluiceError("FILE_NOT_FOUND", `${projectFile}: there is no project to add requests to`, {
      hint: "Name its folder with --into, or create it without --add.",
    });
  }
  const { options } = await readInitSource(workbench, wanted);
  const {
    catalog: catalogFile,
    requests: file,
    follow_ups: followUpFile,
    models,
    seed,
  } = await readProject(projectFile);
  const knownIds = await knownIdsIn(folder);
  const { catalog } = await loadCatalog(catalogFile);
  const workflowNames = catalog.workflows.map(({ workflow_id }) => workflow_id);
  const knownLabels = new Set([...knownIds.keys(), ...workflowNames]);
  const parsedSource = await parseSource(options.files, { ...(await settledChoices(options)), knownIds, knownLabels });
  const before = await readInput(file);
  const labels = [...parsedSource.texts, ...parsedSource.followUps].flatMap(({ label }) => label ?? []);
  const rows = readJsonl(before, file);
  const workflowIds = new Map(
    labels.map((label) => [label, knownIds.get(label) ?? parsedSource.ids.get(label) ?? workflowIdFor(label)]),
  );
  const workflows = new Set<string>(workflowNames);
  const { added, ...counts } = newRequests(parsedSource, { rows, workflows, workflowIds });
  if (added.length > 0) await replaceFile(file, joined(before, datasetBytes(added)), 0o644);
  const usable = followUpsOf(parsedSource, { catalog, workflows, workflowIds });
  const addedFollowUps = followUpFile === undefined ? 0 : await addFollowUps(followUpFile, usable);
  const isShipped = [models.retriever, models.verifier].every((model) => shippedBy(model) !== undefined);
  const drafts = newWorkflowsYaml(parsedSource, {
    rows: [...rows, ...added],
    workflowIds,
    labels: [...counts.unknownLabels.keys()],
    draft: { ...options, seed, everyText: isShipped },
  });
  const newWorkflows = drafts === null ? null : join(folder, newWorkflowsFileName);
  if (drafts !== null && newWorkflows !== null) await replaceFile(newWorkflows, Buffer.from(drafts), 0o644);
  return {
    parsedSource,
    file,
    added: added.length,
    addedFollowUps,
    unusedFollowUps: followUpFile === undefined ? usable.length : 0,
    outOfScope: added.filter(({ workflow_id }) => workflow_id === null).length,
    ...counts,
    newWorkflows,
    leftOutFile: await addLeftOut(folder, parsedSource.leftOut),
  };
}

/** Adds the rows of a further source to the list of unused rows. @returns the written file; null without rows */
async function addLeftOut(folder: string, rows: readonly LeftOutRow[]): Promise<string | null> {
  if (rows.length === 0) return null;
  const before = await readIfThere(join(folder, leftOutFileName));
  const bytes = leftOutCsv(rows, before?.toString("utf8"));
  const [written] = await writeDrafts(folder, new Map([[leftOutFileName, bytes]]));
  return written?.file ?? null;
}

/** The follow-ups of a source that the catalog has a workflow for and does not have as an example. */
function followUpsOf(
  { followUps }: Pick<SourceMaterial, "followUps">,
  { catalog, workflows, workflowIds }: Omit<Present, "rows"> & { readonly catalog: Catalog },
): readonly LabelledRequest[] {
  const isExample = exampleTest(catalog);
  return followUps
    .map((text) => followUpOf({ ...text, file: nameOfFile(text.file) }, workflowIds, true))
    .filter(({ text, workflow_id: id }) => (id === null || workflows.has(id)) && !isExample(text));
}

/** Adds follow-ups to a file, without those that it has from an earlier addition. @returns how many were added */
async function addFollowUps(file: string, found: readonly LabelledRequest[]): Promise<number> {
  const before = await readInput(file);
  const keyOf = ({ group_id: group, text }: LabelledRequest): string => JSON.stringify([group, textKey(text)]);
  const rows = readFollowUps(before, file).rows;
  const known = new Set(rows.map(keyOf));
  const ids = new Set(rows.map(({ id }) => id));
  const added = found.flatMap((row) => {
    if (known.has(keyOf(row))) return [];
    const id = freeId(row.id, ids, requestIds);
    ids.add(id);
    return [{ ...row, id }];
  });
  if (added.length > 0) await replaceFile(file, joined(before, datasetBytes(added)), 0o644);
  return added.length;
}

const nameOfFile = (file: string): string => basename(file, extname(file)).replaceAll(/\s+/g, "-");

/** The requests and workflows that a project has, and the workflow id of each label of the source. */
interface Present {
  readonly rows: readonly LabelledRequest[];
  readonly workflows: ReadonlySet<string>;
  readonly workflowIds: ReadonlyMap<string, WorkflowId>;
}

/** The texts of a source that a project lacks, as requests, and what became of the others. */
function newRequests({ texts }: Pick<SourceMaterial, "texts">, { rows, workflows, workflowIds }: Present) {
  const labels = new Map(rows.map(({ text, workflow_id }) => [textKey(text), workflow_id]));
  const ids = new Set(rows.map(({ id }) => id));
  const unknownLabels = new Map<string, number>();
  const added: LabelledRequest[] = [];
  let [known, relabelled] = [0, 0];
  for (const source of texts) {
    const { file, text, label } = source;
    const workflowId = label === null ? null : (workflowIds.get(label) ?? null);
    const earlier = labels.get(textKey(text));
    if (label !== null && workflowId !== null && !workflows.has(workflowId)) {
      unknownLabels.set(label, (unknownLabels.get(label) ?? 0) + 1);
    } else if (earlier === workflowId) {
      known += 1;
    } else if (earlier !== undefined) {
      relabelled += 1;
    } else {
      const request = requestOf({ ...source, file: nameOfFile(file) }, workflowIds, true);
      const id = freeId(request.id, ids, requestIds);
      ids.add(id);
      labels.set(textKey(text), workflowId);
      added.push({ ...request, id });
    }
  }
  return { added, known, relabelled, unknownLabels };
}

/** Lines behind lines, even when the last one has no end. */
const joined = (before: Buffer, more: Buffer): Buffer =>
  before.at(-1) === 0x0a || before.length === 0
    ? Buffer.concat([before, more])
    : Buffer.concat([before, Buffer.from("\n"), more]);

/** Name of the project file with drafts for the labels of a further source that no workflow has. */
const newWorkflowsFileName = "new-workflows.yaml";

const header = `# Drafts of workflows for the labels of a further file that the catalog lacks. No command reads this file, and the
# next "sluice init FILE --add" replaces it. Copy the workflows that you want to the end of catalog.yaml, and run the
# same command again to add their requests.
`;

interface NewWorkflows {
  readonly rows: readonly LabelledRequest[];
  readonly workflowIds: ReadonlyMap<string, WorkflowId>;
  /** Labels of the source that no workflow of the catalog has. */
  readonly labels: readonly string[];
  readonly draft: Pick<DraftOptions, "name" | "owner" | "tier" | "seed" | "everyText">;
}

/**
 * Drafts workflows for the labels that a catalog lacks, as if their texts had been in the first source of the project.
 * Labels with one id are one workflow.
 * @returns  workflows in the format of a catalog, with a comment; null if there are no such labels
 */
function newWorkflowsYaml(source: SourceMaterial, { rows, workflowIds, labels, draft }: NewWorkflows): string | null {
  const firstLabels = new Map(
    labels.toReversed().flatMap((label) => {
      const id = workflowIds.get(label);
      return id === undefined ? [] : [[id, label] as const];
    }),
  );
  if (firstLabels.size === 0) return null;
  const labelOf = (label: string | null): string | undefined =>
    label === null ? undefined : firstLabels.get(workflowIds.get(label) ?? ("" as WorkflowId));
  const texts = source.texts.flatMap((text) => {
    const label = labelOf(text.label);
    return label === undefined ? [] : [{ ...text, label }];
  });
  const newLabels = new Set(firstLabels.values());
  const { catalog } = draftProject(
    {
      ...source,
      texts: [...rows.map(asText), ...texts],
      workflows: source.workflows.filter(({ label }) => newLabels.has(label)),
    },
    {
      ...draft,
      knownIds: new Map([...rows.flatMap(ownId), ...[...firstLabels].map(([id, label]) => [label, id] as const)]),
    },
  );
  const drafted = catalog.workflows.filter(({ workflow_id: id }) => firstLabels.has(id as WorkflowId));
  return `${header}${workflowsYaml(drafted)}`;
}

/** A request of the project as a text of the first source. Its published part does not matter to other workflows. */
const asText = ({ id, text, workflow_id: label }: LabelledRequest): SourceText => ({
  file: "",
  at: id,
  text,
  label,
  part: null,
});

const ownId = ({ workflow_id: id }: LabelledRequest): readonly (readonly [string, WorkflowId])[] =>
  id === null ? [] : [[id, id]];
