import { sha256Hex } from "../../../src/base/sha256.js";
import { SluiceError } from "../../../src/base/error.js";
import { BadRows } from "../../bad-rows.js";
import { type BenchmarkOptions, limitRows } from "../benchmark.js";
import type { ImportedDataset, SourceFile } from "../imported-dataset.js";
import { type SgdWorkflow, sgdCatalog } from "./sgd-catalog.js";
import { type SgdPart, sgdDialogueRequests, sgdWorkflows } from "./sgd-dialogues.js";
import { sgdRequestLines, sgdWorkflowLines } from "./sgd-lines.js";
import { type SgdRequest, sgdRow } from "./sgd-request.js";

/** The published dialogues of one or more parts, or requests extracted from them. */
export type SgdFiles =
  | { readonly kind: "dialogues"; readonly parts: readonly SgdPart[] }
  | { readonly kind: "lines"; readonly requests: SourceFile; readonly catalog: SourceFile };

/**
 * Imports Schema-Guided Dialogue as routing requests. Each row has the allowed workflows of its dialogue, the given
 * inputs and the missing inputs. Split it by service or by domain, because the intents of two services of the same
 * domain are nearly identical.
 * @throws {SluiceError} SYNTAX_INVALID, SCHEMA_INVALID  with file and place; DATASET_EMPTY
 * @see Rastogi et al. (2020), Towards Scalable Multi-Domain Conversational Agents: The Schema-Guided Dialogue Dataset
 */
export function importSgd(files: SgdFiles, options: BenchmarkOptions = {}): ImportedDataset {
  const bad = new BadRows(options.maxBadRows);
  const workflows = workflowsIn(files, bad);
  const requests = requestsIn(files, workflows, bad);
  const badRows = bad.settle();
  if (requests.length === 0) throw new SluiceError("DATASET_EMPTY", "the dialogues have no request");
  const labelled = requests.map((request) => ({ request, intent: request.workflow }));
  const kept = limitRows(labelled, options, options.seed ?? 0);
  const licence = "CC BY-SA 4.0";
  return {
    rows: kept.map(({ request }) => sgdRow(request)),
    catalog: sgdCatalog(workflows),
    sources: sourcesOf(files).map(({ file, bytes }) => ({ file, sha256: sha256Hex(bytes), licence })),
    badRows,
  };
}

/** Intents of all parts; if several parts describe an intent, the first part is used. */
function workflowsIn(files: SgdFiles, bad: BadRows): readonly SgdWorkflow[] {
  const all =
    files.kind === "lines"
      ? sgdWorkflowLines(files.catalog, bad)
      : files.parts.flatMap(({ schema }) => sgdWorkflows(schema));
  const first = new Map<string, SgdWorkflow>();
  for (const workflow of all) if (!first.has(workflow.workflow)) first.set(workflow.workflow, workflow);
  return [...first.values()];
}

function requestsIn(files: SgdFiles, workflows: readonly SgdWorkflow[], bad: BadRows): readonly SgdRequest[] {
  if (files.kind === "lines") return sgdRequestLines(files.requests, workflows, bad);
  return files.parts.flatMap((part) => sgdDialogueRequests(part, workflows, bad));
}

function sourcesOf(files: SgdFiles): readonly SourceFile[] {
  if (files.kind === "lines") return [files.requests, files.catalog];
  return files.parts.flatMap(({ schema, dialogues }) => [schema, ...dialogues]);
}
