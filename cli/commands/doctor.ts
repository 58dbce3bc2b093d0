import { table } from "../table.js";
import { type Check, runChecks } from "../../stages/doctor.js";
import type { ShownSetting } from "../shown-settings.js";
import type { WorkOf } from "../command.js";
import type { doctorSpec } from "../specs/project.js";

export const doctor: WorkOf<typeof doctorSpec> = async (context) => {
  const checks = await runChecks(context.host, context.workspace, context.clock());
  const { settings } = context;
  const broken = checks.filter((check) => !check.ok);
  return {
    result: { ok: broken.length === 0, checks, settings },
    lines: [...doctorLines(checks), "", ...settingLines(settings)],
    warnings: settings.flatMap(({ problem }) => problem ?? []),
    exitCode: broken.length === 0 ? 0 : 1,
  };
};

/** One line per check: the finding, and `ok` or how to repair it. */
export function doctorLines(checks: readonly Check[]): readonly string[] {
  return table(
    checks.map(({ name, found, ok, repair }) => [ok ? "ok" : "BROKEN", name, found, ok ? "" : (repair ?? "")]),
  );
}

export function settingLines(settings: readonly ShownSetting[]): readonly string[] {
  return table(
    settings.map(({ name, value, origin, commands }) => [
      name,
      value ?? (origin === "default" ? "none" : "set, not shown"),
      origin,
      commands.length === 0 ? "every command" : commands.join(", "),
    ]),
    ["setting", "value", "from", "read by"],
  );
}
