/**
 * Texts that follow another one of the same conversation: turns of SGD, over a catalog of one service per domain. A third of
 * the conversations gives the examples; requests and follow-ups of the second third are certified; those of the last third,
 * which no detector was fitted on, are measured, without and with the claims about follow-ups. Turns are sampled so that
 * they change the workflow as often as all turns of SGD do. Last, requests that stand alone with a previous workflow that has
 * nothing to do with them.
 *
 *   node dist/bench/follow-ups.js [--data FOLDER] [--checkpoint DIR]
 */
import { statementOf } from "../src/documents/calibration.js";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fitCalibration } from "../calibrate/fit-calibration.js";
import { groupBy } from "../src/base/group-by.js";
import { type Sha256, sha256Hex } from "../src/base/sha256.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Decision } from "../src/documents/decision.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import { firstEligible } from "../src/router/policy/apply-calibration.js";
import { decide } from "../src/router/policy/decide.js";
import { answerOfFollowUp, ownCandidates } from "../src/router/policy/follow-up.js";
import { shared } from "../test/support/shared.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { importSgd } from "./datasets/import-sgd.js";
import {
  closes,
  conversationOf,
  measuredThird,
  type SgdTurn,
  sgdTurns,
  statesWish,
  thirdOf,
} from "./datasets/sgd-turns.js";
import { workflowIdOf } from "./datasets/sgd-request.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { atMost, scoreProtocol } from "./held-out/protocol.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    checkpoint: { type: "string", default: "models/default" },
  },
});
const print = (line: string): unknown => process.stdout.write(`${line}\n`);
const examplesEach = 10;
const requestsEach = 60;
const mostUnrelated = 1000;
/** Turns that change the workflow for each that keeps it, and the share of these that accept an offer, of 70,026 turns. */
const changesPerKept = 17 / 65;
const offers = 0.19;
const targetRisk = 0.05;
/** Domains outside of the catalog, as in the study of these turns. */
const leftOut = new Set(["Calendar", "Homes", "Travel", "Alarm"]);

interface World {
  readonly catalog: Catalog;
  readonly certify: readonly LabelledRequest[];
  /** Follow-ups of other conversations than those that are measured. */
  readonly labelled: readonly SgdTurn[];
  readonly measured: readonly SgdTurn[];
  /** Requests that stand alone, of the measured conversations. */
  readonly asked: readonly LabelledRequest[];
}

function worldOf(data: string): World {
  const source = (name: string) => ({ file: name, bytes: readFileSync(join(data, "sgd", name)) });
  const imported = importSgd({ kind: "lines", requests: source("data.jsonl"), catalog: source("catalog.jsonl") });
  const whole = parseCatalog(canonicalBytes(imported.catalog), "catalog of sgd");
  const turns = sgdTurns(data);
  const serviceOf = (id: string): string => id.slice(0, id.indexOf("."));
  const domainOf = (id: string): string => id.slice(0, id.indexOf("_"));
  const counts = groupBy(turns, ({ previous_workflow_id: id }) => serviceOf(id));
  const chosen = new Map<string, string>();
  for (const [service] of [...counts].toSorted(([, a], [, b]) => b.length - a.length)) {
    if (!chosen.has(domainOf(service))) chosen.set(domainOf(service), service);
  }
  const services = new Set([...chosen].filter(([domain]) => !leftOut.has(domain)).map(([, service]) => service));
  const known = new Set(
    turns
      .map((turn) => turn.workflow_id)
      .filter((id) => services.has(serviceOf(id)))
      .map(workflowIdOf),
  );
  const asked = imported.rows
    .filter(({ workflow_id: id }) => id !== null && known.has(id))
    .map((row) => ({ ...row, allowed_workflow_ids: null }));
  const ofThird = (third: number) => asked.filter((row) => thirdOf(conversationOf(row)) === third);
  const examples = groupBy(
    atMost(ofThird(0), examplesEach, ({ workflow_id: id }) => id ?? ""),
    ({ workflow_id: id }) => id ?? "",
  );
  const workflows = whole.workflows
    .filter(({ workflow_id: id }) => known.has(id))
    .map((workflow) => ({
      ...workflow,
      required_inputs: [],
      examples: (examples.get(workflow.workflow_id) ?? []).map(({ text }) => text),
    }));
  const inWorld = (id: string): boolean => services.has(serviceOf(id)) || leftOut.has(domainOf(id));
  const inTraffic = asInTraffic(
    turns.filter((turn) => inWorld(turn.workflow_id) && inWorld(turn.previous_workflow_id)),
  );
  const ofConversations = (third: number) => inTraffic.filter((turn) => thirdOf(conversationOf(turn)) === third);
  return {
    catalog: { ...whole, workflows },
    certify: atMost(ofThird(1), requestsEach, ({ workflow_id: id }) => id ?? ""),
    labelled: ofConversations(1),
    measured: ofConversations(measuredThird),
    asked: ofThird(measuredThird).slice(0, mostUnrelated),
  };
}

type Kind =
  | "continues the workflow"
  | "names another workflow"
  | "accepts an offer of another"
  | "ends the conversation";

/** null for turns that say nothing of what they are, or whose previous turn is missing. */
function kindOf(turn: SgdTurn): Kind | null {
  if (turn.acts.length === 0) return null;
  if (closes(turn)) return "ends the conversation";
  if (turn.workflow_id === turn.previous_workflow_id) return "continues the workflow";
  if (statesWish(turn)) return "names another workflow";
  return turn.acts.includes("AFFIRM_INTENT") ? "accepts an offer of another" : null;
}

/** As many changes as all turns of SGD have. */
function asInTraffic(turns: readonly SgdTurn[]): readonly SgdTurn[] {
  const byKind = groupBy(turns, kindOf);
  const kept = byKind.get("continues the workflow")?.length ?? 0;
  const share: Readonly<Partial<Record<Kind, number>>> = {
    "names another workflow": kept * changesPerKept * (1 - offers),
    "accepts an offer of another": kept * changesPerKept * offers,
  };
  const drawn = [...byKind].flatMap(([kind, own]) =>
    kind === null
      ? []
      : own
          .map((turn) => ({ turn, draw: sha256Hex(turn.id) }))
          .toSorted((a, b) => (a.draw < b.draw ? -1 : 1))
          .slice(0, Math.round(share[kind] ?? own.length))
          .map(({ turn }) => turn),
  );
  return drawn.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

const noDigest = "0".repeat(64) as Sha256;
const { sources } = await checkpointAt(values.checkpoint, "checkpoint");
const { catalog, certify, labelled, measured, asked } = worldOf(values.data);
const ids = catalog.workflows.map(({ workflow_id: id }) => id);
const rowOf = (turn: SgdTurn): LabelledRequest => {
  const id = workflowIdOf(turn.workflow_id);
  return {
    id: turn.id,
    text: turn.text,
    workflow_id: !closes(turn) && ids.includes(id as WorkflowId) ? (id as WorkflowId) : null,
    group_id: conversationOf(turn),
    previous: { workflow_id: workflowIdOf(turn.previous_workflow_id) },
  };
};
const scored = (rows: readonly LabelledRequest[]) => scoreProtocol(sources, { catalog, rows, removed: new Set() });
const records = await scored(certify);
const followUps = {
  requestsSha256: noDigest,
  recordsSha256: noDigest,
  records: await scored(labelled.map(rowOf)),
  attempt: 1,
};
const calibration = fitCalibration({
  records: records.map((record) => ({ ...record, fold: "certify" as const })),
  followUps,
  target_risk: targetRisk,
  delta: 0.05,
  claim: "fixed-catalog",
  calibrator: "catalog-features",
  digests: { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest },
  version: "bench",
});
const { follow_ups: certified, ...without } = calibration;
if (certified === undefined) throw new Error("the calibration has no claims about follow-ups");
print(`${catalog.workflows.length} workflows; ${calibration.claims.map(statementOf).join(" ")}`);
print(`${certified.requests} labelled follow-ups of ${certified.conversations} conversations`);
for (const { sentence } of [certified.repeats, certified.changes]) print(sentence);

interface Answered {
  readonly kind: Kind | null;
  readonly dev: boolean;
  readonly record: ScoredRecord;
  readonly before: Decision;
  readonly now: Decision;
}

const byId = new Map(measured.map((turn) => [turn.id, turn]));
const answered = (await scored(measured.map(rowOf))).map((record): Answered => {
  const turn = byId.get(record.id);
  return {
    kind: turn === undefined ? null : kindOf(turn),
    dev: turn?.split === "val",
    record,
    before: decide(record, without),
    now: decide(record, calibration),
  };
});

const percent = (k: number, n: number): string => (n === 0 ? "-" : `${((100 * k) / n).toFixed(1)}%`);
const routedOf = (own: readonly Answered[], of: "before" | "now") =>
  own.filter((one) => one[of].decision !== "LLM_REQUIRED");
const wrongOf = (routed: readonly Answered[], of: "before" | "now"): number =>
  routed.filter((one) => one[of].workflow_id !== one.record.workflow_id).length;
const cells = (own: readonly Answered[], of: "before" | "now"): string => {
  const routed = routedOf(own, of);
  return `${percent(routed.length, own.length)} | ${wrongOf(routed, of)} of ${routed.length}`;
};
print(
  "| Kind | Texts | Without the claims: routed | wrong | With them: routed | wrong | NO_REQUEST |\n|---|---|---|---|---|---|---|",
);
const row = (name: string, own: readonly Answered[]): unknown => {
  const ended = own.filter((one) => one.now.reason_code === "NO_REQUEST").length;
  return print(
    `| ${name} | ${own.length} | ${cells(own, "before")} | ${cells(own, "now")} | ${percent(ended, own.length)} |`,
  );
};
for (const [kind, own] of groupBy(answered, (one) => one.kind ?? "")) row(kind, own);
const inScope = answered.filter(({ record }) => record.workflow_id !== null);
row("in scope", inScope);
row(
  "in scope, dev part",
  inScope.filter(({ dev }) => dev),
);
row("all", answered);
const changed = routedOf(answered, "now").filter(({ record, now }) => now.workflow_id !== record.followUp?.previous);
print(`routes that change the workflow: ${wrongOf(changed, "now")} wrong of ${changed.length}`);

const unrelated = await scored(
  asked.map((own, index) => ({ ...own, previous: { workflow_id: ids[(index * 7919 + 13) % ids.length] ?? null } })),
);
const top = (of: (record: ScoredRecord) => string | undefined): string =>
  percent(unrelated.filter((record) => of(record) === record.workflow_id).length, unrelated.length);
print(
  `${unrelated.length} requests with an unrelated previous workflow, top-1: alone ` +
    `${top((record) => firstEligible(ownCandidates(record))?.workflow_id)}, as follow-ups ${top((record) => answerOfFollowUp(record)?.candidate.workflow_id)}`,
);
