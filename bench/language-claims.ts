/**
 * Claims about requests in each of several languages, with examples in them: a project of one language, and one project of all
 * whose languages have a claim each. Prints each claim, and the share that is routed of the labelled requests that are read as its language.
 *
 *   node dist/bench/language-claims.js [--sources xsid/de,...] [--together xsid/de,...] [--target 0.1] [--models multilingual]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { csvLine } from "../datasets/csv-line.js";
import { type Calibration, type Claim, statementOf } from "../src/documents/calibration.js";
import { languageOfScope } from "../src/documents/calibration.js";
import { projectFileName } from "../src/documents/choices.js";
import { shared } from "../test/support/shared.js";
import { command, temporaryFolder } from "./commands/run-command.js";

const { values } = parseArgs({
  options: {
    sources: {
      type: "string",
      default: "xsid/de,xsid/nl,xsid/zh,home-assistant/de,home-assistant/nl,home-assistant/fr",
    },
    together: { type: "string", default: "xsid/de,xsid/nl,home-assistant/fr,xsid/zh" },
    target: { type: "string", default: "0.1" },
    models: { type: "string", default: "multilingual" },
  },
});

interface Row {
  readonly text: string;
  readonly label: string;
}

/** The requests of `SET/LANGUAGE` below shared/data/languages. */
const requestsOf = (source: string): readonly Row[] =>
  readFileSync(shared("data", "languages", `${source}.jsonl`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly text: string; readonly workflow_id: string })
    .map(({ text, workflow_id: label }) => ({ text, label }));

/** Makes and runs a project as its owner would, with another target and rule. */
async function calibrationOf(rows: readonly Row[], rules: readonly string[]): Promise<Calibration> {
  const folder = temporaryFolder();
  const lines = [["text", "label"], ...rows.map(({ text, label }) => [text, label])].map(csvLine);
  writeFileSync(join(folder, "requests.csv"), lines.join("\n"));
  await command(folder, "init", "requests.csv", "--models", values.models, "--yes");
  const file = join(folder, projectFileName);
  const changed = readFileSync(file, "utf8").replace(/^ {2}target: auto/mu, `  target: ${values.target}`);
  writeFileSync(file, changed.replace(/^claim:\n/mu, `claim:\n${rules.map((rule) => `  ${rule}\n`).join("")}`));
  await command(folder, "run", "--until", "calibrate");
  return (await command<{ readonly document: Calibration }>(folder, "calibrate", "show")).document;
}

function print(name: string, claim: Claim, { languages }: Calibration): void {
  const language = languageOfScope(claim.scope);
  const read = languages?.read.filter((one) => language === null || one.language === language) ?? [];
  const requests = read.reduce((sum, one) => sum + one.requests, 0);
  process.stdout.write(
    `${name}: ${claim.certified ? `at most ${100 * claim.target_risk}% wrong` : "not certified"}, ${claim.errors} wrong of ${claim.routed} routed, ` +
      `of ${requests} read as such (${(claim.routed / requests).toFixed(3)}); delta ${claim.delta.toFixed(4)}\n  ${statementOf(claim)}\n`,
  );
}

const printCoverage = ({ traffic }: Calibration): void =>
  void process.stdout.write(`  of all labelled requests ${(traffic.expected.coverage ?? 0).toFixed(3)} are routed\n`);

for (const source of values.sources.split(",")) {
  const calibration = await calibrationOf(requestsOf(source), []);
  for (const claim of calibration.claims) print(source, claim, calibration);
  printCoverage(calibration);
}
const all = values.together.split(",").flatMap(requestsOf);
const languages = [...new Set(values.together.split(",").map((source) => source.split("/")[1]))];
const rules = [`languages: [${languages.join(", ")}]`, "require_slices: language"];
const calibration = await calibrationOf(all, rules);
for (const claim of calibration.claims) print(`together, ${claim.scope}`, claim, calibration);
printCoverage(calibration);
