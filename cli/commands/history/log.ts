import { SluiceError } from "../../../src/errors/error.js";
import type { HistoryEntry } from "../../../workbench/history/entry.js";
import type { CommandContext } from "../../context.js";
import { withHistory } from "../../../workbench/records/with-history.js";
import type { ResultParts } from "../../result.js";
import { shortId } from "../../../workbench/records/short-id.js";
import { table } from "../../table.js";
import { utcSeconds } from "../../../workbench/records/timestamp.js";
import { readRevocations } from "../../../workbench/release/read-revocations.js";
import { readTrust } from "../../../workbench/release/read-trust.js";
import { approvedLines } from "./approved-lines.js";
import type { Moment } from "./moment.js";
import type { WorkOf } from "../../command.js";
import type { historyLogShape } from "../../shapes/history.js";
import { listEntries } from "../../../workbench/history/read.js";
import { approvedOn } from "../../../workbench/release/approved-on.js";

export const historyLog: WorkOf<typeof historyLogShape> = (context, { approvedFor, ...args }) => {
  if (approvedFor !== undefined) return approvedOnDay(context, { ...args, environment: approvedFor });
  refuseWithout("--on", args.on, "--approved-for");
  refuseWithout("--trust", args.trust, "--approved-for");
  refuseWithout("--revocations", args.revocations, "--approved-for");
  return withHistory(context, "read", async ({ history }) => {
    const { kind, writtenBy, since, before } = args;
    const entries = listEntries(history, { kind, actor: writtenBy, since: since?.first, until: before?.last });
    return {
      result: { entries },
      lines: logLines(entries),
      next: [context.nextLine("history", "verify")],
    };
  });
};

interface DayArguments {
  readonly environment: string;
  readonly kind: unknown;
  readonly writtenBy: unknown;
  readonly since: unknown;
  readonly before: unknown;
  readonly on: Moment | undefined;
  readonly trust: string | undefined;
  readonly revocations: string | undefined;
}

async function approvedOnDay(context: CommandContext, args: DayArguments): Promise<ResultParts> {
  const filters = [
    ["--kind", args.kind],
    ["--written-by", args.writtenBy],
    ["--since", args.since],
    ["--before", args.before],
  ] as const;
  for (const [flag, value] of filters) {
    if (value === undefined) continue;
    throw new SluiceError("USAGE", `${flag} cannot be combined with --approved-for`, { hint: `Leave out ${flag}.` });
  }
  const on = args.on?.last ?? utcSeconds(context.clock());
  const trustPolicyBytes = await readTrust(context, args.trust);
  const revocationBytes = await readRevocations(context, args);
  return withHistory(context, "read", async ({ history }) => {
    const { environment } = args;
    const { bundles, warnings } = approvedOn(history, { environment, on, trustPolicyBytes, revocationBytes });
    return {
      schema: "history-approved@1",
      result: { environment, on, bundles },
      lines: approvedLines(environment, on, bundles),
      warnings,
      next: [context.nextLine("history", "verify")],
    };
  });
}

function refuseWithout(option: string, value: unknown, needed: string): void {
  if (value === undefined) return;
  throw new SluiceError("USAGE", `${option} needs ${needed}`, { hint: `Add ${needed} production.` });
}

/** One line for each entry. */
export function logLines(entries: readonly HistoryEntry[]): readonly string[] {
  if (entries.length === 0) return ["no entries"];
  const rows = entries.map(({ seq, at, kind, sha256, actor, size }) => [
    String(seq),
    at,
    kind,
    shortId(sha256),
    actor,
    String(size),
  ]);
  return table(rows, ["seq", "time", "kind", "id", "actor", "bytes"]);
}
