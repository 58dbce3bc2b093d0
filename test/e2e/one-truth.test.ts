import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sluice } from "../cli/support/sluice.js";
import { measuredProject } from "../cli/support/small-workspace.js";
import { answerOf, bytesOfBase64 } from "../../reports/explorer/answer.js";
import type { ExplorerView } from "../../reports/explorer/explorer-view.js";
import { limitsOf, ratesOf, textOfHtml, textOfJson } from "../support/quantities.js";
import { programs, startProgram } from "../support/run-program.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";

const commands = [
  "status",
  "eval show",
  "eval errors",
  "eval list",
  "calibrate show",
  "manifest show",
  "reproduce",
  "run",
] as const;
const env = { SLUICE_PASSPHRASE: "for this test only", SLUICE_YES: "1" };

async function run(cwd: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await sluice([...args, "-C", "shop"], { cwd, env });
  assert.is(code, 0, `${args.join(" ")}: ${stdout}${stderr}`);
  return `${stdout}\n${stderr}`;
}

interface Row {
  readonly id: string;
  text: string;
  workflow_id: string | null;
}

interface History {
  /** What the run after the edits printed. */
  readonly edited: string;
  /** What names the first release. */
  readonly earlier: { readonly ids: readonly string[]; readonly headline: string; readonly pages: Pages };
}

type Pages = ReadonlyMap<string, string>;

/** Reports of the project as it is. */
async function reports(cwd: string): Promise<Pages> {
  const pages = new Map<string, string>();
  for (const kind of ["eval", "calibration", "release"]) {
    await run(cwd, "report", kind, "--out", join(cwd, `${kind}.html`));
    const page = readFileSync(join(cwd, `${kind}.html`), "utf8");
    pages.set(`report ${kind}`, `${textOfHtml(page)}\n${kind === "eval" ? explored(page) : ""}`);
  }
  return pages;
}

/** A release, corrected, rewritten, deleted and added rows, and a second release. */
async function projectWithHistory(cwd: string): Promise<History> {
  await measuredProject(cwd);
  const release = async (): Promise<void> => {
    await run(cwd, "run", "--release", "--accept", "a test");
    for (const name of ["bo", "cy"]) await run(cwd, "approve", "--approver", name);
  };
  await release();
  const [, calibration = ""] = /([0-9a-f]{12})/u.exec(await run(cwd, "calibrate", "show")) ?? [];
  const [, scored = "", headline = ""] = /^([0-9a-f]{12}) .*(at most .*)$/mu.exec(await run(cwd, "eval", "list")) ?? [];
  const pages = await reports(cwd);
  await run(cwd, "dataset", "relabel", "line-42=change_address", "--reason", "second reading");
  const file = join(cwd, "shop", "requests.jsonl");
  const rows = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
  const edited = rows.flatMap((row) => {
    if (row.id === "line-33") return [];
    if (row.id === "line-87") return [{ ...row, text: `${row.text} please` }];
    return [row.id === "line-116" ? { ...row, workflow_id: "return_item" } : row];
  });
  const added = ["where does my parcel stay", "parcel status please", "has it shipped yet"].map((text, at) => ({
    id: `new-${at}`,
    text,
    workflow_id: "track_order",
  }));
  writeFileSync(file, [...edited, ...added].map((row) => `${JSON.stringify(row)}\n`).join(""));
  const afterEdits = await run(cwd, "run", "--note", "edited");
  await release();
  await run(cwd, "bundle", "export", "--replace");
  return { edited: afterEdits, earlier: { ids: [calibration, scored], headline, pages } };
}

/** What each page and each command shows of the latest release, as text. */
async function allPages(cwd: string): Promise<{ readonly pages: Pages; readonly before: Pages }> {
  const { edited, earlier } = await projectWithHistory(cwd);
  const pages = new Map([["run after the edits", edited]]);
  for (const command of commands) {
    pages.set(command, await run(cwd, ...command.split(" ")));
    const { stdout } = await sluice([...command.split(" "), "-C", "shop", "--json"], { cwd });
    pages.set(`${command} --json`, textOfJson(JSON.parse(stdout)));
  }
  for (const [name, text] of await reports(cwd)) pages.set(name, text);
  await servedPage("sluice", ["ui", "-C", "shop", "--port", "0"], cwd, async (address) => {
    pages.set("ui", textOfHtml(await (await fetch(address)).text()));
  });
  const workspace = join(cwd, "shop", "sluice-workspace");
  const bundle = ["--bundle", join(workspace, "bundle"), "--trust", join(workspace, "trust.json")];
  const ports = ["--port", "0", "--metrics-port", "0", "--ops-page", "--authorizer", "local"];
  await servedPage("serve", [...bundle, ...ports], cwd, async (address) => {
    pages.set("ops", textOfHtml(await (await fetch(address)).text()));
  });
  const { ids, headline } = earlier;
  const isNow = (line: string): boolean => !ids.some((id) => line.includes(id));
  const now = (text: string): string => text.replaceAll(headline, "").split("\n").filter(isNow).join("\n");
  return { pages: new Map([...pages].map(([page, text]) => [page, now(text)])), before: earlier.pages };
}

/** What the explorer of an evaluation report shows before anything is moved. */
function explored(page: string): string {
  const [, data = ""] = /<script type="application\/json" id="explorer-data">(.*?)<\/script>/su.exec(page) ?? [];
  const { columns: packed, thresholds } = JSON.parse(data) as ExplorerView;
  const columns = {
    confidence: new Float64Array(bytesOfBase64(packed.confidence).buffer),
    flags: bytesOfBase64(packed.flags),
    tier: bytesOfBase64(packed.tier),
  };
  const { wrong, accepted } = answerOf(columns, { thresholds, outOfScopeShare: null });
  return `Explorer | ${wrong}/${accepted} = 0%`;
}

async function servedPage(
  program: keyof typeof programs,
  args: readonly string[],
  cwd: string,
  use: (address: string) => Promise<void>,
): Promise<void> {
  const server = startProgram(programs[program], args, {}, cwd);
  try {
    const [, address = ""] = await server.untilStderr(/(?:open|live page) +(http:\/\/127\.0\.0\.1:\d+\/\S*)/u);
    await use(address);
  } finally {
    server.child.kill("SIGTERM");
    await server.finished;
  }
}

/** Counts, limits and shares in sentences. Those of a plan, of now, and of a part of the requests have other names. */
const sentences: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["routes of the claim", /(?<!ones: |tested before: )\b(\d+) wrong of (\d+) routed/gu],
  ["routes of the claim", /\bWrong when tested \| (\d+) of (\d+)/gu],
  ["routes of the claim", /(\d+) of (\d+) wrong when tested/gu],
  ["promise", /(?<!planned:? |planned target:? (?:\| )?)at most ([\d.]+%) (?:wrong|of routes)/giu],
  ["routed share", /\bRouted \| ([\d.]+)%/gu],
  ["routed share", /(?<![\d.]|\/ [\d,]+ )([\d.]+)% routed/gu],
  ["decided differently", /(\d+) of (\d+) (?:decisions differ|are decided differently)/gu],
];

/** Values by name, each with the pages that show it. */
class Shown {
  readonly #pages = new Map<string, Map<string, Set<string>>>();

  note(name: string, value: string, page: string): void {
    const values = this.#pages.get(name) ?? new Map<string, Set<string>>();
    this.#pages.set(name, values.set(value, (values.get(value) ?? new Set()).add(page)));
  }

  /** Names with several values, and where each stands. */
  conflicts(): readonly string[] {
    return [...this.#pages].flatMap(([name, values]) =>
      values.size === 1
        ? []
        : [`${name}: ${[...values].map(([value, on]) => `${value} on ${[...on].join(", ")}`).join("; ")}`],
    );
  }

  pagesOf(name: string): number {
    return new Set([...(this.#pages.get(name)?.values() ?? [])].flatMap((pages) => [...pages])).size;
  }
}

/** Rates of a narrower subject (a reason, a bucket, a tier), answers to questions, and rows of curves have other names. */
const isOfPart = (name: string): boolean => /^$|[_?\d.]\w*$|^tier |^explorer$|^allowed workflows only/u.test(name);

function noteSentences(counts: Shown, page: string, text: string): void {
  for (const [name, pattern] of sentences) {
    for (const [, first = "", second] of text.replaceAll(/\s+/gu, " ").matchAll(pattern)) {
      counts.note(name, second === undefined ? Number.parseFloat(first).toFixed(1) : `${first} of ${second}`, page);
    }
  }
}

/** Limits of the claim's count, and how many independent requests it counts as; `later` pages may repeat them. */
function noteLimits(limits: Shown, release: string, pages: Pages, later: Pages = new Map()): void {
  const [, k = "", n = ""] = /(\d+) wrong of (\d+) routed/u.exec(pages.get("report release") ?? "") ?? [];
  for (const [page, text] of [...pages, ...later]) {
    for (const limit of limitsOf(text, [k, n])) limits.note(`limit of ${release}`, limit, page);
  }
  for (const [page, text] of pages) {
    for (const [, limit] of text.matchAll(/upper limit of wrong routes[ |]+([\d.]+%)/gu)) {
      limits.note(`limit of ${release}`, `limit ${limit}`, page);
    }
    for (const [, requests = ""] of text.matchAll(/counts? as (?:at most )?([\d.,]+) independent request/gu)) {
      limits.note(`independent requests of ${release}`, requests, page);
    }
  }
}

test("a quantity has one count, one interval and one name on every page and in every output of a project", () =>
  inTemporaryFolder(async (cwd) => {
    const { pages, before } = await allPages(cwd);
    const [counts, names, limits] = [new Shown(), new Shown(), new Shown()];
    noteLimits(limits, "release 1", before, new Map([["report of release 2", pages.get("report release") ?? ""]]));
    noteLimits(limits, "release 2", pages);
    const measured = ratesOf(pages.get("eval show") ?? "");
    for (const [page, text] of pages) {
      noteSentences(counts, page, text);
      for (const { name, value } of ratesOf(text)) {
        if (measured.some((one) => one.name === name)) counts.note(name, value, page);
        if (measured.some((one) => one.value === value) && !isOfPart(name)) names.note(value, name, page);
      }
    }
    assert.equal(counts.conflicts(), []);
    assert.equal(names.conflicts(), []);
    assert.equal(limits.conflicts(), []);
    for (const release of ["release 1", "release 2"]) assert.ok(limits.pagesOf(`limit of ${release}`) >= 2, release);
    const now = "selective risk as decided now";
    for (const name of [now, "coverage", ...sentences.map(([one]) => one)]) assert.ok(counts.pagesOf(name) >= 3, name);
  }));
