import { type OptionsOf, resolveOptions } from "../src/base/options.js";
import { relabelRequestsOptions, type RightLabel } from "./options/dataset.js";
import { BadRows } from "../datasets/bad-rows.js";
import { freeId, requestIds } from "../datasets/free-id.js";
import { textKey } from "../datasets/near-duplicates.js";
import { decodeUtf8, jsonLines, readJsonl } from "../datasets/read-jsonl.js";
import { command, say, SluiceError } from "../src/base/error.js";
import { readInput, replaceFile } from "../src/base/files.js";
import { suggest } from "../src/base/suggest.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import { readProject } from "../store/project/project-file.js";
import { withMovedExamples } from "./catalog/edit-catalog.js";

export type RelabelOptions = OptionsOf<typeof relabelRequestsOptions>;

/** What was written about one request. */
export interface RelabelledRow {
  readonly id: string;
  /** Id of the row with the right label; null if the request is an example alone. */
  readonly corrected: string | null;
  readonly from: WorkflowId | null;
  readonly to: WorkflowId | null;
  /** Whether an example with its text was moved in the catalog, or removed for an out-of-scope request. */
  readonly moved: boolean;
}

export interface RelabelledRows {
  readonly requests: string;
  readonly catalog: string;
  readonly rows: readonly RelabelledRow[];
}

/**
 * Corrects labels of a project in one step: withdraws each row with a reason, adds a row with the right label, and moves
 * the examples with its text. None of the rows is tested after that; the release page lists the edit. Nothing is written
 * if one label cannot be corrected.
 *
 * @example await relabelRequests({ file: "shop/sluice.yaml", corrections: [{ id: "line-15", label: "refund" }], reason: "asks for money" });
 * @throws {SluiceError} RECORD_NOT_FOUND  neither a row nor an example has this id; USAGE  no label is given, the catalog has no such workflow,
 *   or the row has this label, is named twice, or is withdrawn already; FILE_NOT_FOUND, DOCUMENT_INVALID, WRITE_FAILED
 */
export async function relabelRequests(options: RelabelOptions): Promise<RelabelledRows> {
  const {
    corrections: labels,
    reason,
    file: project,
  } = resolveOptions("relabelRequests", relabelRequestsOptions, options);
  if (labels.length === 0)
    throw new SluiceError("USAGE", "found no row to correct, expected one or more", {
      hint: say`${command`sluice dataset relabel ROW=LABEL --reason REASON`}; ${command`sluice eval errors`} shows the rows.`,
    });
  const { requests: file, catalog: catalogFile } = await readProject(project);
  const [bytes, catalogBytes] = [await readInput(file), await readInput(catalogFile)];
  const { workflows } = parseCatalog(catalogBytes, catalogFile);
  const corrections = correctionsOf(labels, { file, rows: readJsonl(bytes, file), workflows });
  const right = corrections.map(({ found, to }) => ({ ...found, workflow_id: to }));
  const moved = withMovedExamples(catalogBytes, right);
  // The catalog comes first: until the row is withdrawn, the same command can be run again.
  if (moved.left.size > 0) await replaceFile(catalogFile, moved.bytes, fileMode);
  await replaceFile(file, withCorrections(bytes, { file, corrections, reason }), fileMode);
  return {
    requests: file,
    catalog: catalogFile,
    rows: corrections.map(({ found, to, corrected }, index) => ({
      id: found.id,
      corrected,
      from: found.workflow_id,
      to,
      moved: moved.left.has(right[index] as LabelledRequest),
    })),
  };
}

interface Correction {
  readonly found: LabelledRequest;
  readonly to: WorkflowId | null;
  /** Id of the corrected row; null for an example. */
  readonly corrected: string | null;
}

/** The example with a text, as a request whose id is the text; null if the catalog has none. */
function exampleIn(workflows: Catalog["workflows"], text: string): LabelledRequest | null {
  const key = textKey(text);
  const workflow = workflows.find(({ examples }) => examples.some((example) => textKey(example) === key));
  return workflow === undefined ? null : { id: text, text, workflow_id: workflow.workflow_id };
}

/** An id with a number, such as row-262. Other words may be a text, which messages never repeat. */
const looksLikeId = /^[a-z][\w.:-]{0,40}\d[\w.:-]{0,20}$/iu;

/** Finds what each label corrects. */
function correctionsOf(
  labels: readonly RightLabel[],
  {
    file,
    rows,
    workflows,
  }: Pick<Catalog, "workflows"> & { readonly file: string; readonly rows: readonly LabelledRequest[] },
): readonly Correction[] {
  const known = workflows.map(({ workflow_id: workflowId }) => workflowId);
  const ids = new Set(rows.map(({ id }) => id));
  const named = new Set<string>();
  return labels.map(({ id, label }, index): Correction => {
    const to = labelIn(known, label);
    const row = rows.find((one) => one.id === id);
    const found = row ?? exampleIn(workflows, id);
    if (found === null) {
      throw new SluiceError(
        "RECORD_NOT_FOUND",
        `${file}: no row and no example is ${looksLikeId.test(id) ? `"${id}"` : `named as in correction ${index + 1}`}`,
        {
          hint: say`${command`sluice eval errors --fold all`} shows the ids; left-out.csv lists the rows that ${command`sluice init`} left out, by place.`,
        },
      );
    }
    const name = row === undefined ? "the example" : `row "${id}"`;
    requireOpen(found, to, name);
    if (named.has(id)) {
      throw new SluiceError("USAGE", `${name} is named twice`, { hint: "Name each request once." });
    }
    named.add(id);
    if (row === undefined) return { found, to, corrected: null };
    const corrected = freeId(`${id}-corrected`, ids, requestIds);
    ids.add(corrected);
    return { found, to, corrected };
  });
}

const fileMode = 0o644;

/** A file of requests with the lines of the corrected requests replaced; every other line remains as it is. */
function withCorrections(
  bytes: Uint8Array,
  {
    file,
    corrections,
    reason,
  }: { readonly file: string; readonly corrections: readonly Correction[]; readonly reason: string },
): Buffer {
  const lines = decodeUtf8(bytes, file).split("\n");
  const correctedRows = new Map(corrections.flatMap((one) => (one.corrected === null ? [] : [[one.found.id, one]])));
  for (const { line, value } of [...jsonLines(bytes, file, new BadRows())].toReversed()) {
    const { id } = value as LabelledRequest;
    const correction = correctedRows.get(id);
    if (correction === undefined) continue;
    const { found, to, corrected } = correction;
    const edited = [
      { ...found, withdrawn: reason },
      { ...found, id: corrected, workflow_id: to },
    ];
    lines.splice(line - 1, 1, ...edited.map((row) => JSON.stringify(row)));
  }
  return Buffer.from(lines.join("\n"));
}

function labelIn(known: readonly WorkflowId[], label: string | null): WorkflowId | null {
  if (label === null) return null;
  const found = known.find((one) => one === label);
  if (found !== undefined) return found;
  const nearest = suggest(label, known);
  throw new SluiceError("USAGE", `the catalog has no workflow "${label}"`, {
    hint: nearest === null ? "Name a workflow of the catalog, or none for out of scope." : `Did you mean ${nearest}?`,
  });
}

function requireOpen({ workflow_id: from, withdrawn }: LabelledRequest, to: WorkflowId | null, name: string): void {
  if (withdrawn !== undefined)
    throw new SluiceError("USAGE", `${name} is withdrawn already: ${withdrawn}`, {
      hint: "Correct the row with the right label instead.",
    });
  if (from === to) throw new SluiceError("USAGE", `${name} has this label already`, { hint: "Name the right label." });
}
