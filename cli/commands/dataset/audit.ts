import { counted, formatFixedPercent, formatPercent } from "../../../src/documents/number-text.js";
import type { Audit } from "../../../datasets/audit/audit-dataset.js";
import type { AuditExample, AuditFinding, LabelSide } from "../../../datasets/audit/finding.js";
import type { AuditRecord } from "../../../datasets/audit/audit-document.js";
import type { LabelledRequest } from "../../../src/documents/dataset.js";
import type { Gate } from "../../result.js";
import { shortId } from "../../../src/base/text.js";
import { fields, table } from "../../table.js";
import type { WorkOf } from "../../command.js";
import type { CommandContext } from "../../context.js";
import { lineOf } from "../../../src/base/invocation.js";
import type { datasetAuditSpec } from "../../specs/dataset.js";
import { auditDataset, type DatasetAudit } from "../../../stages/audit.js";

export const datasetAudit: WorkOf<typeof datasetAuditSpec> = async (context, args, { withTexts }) => {
  const kept = await auditDataset(context, args);
  const textOf = textsById(withTexts ? kept.requests : []);
  return {
    result: wire(kept, textOf),
    lines: [...auditLines(kept, textOf), ...correctionLines(kept, context)],
    gates: kept.audit.findings.map((finding) => gateOf(finding, kept.record)),
    warnings: skippedChecks(kept.catalogId !== null, kept.splitId !== null),
    next:
      kept.splitId === null
        ? [context.next("dataset", "split", "--dataset", shortId(kept.record.dataset_sha256))]
        : [context.inProject ? context.next("run") : context.next("eval", "run")],
  };
};

function skippedChecks(hasCatalog: boolean, hasSplit: boolean): readonly string[] {
  return [
    ...(hasSplit ? [] : ["no split: leakage between folds was not checked"]),
    ...(hasCatalog ? [] : ["no catalog: labels and catalog examples were not checked"]),
  ];
}

const limitText = ({ limit }: AuditFinding): string =>
  typeof limit === "number"
    ? `<= ${formatPercent(limit)}`
    : `${formatPercent(limit.from)} to ${formatPercent(limit.to)}`;

function verdictOf({ check, passed }: AuditFinding, { override }: AuditRecord): "pass" | "fail" | "accepted" {
  if (passed) return "pass";
  return override?.checks.includes(check) === true ? "accepted" : "fail";
}

/** Text of a row by id; undefined unless texts are shown. */
type TextOf = (id: string) => string | undefined;

function textsById(rows: readonly LabelledRequest[]): TextOf {
  const texts = new Map(rows.map((row) => [row.id, row.text]));
  return (id) => texts.get(id);
}

function wire({ auditId, record, audit, usable }: DatasetAudit, textOf: TextOf) {
  return {
    audit: auditId,
    dataset: record.dataset_sha256,
    split: record.split_sha256,
    rows: audit.rows,
    passed: audit.passed,
    usable,
    override: record.override,
    findings: audit.findings.map((finding) => ({
      check: finding.check,
      meaning: finding.meaning,
      count: finding.count,
      share: finding.share,
      limit: finding.limit,
      passed: finding.passed,
      verdict: verdictOf(finding, record),
      examples: finding.examples.map(({ ids, note }) => {
        const texts = ids.flatMap((row) => textOf(row) ?? []);
        return texts.length === 0 ? { ids, note } : { ids, note, texts };
      }),
    })),
  };
}

function gateOf(finding: AuditFinding, record: AuditRecord): Gate {
  const measured = `${finding.count}, share ${formatFixedPercent(finding.share)}, allowed ${limitText(finding)}`;
  const verdict = verdictOf(finding, record);
  const note = verdict === "accepted" ? `; accepted by ${record.override?.actor}: ${record.override?.reason}` : "";
  return {
    name: finding.check,
    verdict: verdict === "fail" ? "fail" : "pass",
    message: `${finding.meaning}: ${measured}${note}`,
  };
}

export function auditLines({ auditId, record, audit, usable }: DatasetAudit, textOf: TextOf): readonly string[] {
  const rows = audit.findings.map((finding) => [
    finding.check,
    String(finding.count),
    formatFixedPercent(finding.share),
    limitText(finding),
    verdictOf(finding, record).replace("fail", "FAIL"),
  ]);
  const failed = audit.findings.filter((finding) => !finding.passed && finding.examples.length > 0);
  return [
    ...fields([
      ["audit", shortId(auditId)],
      ["dataset", `${shortId(record.dataset_sha256)}: ${counted(audit.rows, "request")}`],
      ["verdict", verdictText(record, audit, usable)],
    ]),
    "",
    ...table(rows, ["check", "found", "share", "allowed", "verdict"]),
    ...failed.flatMap((finding) => ["", `${finding.check}: ${finding.meaning}`, ...exampleLines(finding, textOf)]),
  ];
}

/** How to correct labels in conflict: the outvoted ones at once, and either label where as many texts have each. */
function correctionLines({ audit }: DatasetAudit, { inProject, next }: CommandContext): readonly string[] {
  const conflict = audit.findings.find(({ check, passed }) => check === "label_conflict" && !passed);
  const groups = conflict?.examples.flatMap(({ sides }) => (sides === undefined ? [] : [sides])) ?? [];
  if (groups.length === 0) return [];
  if (!inProject)
    return [
      "",
      'To withdraw a wrong label, add "withdrawn": "REASON" to its row in the labelled requests; then import them again.',
    ];
  const relabel = (rights: readonly string[]) =>
    `  ${lineOf(next("dataset", "relabel", ...rights, "--reason", "REASON"))}`;
  const isTied = ([first, second]: readonly LabelSide[]): boolean => first?.texts === second?.texts;
  const outvoted = groups.filter((sides) => !isTied(sides)).flatMap(rightLabels);
  const tied = groups
    .filter(isTied)
    .flatMap((sides) => sides.map((right) => rightLabels([right, ...sides.filter((side) => side !== right)])));
  return [
    ...(outvoted.length === 0
      ? []
      : ["", "To correct labels that more copies contradict than support:", relabel(outvoted)]),
    ...(tied.length === 0
      ? []
      : [
          "",
          "As many copies have each label; run the line with the right one:",
          ...tied.filter((rights) => rights.length > 0).map(relabel),
        ]),
  ];
}

/** Gives the rows of all other labels the first one. */
const rightLabels = ([right, ...others]: readonly LabelSide[]): readonly string[] =>
  others.flatMap(({ rows }) => rows.map((row) => `${row}=${right?.label ?? "none"}`));

function verdictText(record: AuditRecord, audit: Audit, usable: boolean): string {
  if (audit.passed) return "passed";
  if (record.override === null) return "failed";
  const { actor, checks: accepted, reason } = record.override;
  const left = usable ? "" : "failed; ";
  return `${left}accepted by ${actor}: ${accepted.join(", ")}: ${reason}`;
}

function exampleLines({ examples }: AuditFinding, textOf: TextOf): readonly string[] {
  return examples.flatMap(({ ids, note, sides }: AuditExample) => [
    `  ${ids.join(sides === undefined ? " repeats " : ", ")}${note === "" ? "" : `  (${note})`}`,
    ...ids.flatMap((row) => {
      const shown = textOf(row);
      return shown === undefined ? [] : [`      ${JSON.stringify(shown)}`];
    }),
  ]);
}
