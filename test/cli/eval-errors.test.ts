import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assert, testWith } from "../support/test.js";
import { parseXml } from "../support/parse-xml.js";
import { sluice } from "./support/sluice.js";
import { measuredProject, succeed } from "./support/small-workspace.js";

interface Shop {
  cwd: string;
  texts: readonly string[];
}

interface Listed {
  readonly requests: number;
  readonly found: number;
  readonly buckets: readonly { readonly bucket: string; readonly rate: { readonly k: number; readonly n: number } }[];
  readonly errors: readonly {
    readonly id: string;
    readonly bucket: string;
    readonly confidence: number;
    readonly fold: string;
    readonly text?: string;
  }[];
}

const test = testWith<Shop>();

test.before(async (shop) => {
  shop.cwd = await mkdtemp(join(tmpdir(), "sluice-errors-"));
  await measuredProject(shop.cwd);
  const lines = readFileSync(join(shop.cwd, "shop", "requests.jsonl"), "utf8")
    .trim()
    .split("\n");
  shop.texts = lines.map((line) => (JSON.parse(line) as { text: string }).text).filter((text) => text.length > 12);
});

test.after(({ cwd }) => rm(cwd, { recursive: true, force: true }));

/** Runs in the project; the output must hold no text of a request. */
async function silently({ cwd, texts }: Shop, ...args: readonly string[]) {
  const finished = await sluice([...args, "-C", "shop"], { cwd });
  const output = `${finished.stdout}${finished.stderr}`;
  assert.equal(
    texts.filter((text) => output.includes(text)),
    [],
    args.join(" "),
  );
  return finished;
}

test("errors are counted over the fold, listed wrong routes and then the surest first, and shown with texts only on demand", async (shop) => {
  const { cwd } = shop;
  const shown = await silently(shop, "eval", "errors");
  assert.is(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^bucket +requests +share +meaning$/m);
  assert.match(shown.stdout, /^right workflow +ranked first +requests +routed$/m);
  assert.match(shown.stderr, /next {5}sluice eval explain line-\d+ --run \w{12} -C shop/);

  const listed = await succeed<Listed>(cwd, "eval", "errors", "-C", "shop");
  assert.is(
    listed.buckets.reduce((sum, { rate }) => sum + rate.k, 0),
    listed.requests,
  );
  const ranks = listed.errors.map(({ bucket, confidence }) => Number(bucket.includes("routed")) + confidence);
  assert.equal(
    ranks,
    [...ranks].sort((a, b) => b - a),
  );
  const all = await succeed<Listed>(cwd, "eval", "errors", "-C", "shop", "--fold", "all", "--limit", "1000");
  assert.is(all.requests, 216);
  assert.is(all.errors.length, all.found);
  assert.equal(
    new Set(all.errors.map(({ fold }) => fold)),
    new Set(["certify"]),
    "every text is tested, and none is held out",
  );

  const doubted = await succeed<Listed>(cwd, "eval", "errors", "-C", "shop", "--sort", "doubted", "--limit", "1000");
  assert.is(doubted.errors[0]?.bucket.endsWith("_wrong"), true, "a label that the scores contradict");
  assert.is(doubted.errors.at(-1)?.bucket, "declined_right", "a label that the scores support");

  const wrong = await succeed<Listed>(cwd, "eval", "errors", "-C", "shop", "--bucket", "routed_wrong", "--with-texts");
  assert.ok(wrong.errors.length > 0);
  assert.ok(wrong.errors.every(({ bucket, text }) => bucket === "routed_wrong" && text !== undefined));
  const printed = await sluice(["eval", "errors", "-C", "shop", "--with-texts"], { cwd });
  assert.ok(shop.texts.some((text) => printed.stdout.includes(text)));
});

test("a filter of another form is refused, one that finds nothing says so", async (shop) => {
  assert.is((await silently(shop, "eval", "errors", "--pair", "orders")).code, 2);
  const nothing = await silently(shop, "eval", "errors", "--tier", "critical");
  assert.is(nothing.code, 0);
  assert.match(nothing.stdout, /no request matches the filter/);
});

test("one request is explained from its stored scores", async (shop) => {
  const { cwd } = shop;
  const { errors } = await succeed<Listed>(cwd, "eval", "errors", "-C", "shop", "--bucket", "routed_wrong");
  const id = errors[0]?.id ?? "";
  const shown = await silently(shop, "eval", "explain", id);
  assert.is(shown.code, 0, shown.stderr);
  for (const line of [
    /^outcome +routed_wrong/m,
    /^thresholds +tier medium: confidence/m,
    /^right workflow +rank \d/m,
    /^features/m,
  ]) {
    assert.match(shown.stdout, line);
  }
  const story = await succeed<{
    readonly candidates: readonly { readonly place: number; readonly confidence: number; readonly right: boolean }[];
    readonly decision: { readonly confidence: number; readonly reason_code: string };
    readonly features: readonly { readonly name: string; readonly value: number }[];
    readonly changes: readonly { readonly kind: string }[];
  }>(cwd, "eval", "explain", id, "-C", "shop");
  assert.is(story.candidates[0]?.confidence, story.decision.confidence);
  assert.is(story.candidates.filter(({ right }) => right).length, 1);
  assert.ok(story.features.length > 10 && story.changes.length > 0);
});

test("a text in the place of an id is not repeated, and an id is needed", async (shop) => {
  const unknown = await silently(shop, "eval", "explain", shop.texts[1] ?? "");
  assert.is(unknown.code, 2);
  assert.match(unknown.stderr, /To explain a text: sluice route --text TEXT --explain -C shop/);
  assert.is((await silently(shop, "eval", "explain")).code, 2);
});

test("a table is written by the ending of its file, with texts only on demand and then for this user alone", async (shop) => {
  const file = (name: string) => join(shop.cwd, "shop", name);
  for (const name of ["r.parquet", "r.arrow", "r.csv"]) {
    const { code, stderr } = await silently(shop, "eval", "export", name, "--fold", "all");
    assert.is(code, 0, stderr);
    const bytes = readFileSync(file(name));
    assert.equal(
      shop.texts.filter((text) => bytes.includes(text)),
      [],
      name,
    );
  }
  assert.is((await stat(file("r.csv"))).mode & 0o777, 0o644);
  const withTexts = await silently(shop, "eval", "export", "t.csv", "--fold", "all", "--with-texts");
  assert.is(withTexts.code, 0, withTexts.stderr);
  assert.is((await stat(file("t.csv"))).mode & 0o777, 0o600);
  assert.ok(shop.texts.every((text) => readFileSync(file("t.csv"), "utf8").includes(text.replaceAll('"', '""'))));
  assert.is((await silently(shop, "eval", "export", "r.xlsx")).code, 2);
  assert.is((await silently(shop, "eval", "export", "c.csv", "--rows", "candidates", "--with-texts")).code, 2);
});

test("the errors that the claim counts are listed, each decided by the calibrator that tested it", async (shop) => {
  const { cwd } = shop;
  const { document } = await succeed<{ document: { claims: readonly { errors: number; routed: number }[] } }>(
    cwd,
    "calibrate",
    "show",
    "-C",
    "shop",
  );
  const [claim] = document.claims;
  const errors = ["eval", "errors", "-C", "shop", "--limit", "1000"];
  const routes = ["--bucket", "routed_wrong", "--bucket", "out_of_scope_routed"];
  const counted = await succeed<Listed>(cwd, ...errors, ...routes);
  assert.is(counted.errors.length, claim?.errors);
  const { stdout, stderr } = await silently(shop, "eval", "show");
  assert.match(stdout, `${claim?.errors} / ${claim?.routed}`);
  assert.not.match(stderr, "The claim counts");
});

test("gates end with exit code 3 when one is missed, and are written for a CI server", async (shop) => {
  const { cwd } = shop;
  const junit = join(cwd, "shop", "gates.xml");
  const gates = ["--gate", "certified", "--gate", "coverage>=0.99", "--junit", "gates.xml"];
  for (const command of [["eval", "show"], ["report", "eval", "--out", "all.html", "--fold", "all"], ["run"]]) {
    await rm(junit, { force: true });
    const { code, stdout } = await silently(shop, ...command, ...gates);
    assert.is(code, 3, command.join(" "));
    assert.match(stdout, /^ {2}pass +certified/m);
    assert.match(stdout, /^ {2}fail +coverage>=0\.99 +coverage is /m);
    const [suiteElement] = parseXml(readFileSync(junit, "utf8")).children;
    assert.equal(
      [suiteElement?.attributes["tests"], suiteElement?.attributes["failures"]],
      [command[0] === "run" ? "3" : "2", "1"],
    );
  }
  assert.is((await silently(shop, "eval", "show", "--gate", "certified")).code, 0);
});

test("a gate of another form or without its baseline is refused before any work", async (shop) => {
  for (const gate of ["accuracy>=1", "no_regression", "coverage>=A"]) {
    const { code, stderr } = await silently(shop, "run", "--force", "--gate", gate);
    assert.is(code, 2, gate);
    assert.not.match(stderr, /done/);
  }
});

test("a run is held against a baseline run, and the gates of the project file against each run", async (shop) => {
  const { cwd } = shop;
  const { runs } = await succeed<{ runs: readonly { run: string }[] }>(cwd, "eval", "list", "-C", "shop");
  const baseline = runs[0]?.run.slice(0, 12) ?? "";
  const same = await silently(
    shop,
    "eval",
    "show",
    "--baseline",
    baseline,
    "--gate",
    "no_regression",
    "--gate",
    "flips<=0",
  );
  assert.is(same.code, 0, same.stdout);
  const file = join(cwd, "shop", "sluice.yaml");
  await writeFile(file, `${readFileSync(file, "utf8")}gates:\n  - certified\n  - selective_risk<=0\n`);
  const held = await silently(shop, "run");
  assert.is(held.code, 3, held.stderr);
  assert.match(held.stdout, /^ {2}fail +selective_risk<=0/m);
  assert.ok(existsSync(join(cwd, "shop", "sluice-workspace", "report.html")));
});
