/**
 * Measures claims about one catalog on published data, using the commands `dataset import`, `dataset split`, `eval run`
 * and `calibrate fit --claim fixed-catalog`, with models/default or two model directories. The settings were
 * fixed before the first run.
 *
 *   node dist/bench/fixed-catalog.js [--data FOLDER] [--only clinc150,further,resplits,banking77] [--catalogs 100]
 *       [--skip 0] [--resplits 60] [--retriever DIR --verifier DIR] [--delta 0.05[,0.01]] [--json]
 *
 * clinc150: the five published ten-example catalogs with the published roles. further: more catalogs, drawn by the same
 * rule; --skip N resumes after the first N. resplits: the requests of the published catalogs split again, because all
 * catalogs share one draw of test requests; --skip leaves out the first N catalogs. banking77: five catalogs drawn by
 * the importer, split by request. Several deltas are measured on the same scores, each as a first calibration.
 */
import { cpSync, existsSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { workflowIdsFor } from "../datasets/draft/workflow-ids.js";
import { benchmarkCatalog } from "./datasets/benchmark-catalog.js";
import { writeBenchmark } from "./datasets/write-benchmark.js";
import { type Clinc150, type ExampleIndices, publishedSeeds, readClinc150 } from "../test/support/clinc150.js";
import { shared } from "../test/support/shared.js";
import { command, type FittedJson, temporaryFolder } from "./commands/run-command.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    only: { type: "string", default: "clinc150,further,resplits,banking77" },
    catalogs: { type: "string", default: "100" },
    skip: { type: "string", default: "0" },
    resplits: { type: "string", default: "60" },
    retriever: { type: "string", default: "models/default/retriever" },
    verifier: { type: "string", default: "models/default/verifier" },
    delta: { type: "string", default: "0.05" },
    json: { type: "boolean", default: false },
  },
});
const target = 0.05;
/** Declared out-of-scope share of CLINC150: 1,000 of its 5,500 test requests. */
const clincShare = 0.18;
const deltas = values.delta.split(",").map(Number);
const calibrator = "catalog-features";
const models = ["--retriever", resolve(values.retriever), "--verifier", resolve(values.verifier)];

/** One calibration on its EVAL fold. Shares are in [0, 1]; null if nothing was routed. */
interface Row {
  readonly name: string;
  readonly delta: number;
  readonly certified: boolean;
  readonly top1: number;
  /** Routed share of the in-scope requests. */
  readonly coverage: number;
  readonly out_of_scope_routed: number;
  /** Wrong share of the routed requests: in the fold, and at the declared out-of-scope share. */
  readonly wrong: number | null;
  readonly wrong_at_share: number | null;
}

const ratio = (k: number, n: number): number => (n === 0 ? 0 : k / n);

function rowOf(name: string, delta: number, { document, evaluation }: FittedJson, share: number): Row {
  const { in_scope: inScope, out_of_scope: outOfScope } = evaluation;
  const outside = evaluation.out_of_scope_routed.k;
  const { k: wrong, n: routed } = evaluation.selective_risk;
  const o = share * ratio(outside, outOfScope);
  const atShare = (requests: number): number => (1 - share) * ratio(requests, inScope);
  const all = o + atShare(routed - outside);
  return {
    name,
    delta,
    certified: document.claims.some(({ certified }) => certified),
    top1: ratio(evaluation.retrieval.top1.k, evaluation.retrieval.top1.n),
    coverage: ratio(routed - outside, inScope),
    out_of_scope_routed: ratio(outside, outOfScope),
    wrong: routed === 0 ? null : wrong / routed,
    wrong_at_share: all === 0 ? null : (o + atShare(wrong - outside)) / all,
  };
}

/** One calibration per delta, each in a copy of the project, so that each counts as the first one on these requests. */
async function fit(name: string, folder: string, share: number, ...more: readonly string[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const delta of deltas) {
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true, filter: (path) => basename(path) !== "vectors" });
    const options = ["--target", String(target), "--delta", String(delta), "--calibrator", calibrator, ...more];
    const found = await command<FittedJson>(copy, "calibrate", "fit", "--claim", "fixed-catalog", ...options);
    rows.push(rowOf(name, delta, found, share));
    note(rows.at(-1));
  }
  return rows;
}

const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Imports the validation and test requests of CLINC150 with their roles, and a catalog with the published examples. */
async function importClinc(folder: string, data: Clinc150, name: string, indices: ExampleIndices): Promise<void> {
  const ids = workflowIdsFor(Object.keys(indices).sort());
  const examples = new Map(
    Object.entries(indices).map(([label, own]) => [label, own.map((index) => data.lists.train[index]?.[0] ?? "")]),
  );
  const catalog = benchmarkCatalog({ name: "clinc150", seed: Number(name), workflowIds: ids, examples });
  writeFileSync(join(folder, "catalog.json"), JSON.stringify(catalog));
  const roles = { val: "validation", oos_train: "validation", oos_val: "validation", test: "test", oos_test: "test" };
  const lines = Object.entries(roles).flatMap(([list, role]) =>
    data.lists[list as keyof typeof roles].map(([text, label], i) =>
      [`${list}-${String(i).padStart(5, "0")}`, text, ids.get(label) ?? "oos", role].map(cell).join(","),
    ),
  );
  writeFileSync(join(folder, "rows.csv"), ["id,text,workflow,role", ...lines].join("\n"));
  await command(
    folder,
    "dataset",
    "import",
    "rows.csv",
    "--format",
    "table",
    "--catalog",
    "catalog.json",
    "--id-column",
    "id",
    "--workflow-column",
    "workflow",
    "--role-column",
    "role",
    "--out-of-scope-value",
    "oos",
  );
}

async function clincCatalog(data: Clinc150, name: string, indices: ExampleIndices, resplits: number) {
  const folder = temporaryFolder();
  await importClinc(folder, data, name, indices);
  await command(folder, "dataset", "split", "--by", "role");
  await command(folder, "eval", "run", ...models);
  const declared = ["--out-of-scope-share", String(clincShare)];
  const asPublished = await fit(name, folder, clincShare, ...declared);
  const again: Row[] = [];
  // The share of the published validation part: 3,200 of 8,700 requests certify.
  const certify = Number((3200 / 8700).toFixed(6));
  const shares = `0,0,${certify},${(1 - certify).toFixed(6)}`;
  for (let seed = 1; seed <= resplits; seed += 1) {
    // A separate folder, because a shared history would count several calibrations on the same requests.
    const folder = temporaryFolder();
    await importClinc(folder, data, name, indices);
    await command(folder, "dataset", "split", "--by", "request", "--seed", String(seed), "--shares", shares);
    await command(folder, "eval", "run", ...models);
    again.push(...(await fit(`${name}/${seed}`, folder, clincShare, ...declared)));
  }
  return { asPublished, again };
}

async function bankingCatalog(folderOfData: string, seed: number): Promise<readonly Row[]> {
  const folder = temporaryFolder();
  await writeBenchmark("banking77", join(folderOfData, "banking77", "raw"), folder, { seed });
  await command(folder, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.json");
  await command(folder, "dataset", "split", "--by", "request", "--seed", String(seed), "--shares", "0,0,0.4,0.6");
  await command(folder, "eval", "run", ...models);
  return await fit(String(seed), folder, 0);
}

function note(row: Row | undefined): void {
  if (row === undefined) return;
  const per = (value: number | null): string => (value === null ? "-" : (100 * value).toFixed(2));
  process.stderr.write(
    `${row.name}, delta ${row.delta}: coverage ${per(row.coverage)}, wrong ${per(row.wrong)}, at share ${per(row.wrong_at_share)}\n`,
  );
}

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

function summary(set: string, delta: number, rows: readonly Row[], wrongOf: (row: Row) => number | null) {
  const wrong = rows.flatMap((row) => wrongOf(row) ?? []);
  return {
    set,
    delta,
    calibrations: rows.length,
    certified: rows.filter(({ certified }) => certified).length,
    coverage: mean(rows.map(({ coverage }) => coverage)),
    lowest_coverage: Math.min(...rows.map(({ coverage }) => coverage)),
    wrong: mean(wrong),
    most_wrong: Math.max(...wrong),
    over_target: wrong.filter((share) => share > target).length,
    out_of_scope_routed: mean(rows.map((row) => row.out_of_scope_routed)),
    rows,
  };
}

const wanted = new Set(values.only.split(","));
const results: ReturnType<typeof summary>[] = [];
function done(set: string, rows: readonly Row[], wrongOf: (row: Row) => number | null): void {
  for (const delta of deltas) {
    const found = summary(
      set,
      delta,
      rows.filter((row) => row.delta === delta),
      wrongOf,
    );
    results.push(found);
    if (values.json) continue;
    const { rows: _rows, ...figures } = found;
    process.stdout.write(`${JSON.stringify(figures)}\n`);
  }
}

if (!existsSync(values.data)) {
  process.stderr.write(`left out: there is no folder ${values.data}; name the data with --data FOLDER\n`);
} else {
  const clinc = readClinc150(values.data);
  if (wanted.has("clinc150") || wanted.has("resplits")) {
    const resplits = wanted.has("resplits") ? Math.ceil(Number(values.resplits) / publishedSeeds.length) : 0;
    const published: Row[] = [];
    const again: Row[] = [];
    for (const seed of publishedSeeds.slice(wanted.has("clinc150") ? 0 : Number(values.skip))) {
      const found = await clincCatalog(clinc, String(seed), clinc.published[String(seed)] ?? {}, resplits);
      published.push(...found.asPublished);
      again.push(...found.again);
    }
    done("clinc150, published catalogs", published, ({ wrong }) => wrong);
    if (again.length > 0) done("clinc150, requests divided again", again, (row) => row.wrong_at_share);
  }
  if (wanted.has("further")) {
    const rows: Row[] = [];
    for (const [name, indices] of Object.entries(clinc.further).slice(Number(values.skip), Number(values.catalogs))) {
      rows.push(...(await clincCatalog(clinc, name, indices, 0)).asPublished);
    }
    done("clinc150, further catalogs", rows, ({ wrong }) => wrong);
  }
  if (wanted.has("banking77")) {
    const rows: Row[] = [];
    for (const seed of [1, 2, 3, 4, 5]) {
      rows.push(...(await bankingCatalog(values.data, seed)));
    }
    done("banking77", rows, ({ wrong }) => wrong);
  }
  if (values.json) process.stdout.write(`${JSON.stringify({ target, calibrator, results })}\n`);
}
