import { type Static, Type } from "../../src/base/typebox.js";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../src/base/files.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { object, type ReadonlyStatic, Sha256Schema } from "../../src/documents/primitives.js";
import { SluiceError } from "../../src/base/error.js";
import type { Workspace } from "../../store/workspace.js";

const Id = Type.Optional(Sha256Schema);

const MadeSchema = object({
  catalog: Id,
  dataset: Id,
  split: Id,
  audit: Id,
  run: Id,
  /** Planned target, in (0, 1). */
  target: Type.Optional(Type.Number()),
  calibration: Id,
  report: Id,
  bundle: Id,
  manifest: Id,
});

/** Ids of the records that the steps of a project made, and the planned target. */
export type Made = ReadonlyStatic<typeof MadeSchema>;

/** Inputs and results of the last run of each step. Safe to delete: the steps then run again. */
export const StepStateSchema = object({
  schema_version: Type.Literal(1),
  steps: Type.Record(
    Type.String(),
    object({
      inputs_sha256: Sha256Schema,
      made: MadeSchema,
      summary: Type.String(),
      stop: Type.Optional(Type.String()),
    }),
  ),
});
export type StepState = Static<typeof StepStateSchema>;

/** Something that an earlier step made. @throws {SluiceError} INTERNAL  no step has */
export function madeOf<N extends keyof Made>(made: Made, name: N): NonNullable<Made[N]> {
  const found = made[name];
  if (found === undefined || found === null) throw new SluiceError("INTERNAL", `no step made the ${name}`);
  return found;
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
