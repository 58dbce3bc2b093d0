/**
 * Published rows, regenerated from ../shared/data with the default lexical models or with two model directories:
 * CLINC150 with ten examples (five published seeds), CLINC150 with as many examples as a catalog takes, and the
 * leaderboard of five systems on the HINT3 chatbots from their predictions.
 *
 *   npm run bench:published -- [--data FOLDER] [--json] [--only ten-example,full-data,hint3] [--seeds 11,23]
 *       [--further [--catalogs 100]] [--retriever DIR --verifier DIR] [--workers 1]
 *
 * --further adds the 100 catalogs of further-catalogs.json. Progress goes to stderr.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { shared } from "../test/support/shared.js";
import { publishedSeeds, readClinc150 } from "./published/clinc150.js";
import { defaultModels, modelsOf } from "./published/default-models.js";
import { hint3Leaderboard, leaderboardTable } from "./published/hint3.js";
import { promise } from "./published/ten-example.js";
import { flowRouteRow, tenExampleRows } from "./published/ten-example-rows.js";
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
    workers: { type: "string", default: "2" },
  },
});
const started = performance.now();
const note = (text: string): unknown =>
  process.stderr.write(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}\n`);
const print = (text: string): unknown => process.stdout.write(`${text}\n`);
const wanted = new Set(values.only.split(","));
const workers = Number(values.workers);

const models = async () =>
  values.retriever !== undefined && values.verifier !== undefined
    ? modelsOf(values.retriever, values.verifier)
    : defaultModels();

async function clinc150Rows() {
  const { system, fittedOn, sources } = await models();
  note(`models: ${system}; verifier fitted on ${fittedOn}`);
  const rowsOf = async (row: string, seeds: readonly number[]) => {
    const onSeed = ({ seed }: { readonly seed: number }, done: number) =>
      note(`${row}: seed ${seed}, ${done} of ${seeds.length}`);
    const found = await tenExampleRows({ dataFolder: values.data, sources, seeds, workers, onSeed });
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

if (!existsSync(values.data)) {
  note(`left out: there is no folder ${values.data}; name the data with --data FOLDER`);
  if (values.json) print(JSON.stringify({ rows: [] }));
} else {
  const clinc150 = wanted.has("ten-example") || values.further ? await clinc150Rows() : [];
  const leaderboard = wanted.has("hint3") ? hint3Leaderboard(values.data) : [];
  if (values.json) print(JSON.stringify({ rows: [...clinc150, ...leaderboard] }));
  else {
    for (const row of clinc150) print(["", `${row.row}`, ...tableOf(row)].join("\n"));
    if (leaderboard.length > 0) print(["", ...leaderboardTable(leaderboard)].join("\n"));
  }
}
