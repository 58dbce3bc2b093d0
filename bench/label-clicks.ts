/**
 * Measures how many clicks lead from a catalog of names and an unlabelled log to a signed claim, end to end: `init --log`,
 * the labelling of `sluice label` with simulated clicks, and `run`. A catalog is an intent of BANKING77 and its nearest
 * intents, with names only; a tenth of the log belongs to other intents. The router that ships is measured on other
 * requests of the same intents.
 *
 *   node dist/bench/label-clicks.js --data FOLDER [--logs 8] [--skip 0] [--workflows 12] [--requests 1400] [--slips 0]
 *       [--agree 0] [--judged 0] [--judge-right 0.95] [--save FILE]
 *
 * --data: folder with data.jsonl and catalog.jsonl of BANKING77. --slips: share of clicks on a wrong workflow. --agree: share of
 * the router's own wrong choices that are confirmed. --judged: number of examples from another system, right in --judge-right. --save: appends one line of JSON for each log.
 */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type SeededRandom, seededRandom } from "../src/base/numbers/seeded-random.js";
import { groupBy } from "../src/base/group-by.js";
import { vectorsOfTexts } from "../src/router/load-models.js";
import { readDirectory } from "../src/trust/directory-hash.js";
import { createProject } from "../stages/init.js";
import { openLabelling } from "../stages/label.js";
import { openWorkbench } from "../stages/open-workbench.js";
import { runProject } from "../stages/project.js";
import { openRouter } from "../stages/route.js";
import { listRecords } from "../store/records/read-records.js";
import { withHistory } from "../store/records/session.js";
import { embeddingCacheFolder } from "../store/embedding-cache-file.js";
import { shippedFolder } from "../store/shipped-models.js";
import { readRouteRequest } from "../serve/request-body.js";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    logs: { type: "string", default: "8" },
    skip: { type: "string", default: "0" },
    workflows: { type: "string", default: "12" },
    requests: { type: "string", default: "1400" },
    slips: { type: "string", default: "0" },
    agree: { type: "string", default: "0" },
    judged: { type: "string", default: "0" },
    "judge-right": { type: "string", default: "0.95" },
    save: { type: "string" },
  },
});
const [logs, skip] = [Number(values.logs), Number(values.skip)];
const [workflows, requests] = [Number(values.workflows), Number(values.requests)];
const [slips, agree] = [Number(values.slips), Number(values.agree)];
const [judged, judgeRight] = [Number(values.judged), Number(values["judge-right"])];
const outOfScope = 0.1;
const mostClicks = 600;

interface Labelled {
  readonly text: string;
  readonly intent: string;
}

const linesOf = <T>(file: string): readonly T[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);

const data = values.data ?? "";
const rows = [
  ...new Map(
    linesOf<{ text: string; workflow_id: string }>(join(data, "data.jsonl")).map(({ text, workflow_id: intent }) => [
      text.trim().toLowerCase(),
      { text: text.trim(), intent },
    ]),
  ).values(),
];
const names = new Map(
  linesOf<{ workflow_id: string; name: string }>(join(data, "catalog.jsonl")).map((one) => [one.workflow_id, one.name]),
);
const byIntent = groupBy(rows, ({ intent }) => intent);

/** Unit centre of each intent, from twenty of its texts. */
async function centres(): Promise<ReadonlyMap<string, Float64Array>> {
  const sample = [...byIntent].flatMap(([, own]) => own.slice(0, 20));
  const { files } = await readDirectory(shippedFolder("default", "retriever"));
  const cache = embeddingCacheFolder(join(tmpdir(), "label-clicks-vectors"));
  const vectors = await vectorsOfTexts(
    files,
    sample.map(({ text }) => text),
    { workers: 1, queueLimit: 4096, cache },
  );
  return new Map(
    [...groupBy(sample, ({ intent }) => intent)].map(([intent, own]) => {
      const sum = new Float64Array(384);
      for (const { text } of own) vectors?.get(text)?.forEach((value, at) => (sum[at] = (sum[at] ?? 0) + value));
      const length = Math.hypot(...sum);
      return [intent, sum.map((value) => value / length)] as const;
    }),
  );
}

const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

/** The log of an anchor intent and its nearest ones, and the requests that remain. */
function drawLog(anchor: string, centre: ReadonlyMap<string, Float64Array>, random: SeededRandom) {
  const own = centre.get(anchor) ?? new Float64Array();
  const near = [...centre].toSorted(([, a], [, b]) => dot(b, own) - dot(a, own)).map(([intent]) => intent);
  const inside = new Set(near.slice(0, workflows));
  const pool = random.shuffle(rows.filter(({ intent }) => inside.has(intent)));
  const others = random.shuffle(rows.filter(({ intent }) => !inside.has(intent)));
  const inScope = Math.min(Math.round(requests * (1 - outOfScope)), Math.floor(0.72 * pool.length));
  const outside = Math.round((inScope / (1 - outOfScope)) * outOfScope);
  const log = random.shuffle([...pool.slice(0, inScope), ...others.slice(0, outside)]);
  const fresh = [...pool.slice(inScope, inScope + 450), ...others.slice(outside, outside + 50)];
  return { inside, log, fresh };
}

/** A person who knows the right answer, with slips, and who agrees with the router's own choice `first` in a share of its errors. */
function answerFor(
  gold: string | null,
  { choices, first }: { readonly choices: readonly string[]; readonly first: string | undefined },
  random: SeededRandom,
): string | null {
  if (first !== undefined && first !== gold && random.uniform() < agree) return first;
  if (random.uniform() >= slips) return gold;
  const others = [...choices.filter((id) => id !== gold), ...(gold === null ? [] : [null])];
  return others[random.integer(0, others.length - 1)] ?? null;
}

/** Where the router of the latest test routes a drawn request. */
const routedIn = (context: Workbench, row: string): Promise<string | undefined> =>
  withHistory(
    context,
    "write",
    async ({ history }) =>
      listRecords(history, "draw")
        .at(-1)
        ?.document.draws.find((draw) => draw.row === row)?.routed,
  );

type Workbench = Awaited<ReturnType<typeof openWorkbench>>;
type GoldOf = (intent: string) => string | null;

/** Writes the project of a log; returns the workflow of each intent. */
async function projectOf(
  context: Workbench,
  folder: string,
  { inside, log }: Pick<ReturnType<typeof drawLog>, "inside" | "log">,
  seed: number,
): Promise<GoldOf> {
  const [source, file] = [join(folder, "tools.json"), join(folder, "log.txt")];
  const inputSchema = { type: "object", properties: {} };
  const tools = [...inside].map((intent) => ({ name: intent, description: names.get(intent), inputSchema }));
  writeFileSync(source, JSON.stringify({ tools }));
  writeFileSync(file, log.map(({ text }) => text.replace(/\s+/g, " ")).join("\n"));
  const { draft } = await createProject(context, { into: folder, source, log: file, seed });
  const ids = new Map(draft.labels.map(({ label, workflowId }) => [label, workflowId as string]));
  return (intent) => ids.get(intent) ?? null;
}

/** Clicks until nothing is asked; counts the clicks and the share of late examples that took one of the first two suggestions. */
async function clickThrough(
  context: Workbench,
  folder: string,
  goldOf: ReadonlyMap<string, string | null>,
  random: SeededRandom,
) {
  const workflowIds = [...new Set([...goldOf.values()].flatMap((id) => id ?? []))];
  const judge = judged > 0 ? { judge: judgeFile(folder, goldOf, workflowIds, random) } : {};
  const labeller = await openLabelling(context, { file: join(folder, "sluice.yaml"), workers: 1, ...judge });
  const clicks = { example: 0, test: 0, second: 0 };
  const ranks: number[] = [];
  let view = await labeller.view();
  while (view.question !== null && view.question.phase !== "second" && clicks.example + clicks.test < mostClicks) {
    const { phase, row, text, shortlist } = view.question;
    const choices = shortlist.map(({ workflow_id }) => workflow_id);
    // In a test, the suggestions are shuffled.
    const first = phase === "example" ? choices[0] : await routedIn(context, row);
    const wanted = answerFor(goldOf.get(text) ?? null, { choices, first }, random);
    await labeller.answer({ phase, row, answer: wanted === null ? "none" : "workflow", workflow_id: wanted });
    clicks[phase] += 1;
    if (phase === "example") ranks.push(wanted === null ? -1 : choices.indexOf(wanted));
    view = await labeller.view();
  }
  await labeller.close();
  const latest = ranks.slice(5 * workflows - 24, 5 * workflows);
  return { clicks, easy: latest.filter((rank) => rank === 0 || rank === 1).length / 24 };
}

async function measure(index: number, centre: ReadonlyMap<string, Float64Array>) {
  const random = seededRandom(1000 + index);
  const anchor = [...names.keys()].sort()[index % names.size] ?? "";
  const { inside, log, fresh } = drawLog(anchor, centre, random);
  const folder = mkdtempSync(join(tmpdir(), "label-clicks-"));
  try {
    const context = await openWorkbench({ folder: join(folder, ".sluice"), actor: "simulated" });
    const workflowOf = await projectOf(context, folder, { inside, log }, 1 + index);
    const goldOf = new Map(log.map(({ text, intent }) => [text.replace(/\s+/g, " "), workflowOf(intent)]));
    const clicked = await clickThrough(context, folder, goldOf, random);
    const { headline, claims } = await runProject(context, { file: join(folder, "sluice.yaml") });
    const signed = headline?.startsWith("at most") === true;
    const truth = signed ? await truthOf(context, fresh, workflowOf) : null;
    return { index, anchor, ...clicked, signed, headline, claim: claims[0], truth };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function judgeFile(
  folder: string,
  goldOf: ReadonlyMap<string, string | null>,
  ids: readonly string[],
  random: SeededRandom,
): string {
  const path = join(folder, "judge.jsonl");
  const log = linesOf<{ id: string; text: string }>(join(folder, "log.jsonl"));
  const answers = random
    .shuffle(log)
    .slice(0, 2 * judged)
    .map(({ id, text }) => {
      const gold = goldOf.get(text) ?? null;
      const others = ids.filter((one) => one !== gold);
      const predicted = random.uniform() < judgeRight ? gold : (others[random.integer(0, others.length - 1)] ?? null);
      return JSON.stringify({ id, predicted: predicted ?? "", confidence: 1 });
    });
  writeFileSync(path, `${answers.join("\n")}\n`);
  return path;
}

async function truthOf(context: Workbench, fresh: readonly Labelled[], goldOf: GoldOf) {
  const { router } = await openRouter(context);
  let [routed, wrong] = [0, 0];
  for (const { text, intent } of fresh) {
    const { decision, workflow_id } = await router.route(readRouteRequest({ text }, "bench"));
    if (decision !== "ROUTE") continue;
    routed += 1;
    wrong += workflow_id === goldOf(intent) ? 0 : 1;
  }
  await router.close();
  return { requests: fresh.length, routed, wrong };
}

const centre = await centres();
for (let index = skip; index < skip + logs; index += 1) {
  const line = JSON.stringify(await measure(index, centre));
  process.stdout.write(`${line}\n`);
  if (values.save !== undefined) appendFileSync(values.save, `${line}\n`);
}
