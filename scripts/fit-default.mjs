// Builds models/default or models/fast from a retriever and the data of ../shared/data; for maintainers.
//
//   node scripts/fit-default.mjs RETRIEVER_FOLDER OUT_FOLDER [DATA]
//
// RETRIEVER_FOLDER is the output of `models/build/encoder.py` plus a router_model.json, or the folder `retriever`
// written by `models/build/fast.py`. The verifier is fitted on the FIT fold of the demonstration, Schema-Guided
// Dialogue train and BANKING77 train; sentences of Open English WordNet serve as out-of-scope requests. No text of
// CLINC150 and no test text of BANKING77 is read.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [retriever, out, data = join(root, "..", "shared", "data")] = process.argv.slice(2);
const desk = join(root, "datasets", "service-desk");
const workspace = `${out}.workspace`;
const fitted = `${out}.fitting`;
const backgroundSentences = 2500;

function sluice(...args) {
  const { status, stdout } = spawnSync(process.execPath, [join(root, "dist/cli/main.js"), ...args, "-w", workspace], {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
  });
  if (status === 0) return stdout;
  process.exit(status ?? 1);
}

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");

/** The example sentences with the smallest digests: a random sample without a random number generator. */
function wordnetSentences(file) {
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
  const texts = new Set(
    lines.flatMap((line) => JSON.parse(line).examples ?? []).map((text) => text.replace(/\s+/g, " ")),
  );
  const byDigest = [...texts].map((text) => [sha256(text), text]).sort(([a], [b]) => (a < b ? -1 : 1));
  return byDigest.slice(0, backgroundSentences).map(([, text]) => text);
}

mkdirSync(workspace, { recursive: true });
const requests = join(desk, "requests.jsonl");
sluice("dataset", "import", requests, "--format", "jsonl", "--catalog", join(desk, "catalog.yaml"), "-q");
// Same seed and shares as the demonstration, so that the demonstration's other folds stay unseen.
const split = JSON.parse(sluice("dataset", "split", "--seed", "1", "--shares", "0.25,0.15,0.45,0.15", "--json", "-q"));
const background = join(workspace, "background.txt");
writeFileSync(background, wordnetSentences(join(data, "wordnet", "synsets.jsonl.gz")).join("\n"));
const sources = [
  ["sgd", join(data, "sgd")],
  ["banking77", join(data, "banking77", "raw")],
].flatMap(([name, path]) => {
  const folder = join(workspace, name);
  execFileSync(process.execPath, [join(root, "dist", "bench", "benchmark-data.js"), name, path, "--out", folder]);
  renameSync(join(folder, "requests.jsonl"), join(folder, `${name}.jsonl`));
  return ["--data", `jsonl:${join(folder, `${name}.jsonl`)}`, "--catalog", join(folder, "catalog.json")];
});
const fit = ["--retriever", retriever, "--split", split.result.split, "--unrelated", background, "--out", fitted];
process.stdout.write(sluice("model", "fit", ...fit, ...sources, "--seed", "1"));

for (const role of ["retriever", "verifier"]) {
  rmSync(join(out, role), { recursive: true, force: true });
  cpSync(join(fitted, role), join(out, role), { recursive: true });
}
const files = ["retriever", "verifier"].flatMap((role) =>
  readdirSync(join(out, role))
    .sort()
    .map((name) => {
      const file = join(out, role, name);
      const bytes = readFileSync(file);
      return { path: relative(out, file), bytes: bytes.length, sha256: sha256(bytes) };
    }),
);
const { fitted_on } = JSON.parse(readFileSync(join(out, "verifier", "router_model.json"), "utf8"));
const { clusters } = split.result.document.folds.fit;
const card = { schema_version: 1, verifier_fitted_on: { ...fitted_on, service_desk_workflows: clusters }, files };
writeFileSync(join(out, "model_card.json"), `${JSON.stringify(card, null, 2)}\n`);
rmSync(workspace, { recursive: true });
rmSync(fitted, { recursive: true });
