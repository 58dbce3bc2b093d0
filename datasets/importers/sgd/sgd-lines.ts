import { Type } from "../../../src/base/typebox.js";
import { matchesSchema, schemaProblems } from "../../../src/documents/check-schema.js";
import type { BadRows } from "../../bad-rows.js";
import { jsonLines } from "../../read-jsonl.js";
import type { SourceFile } from "../imported-dataset.js";
import { isUsableText, unusableText } from "../usable-text.js";
import type { SgdWorkflow } from "./sgd-catalog.js";
import type { SgdRequest } from "./sgd-request.js";

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
export function sgdWorkflowLines({ file, bytes }: SourceFile, bad: BadRows): readonly SgdWorkflow[] {
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
export function sgdRequestLines(
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
    bad.add({ file, at: `line ${line}`, column: path.slice(1), rule, code: "SCHEMA_INVALID" });
  }
  return [];
}
