import { sha256Hex } from "../../src/base/sha256.js";
import { SluiceError } from "../../src/base/error.js";
import { BadRows } from "../../datasets/bad-rows.js";
import { type AssemblyOptions, limitRows } from "../../datasets/importers/assemble-dataset.js";
import type { ImportedDataset, SourceFile } from "../../datasets/importers/imported-dataset.js";
import { type SgdWorkflow, sgdCatalog } from "./sgd-catalog.js";
import { type SgdPart, sgdDialogueRequests, sgdWorkflows } from "./sgd-dialogues.js";
import { type SgdRequest, sgdRow } from "./sgd-request.js";
import { Type } from "../../src/base/typebox.js";
import { matchesSchema, schemaProblems } from "../../src/documents/check-schema.js";
import { jsonLines } from "../../datasets/read-jsonl.js";
import { isUsableText, unusableText } from "./usable-text.js";

/** The published dialogues of one or more parts, or requests extracted from them. */
export type SgdFiles =
  | { readonly kind: "dialogues"; readonly parts: readonly SgdPart[] }
  | { readonly kind: "lines"; readonly requests: SourceFile; readonly catalog: SourceFile };

/**
 * Imports Schema-Guided Dialogue as routing requests. Each row has the allowed workflows of its dialogue, the given
 * inputs and the missing inputs. Split it by service or by domain, because the intents of two services of the same
 * domain are nearly identical.
 * @throws {SluiceError} DOCUMENT_INVALID  with file and place
 * @see Rastogi et al. (2020), Towards Scalable Multi-Domain Conversational Agents: The Schema-Guided Dialogue Dataset
 */
export function importSgd(files: SgdFiles, options: AssemblyOptions = {}): ImportedDataset {
  const bad = new BadRows(options.maxBadRows);
  const workflows = workflowsIn(files, bad);
  const requests = requestsIn(files, workflows, bad);
  const badRows = bad.settle();
  if (requests.length === 0) throw new SluiceError("DOCUMENT_INVALID", "the dialogues have no request");
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

const InputSchema = Type.Object({ name: Type.String(), description: Type.String() });
const WorkflowLineSchema = Type.Object({
  workflow_id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  is_transactional: Type.Boolean(),
  required_inputs: Type.Array(InputSchema),
  optional_inputs: Type.Array(InputSchema),
});
const RequestLineSchema = Type.Object({
  id: Type.String({ minLength: 1 }),
  text: Type.String(),
  workflow_id: Type.String(),
  split: Type.String(),
  turn: Type.Integer({ minimum: 0 }),
  allowed_workflow_ids: Type.Array(Type.String()),
  given_inputs: Type.Array(Type.String()),
  missing_inputs: Type.Array(Type.String()),
});

/** Placeholder for the value of a given input; the extracted lines contain only the names of inputs. */
const givenValue = "given";

/** Reads the intents of `catalog.jsonl`, one per line. */
function sgdWorkflowLines({ file, bytes }: SourceFile, bad: BadRows): readonly SgdWorkflow[] {
  return [...jsonLines(bytes, file, bad)].flatMap(({ line, value }) => {
    if (!matchesSchema(WorkflowLineSchema, value))
      return refuse(bad, file, line, schemaProblems(WorkflowLineSchema, value));
    return [
      {
        workflow: value.workflow_id,
        name: value.name,
        description: value.description,
        transactional: value.is_transactional,
        required: value.required_inputs,
        optional: value.optional_inputs,
      },
    ];
  });
}

/** Reads the requests of `data.jsonl`, one per line. Allowed workflows that are not in the catalog are left out. */
function sgdRequestLines(
  { file, bytes }: SourceFile,
  workflows: readonly SgdWorkflow[],
  bad: BadRows,
): readonly SgdRequest[] {
  const known = new Set(workflows.map(({ workflow }) => workflow));
  return [...jsonLines(bytes, file, bad)].flatMap(({ line, value }) => {
    if (!matchesSchema(RequestLineSchema, value))
      return refuse(bad, file, line, schemaProblems(RequestLineSchema, value));
    if (!isUsableText(value.text)) return refuse(bad, file, line, [{ path: "/text", rule: unusableText(value.text) }]);
    return [
      {
        id: value.id,
        text: value.text,
        workflow: value.workflow_id,
        part: value.split,
        turn: value.turn,
        allowed: value.allowed_workflow_ids.filter((id) => known.has(id)),
        given: Object.fromEntries(value.given_inputs.map((name) => [name, givenValue])),
        missing: value.missing_inputs,
      },
    ];
  });
}

function refuse(
  bad: BadRows,
  file: string,
  line: number,
  problems: readonly { readonly path: string; readonly rule: string }[],
): readonly [] {
  for (const { path, rule } of problems) {
    bad.add({ file, at: `line ${line}`, column: path.slice(1), rule });
  }
  return [];
}
