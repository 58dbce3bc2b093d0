/**
 * Regenerates the published rows from ../shared/data with the default lexical models or with two model directories:
 * CLINC150 with ten examples (five published seeds), CLINC150 with as many examples as a catalog allows, and the
 * leaderboard of five systems on the HINT3 chatbots, from their predictions.
 *
 *   npm run bench:published -- [--data FOLDER] [--json] [--only ten-example,full-data,hint3] [--seeds 11,23]
 *       [--calibrator request-features] [--delta 0.05] [--further [--catalogs 100]] [--retriever DIR --verifier DIR]
 *       [--workers 2] [--examples 25] [--save FILE]
 *
 * --save appends each ten-example row to a file as soon as it is measured; a fit that fails is a row too. --further adds
 * the 100 catalogs of further-catalogs.json. --calibrator and --delta change the ten-example rows.
 * --examples sets the number of training texts per workflow in the catalog of the full-data row, at most 38. Progress
 * is printed on stderr.
 */
import { appendFileSync, existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { calibratorFamilyNames } from "../src/documents/choices.js";
import { shared } from "../test/support/shared.js";
import { publishedSeeds, readClinc150 } from "../test/support/clinc150.js";
import { defaultModels, modelsOf } from "./published/default-models.js";
import { fullDataRow, mostExamples } from "./published/full-data.js";
import { fullDataTable, type FullDataRow } from "./published/full-data-table.js";
import { hint3Leaderboard, leaderboardTable } from "./published/hint3.js";
import type { NamedModels } from "./published/default-models.js";
import { publishedFullData } from "./published/published-rows.js";
import { promise } from "./published/ten-example.js";
import { flowRouteRow, type SeedRow, tenExampleRows } from "./published/ten-example-rows.js";
import { rowOfSeeds, tableOf } from "./published/rows.js";

const { values } = parseArgs({
  options: {
    data: { type: "string", default: shared("data") },
    json: { type: "boolean", default: false },
    only: { type: "string", default: "ten-example,full-data,hint3" },
    seeds: { type: "string", default: publishedSeeds.join(",") },
    further: { type: "boolean", default: false },
    catalogs: { type: "string", default: "100" },
    retriever: { type: "string" },
    verifier: { type: "string" },
    calibrator: { type: "string", default: promise.calibrator },
    delta: { type: "string", default: String(promise.delta) },
    workers: { type: "string", default: "2" },
    examples: { type: "string", default: "25" },
    save: { type: "string" },
  },
});
const started = performance.now();
const note = (text: string): unknown =>
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
const print = (text: string): unknown => process.stdout.write(`${text}\n`);
const wanted = new Set(values.only.split(","));
const workers = Number(values.workers);

const calibrator = calibratorFamilyNames.find((family) => family === values.calibrator);
if (calibrator === undefined) throw new Error(`--calibrator: expected one of ${calibratorFamilyNames.join(", ")}`);
const promised = { ...promise, calibrator, delta: Number(values.delta) };

const models = async () =>
  values.retriever !== undefined && values.verifier !== undefined
    ? modelsOf(values.retriever, values.verifier)
    : defaultModels();

async function tenExample({ system, sources }: NamedModels) {
  const rowsOf = async (row: string, seeds: readonly number[]) => {
    const onSeed = (found: SeedRow, done: number) => {
      const { seed, coverage, joint_error: joint, failed } = found;
      if (values.save !== undefined) appendFileSync(values.save, `${JSON.stringify({ row, ...found })}\n`);
      note(
        `${row}: seed ${seed}, ${done} of ${seeds.length}, coverage ${coverage.toFixed(4)}, ` +
          `joint error ${joint === null ? "undefined" : joint.toFixed(4)}${failed === undefined ? "" : `; ${failed}`}`,
      );
    };
    const found = await tenExampleRows({ dataFolder: values.data, sources, seeds, promised, workers, onSeed });
    return rowOfSeeds({ row, system, source: "measured" }, found, promise.target);
  };
  const rows = [];
  if (wanted.has("ten-example")) {
    rows.push(await rowsOf("clinc150-ten-example", values.seeds.split(",").map(Number)), flowRouteRow());
  }
  if (values.further) {
    const seeds = Object.keys(readClinc150(values.data).further).map(Number).slice(0, Number(values.catalogs));
    rows.push(await rowsOf("clinc150-ten-example-further", seeds));
  }
  return rows;
}

async function fullData({ system, sources }: NamedModels): Promise<readonly FullDataRow[]> {
  if (!wanted.has("full-data")) return [];
  const examples = Math.min(mostExamples, Number(values.examples));
  note(`clinc150-full-data: ${examples} examples of each workflow, takes minutes`);
  const figures = await fullDataRow(sources, readClinc150(values.data), examples);
  const name = `${system}, ${examples} examples`;
  return [{ row: "clinc150-full-data", system: name, source: "measured", ...figures }, ...publishedFullData];
}

async function clinc150Rows() {
  if (!wanted.has("ten-example") && !wanted.has("full-data") && !values.further) return { few: [], full: [] };
  const named = await models();
  note(`models: ${named.system}; verifier fitted on ${named.fittedOn}`);
  note(`CLINC150: data_full.json ${readClinc150(values.data).sha256}`);
  return { few: await tenExample(named), full: await fullData(named) };
}

if (!existsSync(values.data)) {
  note(`left out: there is no folder ${values.data}; name the data with --data FOLDER`);
  if (values.json) print(JSON.stringify({ rows: [] }));
} else {
  const { few, full } = await clinc150Rows();
  const leaderboard = wanted.has("hint3") ? await hint3Leaderboard(values.data) : [];
  if (values.json) print(JSON.stringify({ rows: [...few, ...full, ...leaderboard] }));
  else {
    for (const row of few) print(["", row.row, ...tableOf(row)].join("\n"));
    if (full.length > 0) print(["", ...fullDataTable(full)].join("\n"));
    if (leaderboard.length > 0) print(["", ...leaderboardTable(leaderboard)].join("\n"));
  }
}
