import { type CheckedModel, checkModel } from "../../../workbench/models/check-model.js";
import type { ModelCheck } from "../../../workbench/models/model-check.js";
import { stepOf } from "../../../workbench/step-progress.js";
import { commandResult } from "../../result.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { modelCheckShape } from "../../shapes/model.js";
import { dirHash1, readDirectory } from "../../../src/artifacts/directory-hash.js";
import { InferencePool } from "../../../src/inference/pool.js";

export const modelCheck: WorkOf<typeof modelCheckShape> = async (context, { folder }) => {
  const { files, entries } = await readDirectory(folder);
  const pool = new InferencePool({ workers: 1, queueLimit: 64 });
  try {
    const checked = await checkModel(files, {
      pool,
      signal: context.signal,
      onRun: stepOf(context.progress, "probe"),
    });
    const { role, kind, version, capability } = checked.described;
    const digest = dirHash1(entries);
    return commandResult({
      schema: "model-check@1",
      result: { folder, role, kind, version, capability, dir_hash1: digest, checks: checked.checks },
      lines: checkedLines(checked, digest),
      gates: checked.checks.filter(({ status }) => status === "failed").map(failedGate),
      next: [context.nextLine("eval", "run", `--${role}`, folder)],
    });
  } finally {
    await pool.close();
  }
};

const failedGate = ({ name, found, expected }: ModelCheck) => ({
  name,
  verdict: "fail" as const,
  message: `found ${found}, expected ${expected}`,
});

function checkedLines({ described, checks }: CheckedModel, digest: string): readonly string[] {
  const { role, kind, version, capability } = described;
  const failures = checks.filter(({ status }) => status === "failed").length;
  return [
    ...fields([
      ["model", `${version}: ${role}, ${kind}, ${capability}`],
      ["dir_hash1", digest],
      ["checks", failures === 0 ? `${checks.length}, none failed` : `${checks.length} checks, ${failures} failed`],
    ]),
    "",
    ...table(
      checks.map((check) => [check.name, check.status, inWords(check)]),
      ["check", "status", "found"],
    ),
  ];
}

function inWords({ status, found, expected }: ModelCheck): string {
  if (expected === null) return found;
  if (status === "failed") return `${found}; expected ${expected}`;
  return status === "ok" ? `${found} (${expected})` : `${found}; ${expected}`;
}
