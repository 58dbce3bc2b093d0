import type { CheckedModel } from "../../../src/models/check-model.js";
import type { ModelCheck } from "../../../src/models/model-check.js";
import { defineCommand } from "../../command.js";
import { required } from "../../options.js";
import { path } from "../../parsers.js";
import { stepOf } from "../../step-progress.js";
import { commandResult } from "../../result.js";
import { fields, table } from "../../table.js";

export const modelCheck = defineCommand({
  name: ["model", "check"],
  describe: "Compare router_model.json with the files of the model and with what runs show",
  positionals: { folder: required(path, "model directory with router_model.json") },
  options: {},
  examples: [
    ["sluice model check my-encoder", "every comparison, with what was found and what was expected"],
    ["sluice model check my-encoder --json", "the same for a script; exit code 3 when one fails"],
  ],
  run: async (context, { folder }) => {
    const { dirHash1, readDirectory } = await import("../../../src/artifacts/directory-hash.js");
    const { InferencePool } = await import("../../../src/inference/pool.js");
    const { checkModel } = await import("../../../src/models/check-model.js");
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
  },
});

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
      ["checks", failures === 0 ? `${checks.length}, none failed` : `${checks.length}, of them failed ${failures}`],
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
