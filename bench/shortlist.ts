/**
 * Measures shortlists on published data and in simulated worlds. Data is scored by the serving code, certified for this
 * catalog on half of the requests (CLINC150: the validation part), and measured on the other half (the test part). SGD:
 * services that are not in the training part. In the worlds of `bench:guarantee`, counts how often more is missed than
 * signed. Prints Markdown.
 *
 *   node dist/bench/shortlist.js [--only banking77,banking77-50,service-desk,dialogues,tools,clinc150,worlds]
 *       [--data FOLDER] [--checkpoint DIR] [--calibrator FAMILY] [--catalogs 5] [--tools 4000]
 *       [--repetitions 200] [--workflows 16,40,52,80,150]
 */
import { parseArgs } from "node:util";
import { fitCalibration } from "../calibrate/fit-calibration.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { CalibratorFamily } from "../src/documents/calibrator.js";
import type { ClaimKind } from "../src/documents/choices.js";
import { clusterOf, type LabelledRequest } from "../src/documents/dataset.js";
import type { WorkflowId } from "../src/documents/primitives.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { decide } from "../src/router/policy/decide.js";
import { emptyShortlist, shortlist } from "../src/router/policy/shortlist.js";
import { allowedViolations } from "../test/calibrate/guarantee/run-worlds.js";
import { runShortlists } from "../test/calibrate/guarantee/shortlists.js";
import { syntheticWorlds } from "../test/calibrate/guarantee/worlds.js";
import { catalogOf, publishedSeeds, readClinc150 } from "../test/support/clinc150.js";
import { shared } from "../test/support/shared.js";
import { bankingProtocol, wholeBankingProtocol } from "./held-out/banking.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { dialogueProtocol, withExamples } from "./held-out/dialogues.js";
import { type Protocol, scoreProtocol } from "./held-out/protocol.js";
import { serviceDeskProtocol } from "./held-out/service-desk.js";
import { toolListProtocol } from "./held-out/tool-list.js";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "banking77,banking77-50,service-desk,dialogues,tools,clinc150,worlds" },
    data: { type: "string", default: shared("data") },
    checkpoint: { type: "string", default: "models/default" },
    calibrator: { type: "string", default: "catalog-features" },
    tools: { type: "string", default: "4000" },
    catalogs: { type: "string", default: "5" },
    repetitions: { type: "string", default: "200" },
    workflows: { type: "string", default: "16,40,52,80,150" },
  },
});
const delta = 0.05;
const toolRequests = 1500;
const noDigest = "0".repeat(64) as ReturnType<typeof sha256Hex>;
const print = (line: string): unknown => process.stdout.write(`${line}\n`);
const percent = (k: number, n: number): string => (n === 0 ? "-" : (100 * (k / n)).toFixed(1));

/** Assigns a record to a half: by its published part if there is one, otherwise by a digest of its name or workflow. */
type Halves = (record: ScoredRecord) => "certify" | "eval";
const halfOfName = (name: string) => (Number.parseInt(sha256Hex(name).slice(0, 8), 16) % 2 === 0 ? "certify" : "eval");
const byDigest: Halves = ({ id }) => halfOfName(id);
const byWorkflow: Halves = ({ cluster }) => halfOfName(cluster);

function measured(set: string, records: readonly ScoredRecord[], halfOf: Halves, claim: ClaimKind): void {
  const calibration = fitCalibration({
    records: records.map((record) => ({ ...record, fold: halfOf(record) })),
    target_risk: 0.05,
    delta,
    claim,
    ...(claim === "fixed-catalog" ? { calibrator: values.calibrator as CalibratorFamily } : {}),
    digests: { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest },
    version: "bench",
  });
  const found = calibration.shortlist;
  if (found === undefined) return;
  const held = records.filter((record) => halfOf(record) === "eval" && record.error_code === null);
  const rows = held.map((record) => {
    const { workflows } =
      record.early_reason === null ? shortlist(record, calibration) : emptyShortlist(record.early_reason);
    const isDeclined = decide(record, calibration).decision === "LLM_REQUIRED";
    const isRight = workflows.some(({ workflow_id: workflowId }) => workflowId === record.workflow_id);
    return { isInScope: record.workflow_id !== null, length: workflows.length, isRight, isDeclined };
  });
  const [inside, outside] = [rows.filter((row) => row.isInScope), rows.filter((row) => !row.isInScope)];
  const declined = inside.filter(({ isDeclined }) => isDeclined);
  const helped = declined.filter(({ length, isRight }) => length >= 1 && length <= 3 && isRight).length;
  const short = declined.filter(({ length }) => length >= 1 && length <= 3).length;
  const signed = found.certified ? `${100 * found.target_miss}%` : "nothing";
  const meanLength = inside.reduce((sum, { length }) => sum + length, 0) / Math.max(1, inside.length);
  const missed = inside.filter(({ isRight }) => !isRight).length;
  const cells = [
    set,
    signed,
    `${found.missed} of ${found.requests}`,
    `${missed} of ${inside.length} (${percent(missed, inside.length)})`,
    meanLength.toFixed(2),
    percent(outside.filter(({ length }) => length === 0).length, outside.length),
    percent(declined.length, inside.length),
    `${percent(short, declined.length)} (${percent(helped, declined.length)})`,
  ];
  print(`| ${cells.join(" | ")} |`);
}

const { sources } = await checkpointAt(values.checkpoint, values.checkpoint);
const scored = (protocol: Protocol): Promise<readonly ScoredRecord[]> => scoreProtocol(sources, protocol);
const withoutFar = ({ rows, ...protocol }: Protocol): Protocol => {
  return { ...protocol, rows: rows.filter(({ workflow_id: workflowId }) => workflowId !== null) };
};

async function clinc150(): Promise<void> {
  const data = readClinc150(values.data);
  const rowsOf = (list: "val" | "oos_val" | "oos_train" | "test" | "oos_test"): readonly LabelledRequest[] =>
    data.lists[list].map(([text, label], i) => {
      const workflowId = label === "oos" ? null : (label as WorkflowId);
      return { id: `${list}-${i}`, text, workflow_id: workflowId };
    });
  for (const seed of publishedSeeds.slice(0, Number(values.catalogs))) {
    const records = await scored({
      catalog: catalogOf(data, data.published[String(seed)] ?? {}),
      rows: (["val", "oos_val", "oos_train", "test", "oos_test"] as const).flatMap(rowsOf),
      removed: new Set(),
    });
    const half: Halves = ({ id }) => (/^(?:oos_)?test-/u.test(id) ? "eval" : "certify");
    measured(`CLINC150, catalog ${seed}`, records, half, "fixed-catalog");
  }
}

async function dialogues(): Promise<void> {
  const protocol = dialogueProtocol(values.data);
  const isUnseen = (id: WorkflowId): boolean =>
    protocol.removed.has(id) || protocol.unseenServices.has(clusterOf({ id: "", workflow_id: id }));
  const rows = protocol.rows.filter(({ workflow_id: workflowId }) => workflowId !== null && isUnseen(workflowId));
  const records = await scored({ ...protocol, catalog: withExamples(protocol), rows });
  measured("SGD, services outside of training", records, byDigest, "fixed-catalog");
}

const sets: Readonly<Record<string, () => Promise<void>>> = {
  banking77: async () => {
    measured("BANKING77", await scored(wholeBankingProtocol(values.data, 1)), byDigest, "fixed-catalog");
  },
  "banking77-50": async () => {
    const records = await scored(withoutFar(bankingProtocol(values.data, 1)));
    measured("BANKING77, 50 intents in, 27 out", records, byDigest, "fixed-catalog");
  },
  "service-desk": async () => {
    const records = await scored(await serviceDeskProtocol(["tune", "certify", "eval"]));
    measured("Service desk", records, byDigest, "fixed-catalog");
    measured("Service desk, new workflows", records, byWorkflow, "new-workflows");
  },
  dialogues,
  tools: async () => {
    const tools = Number(values.tools);
    let before = process.cpuUsage();
    const records = await scoreProtocol(sources, toolListProtocol(tools, toolRequests), () => {
      before = process.cpuUsage();
    });
    const { user, system } = process.cpuUsage(before);
    measured(`${tools} tools, new workflows`, records, byWorkflow, "new-workflows");
    print(`| processor time of a request, ms: ${((user + system) / 1000 / records.length).toFixed(1)} | | | | | | | |`);
  },
  clinc150,
};

/** Worlds without out-of-scope requests, which the claim does not count. */
function worlds(): void {
  const repetitions = Number(values.repetitions);
  const most = allowedViolations(repetitions);
  print("");
  print("| World | Workflows | `new-workflows` | `fixed-catalog` |");
  print("|---|---|---|---|");
  const covered = syntheticWorlds.filter(({ name }) => !["out-of-scope groups", "shifted mix"].includes(name));
  for (const world of covered) {
    for (const workflows of values.workflows.split(",").map(Number)) {
      const cells = (["new-workflows", "fixed-catalog"] as const).map((claim) => {
        const { violations, planned } = runShortlists(world, claim, { workflows, repetitions, seed: 3 });
        if (violations > most) process.exitCode = 1;
        return `${violations} (5% in ${planned})`;
      });
      print(`| ${[world.name, workflows, ...cells].join(" | ")} |`);
    }
  }
}

print(
  "| Set | Signed | Missed where certified | Missed of the held-out (%) | Mean length | Empty out of scope, % | " +
    "In scope declined by routing, % | of them with one to three (and the right one), % |",
);
print("|---|---|---|---|---|---|---|---|");
for (const name of values.only.split(",")) await sets[name]?.();
if (values.only.split(",").includes("worlds")) worlds();
