import { defineCommand } from "../command.js";
import { commandResult } from "../result.js";
import { table } from "../table.js";
import type { Check } from "./doctor-checks.js";

export const doctor = defineCommand({
  name: ["doctor"],
  describe: "Check this machine, and the bundle of the workspace",
  positionals: {},
  options: {},
  examples: [
    ["sluice doctor", "one line for each check, with the repair"],
    ["sluice doctor --json", "the same as a document"],
  ],
  run: async (context) => {
    const { runChecks } = await import("./doctor-checks.js");
    const { checkBundle } = await import("./doctor-bundle.js");
    const checks = [
      ...(await runChecks(context.host, context.workspace)),
      ...(await checkBundle(context.workspace, new Date(context.clock()))),
    ];
    const broken = checks.filter((check) => !check.ok);
    return commandResult({
      schema: "doctor@1",
      result: { ok: broken.length === 0, checks },
      lines: doctorLines(checks),
      next: broken.flatMap((check) => check.repair ?? []).slice(0, 3),
      exitCode: broken.length === 0 ? 0 : 1,
    });
  },
});

/** One line for each check: what was found, and `ok` or the repair. */
export function doctorLines(checks: readonly Check[]): readonly string[] {
  return table(
    checks.map(({ name, found, ok, repair }) => [ok ? "ok" : "BROKEN", name, found, ok ? "" : (repair ?? "")]),
  );
}
