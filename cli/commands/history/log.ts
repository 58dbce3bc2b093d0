import { SluiceError } from "../../../src/base/error.js";
import type { HistoryEntry } from "../../../store/history/entry.js";
import type { CommandContext } from "../../context.js";
import type { ResultParts } from "../../result.js";
import { printable, shortId } from "../../../src/base/text.js";
import { table, fields } from "../../table.js";
import type { Moment } from "./moment.js";
import { approvedBundles, listRecords } from "../../../stages/history.js";
import type { WorkOf } from "../../command.js";
import type { historyLogSpec } from "../../specs/history.js";
import type { BundleOnDay } from "../../../release/approved-on.js";
import { counted } from "../../../src/documents/number-text.js";
import type { StoredRevocation, StoredDecision } from "../../../release/kept-statements.js";
import { reproductionText } from "../../../reports/release/page-status.js";

export const historyLog: WorkOf<typeof historyLogSpec> = async (context, { approvedFor, ...args }) => {
  if (approvedFor !== undefined) return approvedOnDay(context, { ...args, environment: approvedFor });
  refuseWithout("--on", args.on, "--approved-for");
  refuseWithout("--trust", args.trust, "--approved-for");
  refuseWithout("--revocations", args.revocations, "--approved-for");
  const { kind, writtenBy, since, before } = args;
  const entries = await listRecords(context, { kind, actor: writtenBy, since: since?.first, until: before?.last });
  return {
    result: { entries },
    lines: logLines(entries),
    next: [context.nextLine("history", "verify")],
  };
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
  const { environment, trust: trustFile, revocations: revocationsFile } = args;
  const asked = { environment, on: args.on?.last, trustFile, revocationsFile };
  const { on, bundles, warnings } = await approvedBundles(context, asked);
  return {
    schema: "history-approved@1",
    result: { environment, on, bundles },
    lines: approvedLines(environment, on, bundles),
    warnings,
    next: [context.nextLine("history", "verify")],
  };
}

function refuseWithout(option: string, value: unknown, needed: string): void {
  if (value === undefined) return;
  throw new SluiceError("USAGE", `${option} needs ${needed}`, { hint: `Add ${needed} production.` });
}

/** One line per entry. */
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

function revocationText({ kind, sha256, revoked_at, revoker, reason, entry }: StoredRevocation): string {
  const why = reason === "" ? "" : `, "${printable(reason)}"`;
  const where = entry === null ? "in the list next to the trust policy" : `entry ${entry}`;
  return `${kind} ${shortId(sha256)} by ${printable(revoker)} at ${revoked_at}, ${where}${why}`;
}

function bundleLines(bundle: BundleOnDay): readonly string[] {
  const version = printable(bundle.bundle_version);
  return fields([
    [bundle.approved ? "approved" : "not approved", `${version}, entry ${bundle.entry}`],
    ["  bundle", bundle.bundle_id],
    ["  producer", printable(bundle.producer)],
    ...bundle.decisions.map((one): [string, string] => [`  ${decisionWords[one.decision]}`, decisionText(one)]),
    ...bundle.revocations.map((one): [string, string] => ["  revoked", revocationText(one)]),
    ...bundle.evidence.map(({ name, sha256 }): [string, string] => ["  evidence", `${printable(name)} ${sha256}`]),
    ...bundle.problems.map((problem): [string, string] => ["  because", problem]),
  ]);
}

/** Output lines, with approved bundles first. */
function approvedLines(environment: string, on: string, bundles: readonly BundleOnDay[]): readonly string[] {
  const approved = bundles.filter((bundle) => bundle.approved);
  const others = bundles.filter((bundle) => !bundle.approved);
  const head = `${counted(approved.length, "bundle was", "bundles were")} approved for ${environment} at ${on}`;
  return [head, ...[...approved, ...others].flatMap((bundle) => ["", ...bundleLines(bundle)])];
}

const decisionWords = { approve: "approved", reject: "rejected" } as const;

/** Describes a decision: by whom, for how long, where it is stored, and why. */
function decisionText(decision: StoredDecision): string {
  const reason = decision.reason === "" ? "" : `, "${printable(decision.reason)}"`;
  const validity = `${decision.not_before} to ${decision.expires}`;
  const gates = decision.gate_override;
  const override = gates === null ? "" : `, overrides failed gates: "${printable(gates)}"`;
  const derived = decision.reproduction === null ? "" : `, ${reproductionText(decision.reproduction)}`;
  const entry = `entry ${decision.entry} (${shortId(decision.record)})`;
  return `by ${printable(decision.approver)}, ${validity}, ${entry}${reason}${override}${derived}`;
}
