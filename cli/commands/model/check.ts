import { counted } from "../../../src/documents/number-text.js";
import type { ModelCheck } from "../../../train/exports/model-check.js";
import { type CheckedFolder, checkFolder } from "../../../stages/models.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { modelCheckSpec } from "../../specs/model.js";

export const modelCheck: WorkOf<typeof modelCheckSpec> = async (context, { folder, expected, tolerance }) => {
  const checked = await checkFolder(context, folder, expected === undefined ? null : { file: expected, tolerance });
  const { role, kind, version, capability } = checked.described;
  return {
    result: { folder, role, kind, version, capability, dir_hash1: checked.dirHash1, checks: checked.checks },
    lines: checkedLines(checked),
    gates: checked.checks.filter(({ status }) => status === "failed").map(failedGate),
    next: [context.next("eval", "run", `--${role}`, folder)],
  };
};

const failedGate = ({ name, found, expected }: ModelCheck) => ({
  name,
  verdict: "fail" as const,
  message: `found ${found}, expected ${expected}`,
});

function checkedLines({ described, checks, dirHash1 }: CheckedFolder): readonly string[] {
  const { role, kind, version, capability } = described;
  const failures = checks.filter(({ status }) => status === "failed").length;
  return [
    ...fields([
      ["model", `${version}: ${role}, ${kind}, ${capability}`],
      ["dir_hash1", dirHash1],
      [
        "checks",
        failures === 0 ? `${checks.length}, none failed` : `${counted(checks.length, "check")}, ${failures} failed`,
      ],
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
