// Fits the shipped checkpoint into models/default: the FIT fold of the demonstration, Schema-Guided Dialogue, BANKING77
// and Open English WordNet from ../shared/data (or the folder given). An interrupted fit goes on where it stood.
// node scripts/fit-default.mjs [DATA [OUT]] [--without sgd|banking77]: a variant for figures on the source left out.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { positionals, values } = parseArgs({ allowPositionals: true, options: { without: { type: "string" } } });
const [data = join(root, "..", "shared", "data"), out = join(root, "models", "default")] = positionals;
const desk = join(root, "datasets", "service-desk");
const workspace = `${out}.workspace`;

function sluice(...args) {
  const { status, stdout } = spawnSync(process.execPath, [join(root, "dist/cli/main.js"), ...args, "-w", workspace], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status === 0) return stdout;
  process.exit(status ?? 1);
}

mkdirSync(dirname(out), { recursive: true });
sluice(
  "dataset",
  "import",
  join(desk, "requests.jsonl"),
  "--format",
  "jsonl",
  "--catalog",
  join(desk, "catalog.yaml"),
  "-q",
);
// Seed and shares of the demonstration, so that its other folds stay unseen.
const split = JSON.parse(sluice("dataset", "split", "--seed", "1", "--shares", "0.25,0.15,0.45,0.15", "--json", "-q"));
const fit = ["--split", split.result.split, "--out", out, "--seed", "1"];
const published = [`sgd:${join(data, "sgd")}`, `banking77:${join(data, "banking77", "raw")}`];
const read = published.filter((source) => values.without === undefined || !source.startsWith(`${values.without}:`));
const sources = read.flatMap((source) => ["--data", source]);
const lexicon = ["--lexicon", join(data, "wordnet", "synsets.jsonl.gz")];
process.stdout.write(sluice("model", "fit", ...fit, ...sources, ...lexicon));
rmSync(workspace, { recursive: true });
