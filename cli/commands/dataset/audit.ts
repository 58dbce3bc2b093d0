import {
  type Audit,
  type AuditCheck,
  type AuditFinding,
  auditChecks,
  defaultNearDuplicateLimit,
} from "../../../datasets/audit.js";
import type { SplitWire } from "../../../src/domain/split.js";
import { SluiceError } from "../../../src/errors/error.js";
import type { History } from "../../../src/history/open.js";
import { defineCommand } from "../../command.js";
import { optional, preset, repeated } from "../../options.js";
import { id, list, probability, type Reference, reference, type ValueKind } from "../../parsers.js";
import { catalogIfAny, withHistory } from "../../records.js";
import { shortId } from "../../short-id.js";
import { commandResult, type Gate } from "../../result.js";
import { table } from "../../table.js";

/** Names of checks, separated by commas. */
const checks: ValueKind<readonly AuditCheck[]> = {
  placeholder: "CHECK,...",
  parse: (raw, name) =>
    list.parse(raw, name).map((word) => {
      const check = auditChecks.find((known) => known === word);
      if (check !== undefined) return check;
      throw new SluiceError("USAGE", `${name}: there is no check "${word}"`, {
        hint: `The checks are ${auditChecks.join(", ")}.`,
      });
    }),
};

export const datasetAudit = defineCommand({
  name: ["dataset", "audit"],
  describe: "Look for leakage, duplicates, contradictions and personal data",
  positionals: {},
  options: {
    dataset: optional(id, "data set; that of the split, or the latest, when absent"),
    catalog: optional(reference, "catalog; that of the split, or the latest, when absent"),
    split: optional(id, "split; the latest of the data set when absent"),
    accept: repeated(checks, "checks that may fail; they count as passed and are shown as accepted"),
    "max-near-duplicates": preset(
      probability,
      String(defaultNearDuplicateLimit),
      "largest share of near-duplicates that passes",
    ),
  },
  examples: [
    ["sluice dataset audit", "the latest data set, with its split when there is one"],
    ["sluice dataset audit --split 3f9c01ab --accept personal_data", "invented personal data is known and accepted"],
  ],
  run: (context, args) =>
    withHistory(context, "read", async ({ history }) => {
      const { auditDataset } = await import("../../../datasets/audit.js");
      const { readDataset, readSplit } = await import("../../stages/read-records.js");
      const named = args.split === undefined ? undefined : readSplit(history, args.split).document;
      const dataset = readDataset(history, args.dataset ?? named?.dataset_sha256);
      const split = named ?? (await latestSplitOf(history, dataset.sha256));
      if (split !== undefined) requireSplitOf(dataset.sha256, split);
      const found = await catalogIfAny(history, args.catalog ?? catalogOfSplit(split));
      const audit = auditDataset({
        rows: dataset.document,
        ...(found === undefined ? {} : { catalog: found.document }),
        ...(split === undefined ? {} : { split }),
        accepted: args.accept.flat(),
        maxNearDuplicates: args.maxNearDuplicates,
      });
      const [skipped, next] = [skippedChecks(found !== undefined, split !== undefined), splitLine(split)];
      return commandResult({
        schema: "dataset-audit@1",
        result: { dataset: dataset.sha256, rows: audit.rows, passed: audit.passed, findings: audit.findings.map(wire) },
        lines: auditLines(dataset.sha256, audit),
        gates: audit.findings.map(gateOf),
        warnings: skipped,
        next: next === null ? [] : [context.nextLine(...next, "--dataset", shortId(dataset.sha256))],
      });
    }),
});

const splitLine = (split: SplitWire | undefined): readonly string[] | null =>
  split === undefined ? ["dataset", "split"] : null;

const catalogOfSplit = (split: SplitWire | undefined): Reference | undefined =>
  split === undefined ? undefined : { kind: "id", id: split.catalog_sha256 };

async function latestSplitOf(history: History, dataset: string): Promise<SplitWire | undefined> {
  const { listEntries } = await import("../../../src/history/read.js");
  const { readSplit } = await import("../../stages/read-records.js");
  for (const { sha256 } of listEntries(history, { kind: "split" }).toReversed()) {
    const { document } = readSplit(history, sha256);
    if (document.dataset_sha256 === dataset) return document;
  }
  return undefined;
}

function requireSplitOf(dataset: string, split: SplitWire): void {
  if (split.dataset_sha256 === dataset) return;
  const [found, expected] = [shortId(split.dataset_sha256), shortId(dataset)];
  throw new SluiceError("SPLIT_MISMATCH", `the split belongs to data set ${found}, expected ${expected}`, {
    hint: `Run: sluice dataset split --dataset ${expected}`,
  });
}

function skippedChecks(hasCatalog: boolean, hasSplit: boolean): readonly string[] {
  return [
    ...(hasSplit ? [] : ["no split: leakage between folds was not checked"]),
    ...(hasCatalog ? [] : ["no catalog: labels and catalog examples were not checked"]),
  ];
}

const limitText = ({ limit }: AuditFinding): string =>
  typeof limit === "number" ? `<= ${limit}` : `${limit.from} to ${limit.to}`;

function verdictOf({ passed, accepted }: AuditFinding): "pass" | "fail" | "accepted" {
  if (accepted) return "accepted";
  return passed ? "pass" : "fail";
}

function wire(finding: AuditFinding) {
  const { check, meaning, count, share, limit, passed, examples } = finding;
  return { check, meaning, count, share, limit, passed, verdict: verdictOf(finding), examples };
}

function gateOf(finding: AuditFinding): Gate {
  const measured = `${finding.count}, share ${finding.share.toFixed(4)}, allowed ${limitText(finding)}`;
  const note = finding.accepted ? "; accepted by the caller" : "";
  return {
    name: finding.check,
    verdict: finding.passed ? "pass" : "fail",
    message: `${finding.meaning}: ${measured}${note}`,
  };
}

/** One line for each check, then the rows behind every failed or accepted one. */
export function auditLines(dataset: string, audit: Audit): readonly string[] {
  const rows = audit.findings.map((finding) => [
    finding.check,
    String(finding.count),
    finding.share.toFixed(4),
    limitText(finding),
    finding.passed ? verdictOf(finding) : "FAIL",
  ]);
  const failed = audit.findings.filter((finding) => verdictOf(finding) !== "pass" && finding.examples.length > 0);
  return [
    `dataset ${shortId(dataset)}: ${audit.rows} requests, audit ${audit.passed ? "passed" : "failed"}`,
    "",
    ...table(rows, ["check", "found", "share", "allowed", "verdict"]),
    ...failed.flatMap(({ check, meaning, examples }) => ["", `${check}: ${meaning}`, ...examples.map((e) => `  ${e}`)]),
  ];
}
