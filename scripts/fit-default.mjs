// Fits the shipped checkpoint into models/default: the FIT fold of the demonstration, Schema-Guided Dialogue, BANKING77,
// Open English WordNet, and open text and pairs from ../shared/data (or the folder given). Nothing near to a text of
// CLINC150 or to a test text of BANKING77 is read. An interrupted fit resumes.
// node scripts/fit-default.mjs [DATA [OUT]] [--without NAME ...]: a variant for figures on what is left out: sgd, banking77,
// corpus (open text and pairs), or a project of the corpus with all of its files.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { heldOutTexts } from "./held-out-texts.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { without: { type: "string", multiple: true, default: [] } },
});
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
const read = published.filter((source) => !values.without.some((name) => source.startsWith(`${name}:`)));
const sources = read.flatMap((source) => ["--data", source]);
const lexicon = ["--lexicon", join(data, "wordnet", "synsets.jsonl.gz")];
const held = join(workspace, "held-out-texts.txt");
writeFileSync(held, heldOutTexts(data).join("\n"));
const open = values.without.includes("corpus") ? [] : corpusArguments(join(data, "corpus"));
process.stdout.write(sluice("model", "fit", ...fit, ...sources, ...lexicon, ...open, "--without", held));
rmSync(workspace, { recursive: true });

/** Texts of dialogues count whole, pages 0.3. PPDB is left out: its host repository is under GPL-2.0. */
function corpusArguments(folder) {
  const dialogue = /^(?:chatterbot|common-voice|nlupp|sgd-train|taskmaster|wellformed)\./;
  const kinds = { define: "definition", head: "heading", intent: "intent", synonym: "synonym", title: "title" };
  const filesOf = (part) => readdirSync(join(folder, part)).sort().filter(isRead);
  const texts = filesOf("text").flatMap((name) => {
    const path = join(folder, "text", name);
    return ["--open-text", dialogue.test(name) ? `dialogue:${path}` : `documents:${path}:0.3`];
  });
  const pairs = filesOf("pairs").flatMap((name) => {
    const kind = kinds[name.split(".")[0]];
    return kind === undefined || name.includes("ppdb") ? [] : ["--pairs", `${kind}:${join(folder, "pairs", name)}`];
  });
  return [...texts, ...pairs, "--licences", join(folder, "MANIFEST.tsv")];
}

/** Whether no name that is left out is a part of a file's name between its dots. */
function isRead(file) {
  return !values.without.some((name) => file.split(".").some((part) => part === name || part === `${name}-train`));
}
