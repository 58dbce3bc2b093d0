/**
 * Texts that follow another one of the same conversation: turns of SGD, over a catalog of one service per domain that is
 * certified on requests of other conversations. Prints how they are decided if each names the workflow that served the
 * turn before, next to the same texts as if each stood alone.
 *
 *   node dist/bench/follow-ups.js [--data FOLDER] [--checkpoint DIR] [--turns 4000]
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";
import { fitCalibration } from "../calibrate/fit-calibration.js";
import { groupBy } from "../src/base/group-by.js";
import { type Sha256, sha256Hex } from "../src/base/sha256.js";
import type { Catalog } from "../src/documents/catalog.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Decision } from "../src/documents/decision.js";
import { defaultPolicy } from "../src/documents/policy.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import { CandidateScorer } from "../src/router/candidate-scorer.js";
import { parseCatalog } from "../src/router/catalog/load.js";
import { loadModels } from "../src/router/load-models.js";
import { decide } from "../src/router/policy/decide.js";
import { aRouteRequest } from "../test/support/builders.js";
import { shared } from "../test/support/shared.js";
import { canonicalBytes } from "../src/base/canonical-json.js";
import { importSgd } from "./datasets/import-sgd.js";
import { workflowIdOf } from "./datasets/sgd-request.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { atMost, scoreProtocol } from "./held-out/protocol.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    checkpoint: { type: "string", default: "models/default" },
    turns: { type: "string", default: "4000" },
  },
});
const print = (line: string): unknown => process.stdout.write(`${line}\n`);
const examplesEach = 10;
const requestsEach = 60;
const targetRisk = 0.05;
const inFlight = 16;
/** Domains outside of the catalog, as in the study of these turns. */
const leftOut = new Set(["Calendar", "Homes", "Travel", "Alarm"]);

/** A third of the conversations for examples, certification and measurement each. */
const thirdOf = (conversation: string): number => Number.parseInt(sha256Hex(conversation).slice(0, 8), 16) % 3;
const conversationOf = ({ id }: { readonly id: string }): string => id.slice(0, id.lastIndexOf("-"));

interface Turn {
  readonly id: string;
  readonly text: string;
  readonly previous_workflow_id: string;
  readonly workflow_id: string;
  readonly acts: readonly string[];
}

interface World {
  readonly catalog: Catalog;
  readonly certify: readonly LabelledRequest[];
  readonly turns: readonly Turn[];
}

function worldOf(data: string): World {
  const source = (name: string) => ({ file: name, bytes: readFileSync(join(data, "sgd", name)) });
  const imported = importSgd({ kind: "lines", requests: source("data.jsonl"), catalog: source("catalog.jsonl") });
  const whole = parseCatalog(canonicalBytes(imported.catalog), "catalog of sgd");
  const lines = gunzipSync(readFileSync(join(data, "sgd/turns.jsonl.gz")))
    .toString("utf8")
    .trim()
    .split("\n");
  const turns = lines.map((line) => JSON.parse(line) as Turn);
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
  return {
    catalog: { ...whole, workflows },
    certify: atMost(ofThird(1), requestsEach, ({ workflow_id: id }) => id ?? ""),
    turns: turns
      .filter(
        (turn) =>
          thirdOf(conversationOf(turn)) === 2 && inWorld(turn.workflow_id) && inWorld(turn.previous_workflow_id),
      )
      .slice(0, Number(values.turns)),
  };
}

const closes = ({ acts }: Turn): boolean => acts.includes("GOODBYE") || acts.includes("THANK_YOU");
const kindOf = (turn: Turn): string => {
  if (closes(turn)) return "ends the conversation";
  if (turn.workflow_id === turn.previous_workflow_id) return "continues the workflow";
  return turn.acts.includes("INFORM_INTENT") ? "names another workflow" : "changes it otherwise";
};

const noDigest = "0".repeat(64) as Sha256;
const { sources } = await checkpointAt(values.checkpoint, "checkpoint");
const { catalog, certify, turns } = worldOf(values.data);
const records = await scoreProtocol(sources, { catalog, rows: certify, removed: new Set() });
const calibration = fitCalibration({
  records: records.map((record) => ({ ...record, fold: "certify" as const })),
  target_risk: targetRisk,
  delta: 0.05,
  claim: "fixed-catalog",
  calibrator: "catalog-features",
  digests: { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest },
  version: "bench",
});
print(`${catalog.workflows.length} workflows; ${calibration.claims[0]?.sentence ?? ""}`);

interface Answered {
  readonly kind: string;
  /** null if nothing should run. */
  readonly right: WorkflowId | null;
  readonly alone: Decision;
  readonly following: Decision;
}

const models = await loadModels(catalog, sources, { workers: 2, queueLimit: 4096 });
const scorer = new CandidateScorer({ catalog, policy: defaultPolicy, ...models, now: () => 0 });
const answered: Answered[] = [];
const queue = turns.values();
const answerNext = async (): Promise<void> => {
  for (const turn of queue) {
    const previous = { workflow_id: workflowIdOf(turn.previous_workflow_id) };
    const scored = await scorer.score(aRouteRequest({ text: turn.text, previous }));
    const { followUp: _followUp, ...alone } = scored;
    const id = workflowIdOf(turn.workflow_id);
    const right = !closes(turn) && scorer.workflows.has(id) ? (id as WorkflowId) : null;
    answered.push({
      kind: kindOf(turn),
      right,
      alone: decide(alone, calibration),
      following: decide(scored, calibration),
    });
  }
};
await Promise.all(Array.from({ length: inFlight }, answerNext));
await models.close();

const percent = (k: number, n: number): string => (n === 0 ? "-" : `${((100 * k) / n).toFixed(1)}%`);
const cells = (own: readonly Answered[], of: "alone" | "following"): string => {
  const routed = own.filter((one) => one[of].decision !== "LLM_REQUIRED");
  const wrong = routed.filter((one) => one[of].workflow_id !== one.right).length;
  return `${percent(routed.length, own.length)} | ${wrong} of ${routed.length}`;
};
print(
  "| Kind | Texts | Alone: routed | wrong | As a follow-up: routed | wrong | NO_REQUEST |\n|---|---|---|---|---|---|---|",
);
for (const [kind, own] of [...groupBy(answered, (one) => one.kind), ["all", answered] as const]) {
  const ended = own.filter((one) => one.following.reason_code === "NO_REQUEST").length;
  print(
    `| ${kind} | ${own.length} | ${cells(own, "alone")} | ${cells(own, "following")} | ${percent(ended, own.length)} |`,
  );
}
