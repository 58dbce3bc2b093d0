/**
 * Texts that are not one wish: two requests joined, and requests that are negated. Three projects are certified on some
 * of their requests; the texts are made of others. Prints a table; with --phrases, also the handwritten phrases;
 * with --labelled, texts of both kinds, made of tested requests, are a tenth of the tested ones, as out of scope;
 * with --sample, at most N tested and N other requests are read.
 *
 *   node dist/bench/not-one-wish.js [--only BANKING77,Bitext,desk] [--data FOLDER] [--checkpoint DIR] [--phrases] [--labelled] [--sample N]
 */
import { parseArgs } from "node:util";
import { fitCalibration } from "../calibrate/fit-calibration.js";
import { seededRandom } from "../src/base/numbers/seeded-random.js";
import type { Sha256 } from "../src/base/sha256.js";
import { type Calibration, statementOf } from "../src/documents/calibration.js";
import type { LabelledRequest } from "../src/documents/dataset.js";
import type { Decision } from "../src/documents/decision.js";
import type { ScoredRecord } from "../src/documents/scored-record.js";
import { decide } from "../src/router/policy/decide.js";
import { shared } from "../test/support/shared.js";
import { checkpointAt } from "./held-out/checkpoint.js";
import { scoreProtocol } from "./held-out/protocol.js";
import { genuineBankPhrases, genuinePhrases, negatedBankPhrases, negatedPhrases } from "./not-one-wish/phrases.js";
import { type MeasuredProject, measuredProjects } from "./not-one-wish/projects.js";
import { type AskedText, askedTexts, type Kind } from "./not-one-wish/texts.js";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "BANKING77,Bitext,desk" },
    data: { type: "string", default: shared("data") },
    checkpoint: { type: "string", default: "models/default" },
    phrases: { type: "boolean", default: false },
    labelled: { type: "boolean", default: false },
    sample: { type: "string" },
  },
});
const noDigest = "0".repeat(64) as Sha256;
const print = (line: string): unknown => process.stdout.write(`${line}\n`);
const percent = (k: number, n: number): string => (n === 0 ? "-" : `${((100 * k) / n).toFixed(1)}%`);

/** The same scores, as if nothing but one wish were ever read from a text. */
function asOneWish(record: ScoredRecord): ScoredRecord {
  const { negated, several, ...rest } = record;
  return negated === undefined && several === undefined ? record : rest;
}

function fitted({ target, claim }: MeasuredProject, scored: readonly ScoredRecord[]): Calibration {
  return fitCalibration({
    records: scored.map((record) => ({ ...record, fold: "certify" as const })),
    target_risk: target,
    delta: 0.05,
    claim,
    ...(claim === "fixed-catalog" ? { calibrator: "catalog-features" as const } : {}),
    digests: { catalog: noDigest, dataset: noDigest, split: noDigest, run: noDigest },
    version: "bench",
  });
}

const sources = (await checkpointAt(values.checkpoint, "checkpoint")).sources;
const score = ({ catalog }: MeasuredProject, rows: readonly LabelledRequest[]) =>
  scoreProtocol(sources, { catalog, rows, removed: new Set() });
const rowsOf = (texts: readonly { readonly text: string; readonly about?: readonly string[] }[]) =>
  texts.map(({ text, about }, index) => ({
    id: `text-${index}`,
    text,
    workflow_id: about?.[0] ?? null,
  })) as readonly LabelledRequest[];

/** Texts that are not one wish, made of the tested requests and labelled as out of scope: a tenth of all. */
const labelledTexts = ({ certify }: MeasuredProject): readonly LabelledRequest[] =>
  seededRandom(2)
    .shuffle(askedTexts(certify, 2).filter(({ kind }) => kind === "pair" || kind === "negated"))
    .slice(0, Math.round(certify.length / 9))
    .map(({ kind, text }, at) => ({ id: `${kind}-${at}`, text, workflow_id: null, slices: { kind } }));

interface Answered extends AskedText {
  readonly before: Decision;
  readonly now: Decision;
}

const routes = ({ decision }: Decision): boolean => decision !== "LLM_REQUIRED";

function lineOf(kind: Kind, answered: readonly Answered[]): string {
  const own = answered.filter((one) => one.kind === kind);
  const [before, now] = [own.filter((one) => routes(one.before)), own.filter((one) => routes(one.now))];
  const lost = before.filter((one) => !routes(one.now));
  const lostRight = lost.filter((one) => one.about.length === 1 && one.before.workflow_id === one.about[0]);
  return `| ${kind} | ${own.length} | ${percent(before.length, own.length)} | ${percent(now.length, own.length)} | ${percent(lostRight.length, before.length)} |`;
}

const sampled = ({ certify, asked, ...project }: MeasuredProject): MeasuredProject => {
  const drawn = (rows: readonly LabelledRequest[]): readonly LabelledRequest[] =>
    values.sample === undefined ? rows : seededRandom(1).shuffle(rows).slice(0, Number(values.sample));
  return { ...project, certify: drawn(certify), asked: drawn(asked) };
};

for (const whole of await measuredProjects(values.data)) {
  const project = sampled(whole);
  if (!values.only.split(",").includes(project.name)) continue;
  const labelled = values.labelled ? labelledTexts(project) : [];
  const certified = await score(project, [...project.certify, ...labelled]);
  const [now, before] = [fitted(project, certified), fitted(project, certified.map(asOneWish))];
  for (const [name, { claims }] of Object.entries({ "as one wish": before, now })) {
    print(`\n${project.name}, ${name}: ${claims.map(statementOf).join(" ")}`);
  }
  const texts = askedTexts(project.asked, 1);
  const records = await score(project, rowsOf(texts));
  const answered = texts.map((text, index): Answered => {
    const record = records[index] as ScoredRecord;
    return { ...text, before: decide(asOneWish(record), before), now: decide(record, now) };
  });
  print(
    `\n### ${project.name}: ${project.catalog.workflows.length} workflows, at most ${percent(project.target, 1)} wrong`,
  );
  print("| Kind | Texts | Routed, as one wish | Routed | Right routes lost |\n|---|---|---|---|---|");
  for (const kind of ["single", "negating", "same", "pair", "negated"] as const) print(lineOf(kind, answered));
  if (!values.phrases) continue;
  if (project.name === "BANKING77") {
    for (const [name, phrases] of [
      ["not wanted by the customer of a bank", negatedBankPhrases],
      ["genuine, to a bank", genuineBankPhrases],
    ] as const) {
      const asked = (await score(project, rowsOf(phrases.map((text) => ({ text }))))).map((record) => ({
        before: decide(asOneWish(record), before),
        now: decide(record, now),
        isNegated: record.negated !== undefined && record.negated === record.candidates[0]?.workflow_id,
      }));
      const count = (fits: (one: (typeof asked)[number]) => boolean): number => asked.filter(fits).length;
      const [recognised, routedBefore] = [count(({ isNegated }) => isNegated), count((one) => routes(one.before))];
      print(
        `${name}: ${recognised} of ${phrases.length} recognised; routed as one wish ${routedBefore}, routed ${count((one) => routes(one.now))}`,
      );
      for (const [at, { isNegated, before: as, now: is }] of asked.entries())
        print(`  ${isNegated ? "recognised" : "          "} ${as.decision} ${is.reason_code}: ${phrases[at]}`);
    }
  }
  for (const [name, phrases] of [
    ["not wanted", negatedPhrases],
    ["genuine", genuinePhrases],
  ] as const) {
    const read = await score(project, rowsOf(phrases.map((text) => ({ text }))));
    const stopped = (odd: boolean) =>
      phrases.filter(
        (_, i) =>
          (i % 2 === 1) === odd &&
          read[i]?.negated !== undefined &&
          read[i]?.negated === read[i]?.candidates[0]?.workflow_id,
      );
    print(`${name}: ${stopped(false).length} of the chosen half and ${stopped(true).length} of the other`);
    for (const text of stopped(false)) print(`  ${text}`);
  }
}
