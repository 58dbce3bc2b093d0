import type { Sha256 } from "../../src/base/sha256.js";
import { type Static, Type } from "../../src/base/typebox.js";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../src/base/files.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { object, Sha256Schema } from "../../src/documents/primitives.js";
import { SluiceError } from "../../src/base/error.js";
import type { Workspace } from "../../store/workspace.js";
import type { StepName } from "../../src/documents/choices.js";

const OutputsSchema = Type.Record(Type.String(), Type.String());

/** Inputs and outputs of the last run of each step. Safe to delete: the steps then run again. */
export const StepStateSchema = object({
  schema_version: Type.Literal(1),
  steps: Type.Record(
    Type.String(),
    object({
      inputs_sha256: Sha256Schema,
      outputs: OutputsSchema,
      summary: Type.String(),
      stop: Type.Optional(Type.String()),
    }),
  ),
});
export type StepState = Static<typeof StepStateSchema>;

/** Outputs of the finished steps, mostly ids, by step and name. */
export type StepOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** A named output of a finished step. @throws {SluiceError} INTERNAL  the step has no such output */
export function outputOf(outputs: StepOutputs, step: StepName, name: string): string {
  const made = outputs[step]?.[name];
  if (made === undefined) throw new SluiceError("INTERNAL", `step ${step} made no ${name}`);
  return made;
}

/** An output of a finished step that is an id. @throws {SluiceError} INTERNAL  the step has no such output */
export function idOf(outputs: StepOutputs, step: StepName, name: string): Sha256 {
  return outputOf(outputs, step, name) as Sha256;
}

const stateFile = (workspace: Workspace): string => join(workspace.directory, "project-state.json");

/** Reads the state of a workspace; empty if it is missing or invalid. */
export async function readStepState(workspace: Workspace): Promise<StepState> {
  const empty: StepState = { schema_version: 1, steps: {} };
  const bytes = await readFile(stateFile(workspace), "utf8").catch(() => null);
  if (bytes === null) return empty;
  try {
    return checkSchema(StepStateSchema, JSON.parse(bytes), stateFile(workspace));
  } catch {
    return empty;
  }
}

/** Replaces the state file atomically. @throws {SluiceError} WRITE_FAILED */
export async function writeStepState(workspace: Workspace, state: StepState): Promise<void> {
  await replaceFile(stateFile(workspace), Buffer.from(`${JSON.stringify(state, null, 1)}\n`), 0o644);
}
