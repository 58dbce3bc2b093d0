import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { assert, inTemporaryFolder, pluck, shared, test, testWithShared } from "../support/test.js";
import { wordsOf } from "../support/doc-page.js";
import { sluice } from "./support/sluice.js";
import { fitLexical, fitSmallWorkspace, scoreSmallWorkspace, succeed } from "./support/small-workspace.js";

interface Evaluation {
  readonly decisions: Readonly<Record<string, number>>;
  readonly retrieval: { readonly recall_at_5: { readonly n: number } };
  readonly detail: {
    readonly slices: readonly { readonly verified_top1: { readonly n: number } }[];
  };
}

/** Every key at every level. */
function keysOf(value: unknown): readonly string[] {
  if (value === null || typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return Object.entries(value).flatMap(([key, item]) => [key, ...keysOf(item)]);
}

interface ListedRun {
  readonly note: string | null;
  readonly run: string;
  readonly kind: string;
  readonly requests: number;
  readonly calibrations: readonly string[];
}
interface Compared {
  readonly result: {
    readonly comparison: {
      readonly requests: number;
      readonly total: { readonly flips: number; readonly worse: number };
      readonly flips: readonly { readonly id: string; readonly text?: string | null }[];
    };
  };
  readonly gates: readonly { readonly name: string; readonly verdict: string }[];
}

async function failure(cwd: string, ...args: readonly string[]): Promise<{ code: number | null; error: string }> {
  const { code, stdout } = await sluice([...args, "--json"], { cwd });
  return { code, error: (JSON.parse(stdout) as { error?: { code: string } }).error?.code ?? "" };
}

test("requests that were scored under another split are not scored again, and the run has the same bytes", () =>
  inTemporaryFolder(async (cwd) => {
    await fitSmallWorkspace(cwd, { patterns: true, size: "tiny" });
    const other = join(cwd, "..", `${basename(cwd)}-other`);
    await cp(cwd, other, { recursive: true });
    try {
      const first = await succeed<{ run: string; scores_of: string | null }>(cwd, "eval", "run");
      assert.is(first.scores_of, null);
      const split = ["dataset", "split", "--seed", "2", "--by", "request"];
      for (const folder of [cwd, other]) await succeed(folder, ...split);
      const again = await succeed<{ run: string; scores_of: string | null }>(cwd, "eval", "run");
      const fresh = await succeed<{ run: string; scores_of: string | null }>(other, "eval", "run");
      assert.equal([again.scores_of, fresh.scores_of], [first.run, null]);
      assert.is(again.run, fresh.run);
      const nextOfList = async () => (await sluice(["eval", "list"], { cwd })).stderr.replace(/ +/, " ");
      const [a, b] = [first.run.slice(0, 12), again.run.slice(0, 12)];
      assert.is(await nextOfList(), `next sluice eval compare ${a} ${b}\n`);
      const requests = await readFile(join(cwd, "requests.jsonl"), "utf8");
      const [, second = "", ...rest] = requests.trimEnd().split("\n");
      const rewritten = { ...(JSON.parse(second) as { text: string }), text: "please do something else" };
      await writeFile(join(cwd, "requests.jsonl"), [JSON.stringify(rewritten), ...rest, ""].join("\n"));
      await succeed(cwd, "dataset", "import", "requests.jsonl", "--format", "jsonl", "--catalog", "catalog.yaml");
      await succeed(cwd, ...split);
      const edited = await succeed<{ run: string }>(cwd, "eval", "run");
      assert.is(await nextOfList(), `next sluice eval show --run ${edited.run.slice(0, 12)}\n`, "another dataset");
      const compared = ["eval", "compare", again.run, edited.run, "--fold", "all"];
      const { stderr } = await sluice(compared, { cwd });
      assert.match(
        stderr.replaceAll(/\s+/g, " "),
        `${rest.length} requests have the same text and label in both, and only these are compared.`,
      );
      assert.equal(await failure(cwd, ...compared, "--gate", "joint_risk_change<=0.1"), {
        code: 2,
        error: "DOCUMENT_INVALID",
      });
    } finally {
      await rm(other, { recursive: true, force: true });
    }
  }));

test("a run is listed, shown at a threshold, and compared with itself at another one", () =>
  inTemporaryFolder(async (cwd) => {
    const run = await scoreSmallWorkspace(cwd);
    const { runs } = await succeed<{ runs: readonly ListedRun[] }>(cwd, "eval", "list");
    assert.equal(
      runs.map((each) => [each.run, each.kind, each.calibrations]),
      [[run, "scored", []]],
    );

    const id = run.slice(0, 12);
    const undecided = await sluice(["eval", "compare", id, id, "--gate", "flips<=0"], { cwd });
    assert.is(undecided.code, 2);
    assert.match(undecided.stderr, /No thresholds apply to run \w+, so it decides nothing/);

    const compare = ["eval", "compare", id, id, "--min-confidence-a", "0.3", "--min-confidence-b", "0.6"];
    const gated = await sluice([...compare, "--gate", "coverage<=A", "--gate", "worse_flips<0", "--json"], { cwd });
    assert.is(gated.code, 3, gated.stderr);
    const { result, gates } = JSON.parse(gated.stdout) as Compared;
    assert.equal(pluck(gates, "verdict"), ["pass", "fail"]);
    const { comparison } = result;
    assert.ok(comparison.total.flips > 0);
    assert.is(comparison.flips.length, comparison.total.flips);
    assert.ok(comparison.flips.every(({ text }) => text === undefined));

    const withTexts = await succeed<Compared["result"]>(cwd, ...compare, "--with-texts");
    assert.ok(withTexts.comparison.flips.every(({ text }) => typeof text === "string" && text !== ""));

    assert.equal(await failure(cwd, ...compare, "--gate", "accuracy>=1"), { code: 2, error: "USAGE" });
    const document = await succeed<Evaluation>(cwd, "eval", "show", "--min-confidence", "0.5");
    assert.equal(
      keysOf(document).filter((key) => !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$|^[A-Z_]+$/.test(key)),
      [],
    );
    assert.ok(document.retrieval.recall_at_5.n > 0);
    assert.ok(document.detail.slices.some(({ verified_top1: { n } }) => n > 0));
    assert.ok(document.decisions["ROUTE"] !== undefined);
    const shown = await sluice(["eval", "show", "--min-confidence", "0.5"], { cwd });
    assert.is(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /where requests end/);
    const errors = ["eval", "errors", "--min-confidence", "0.5", "--limit", "100"];
    assert.match((await sluice([...errors, "--fold", "all"], { cwd })).stdout, /^request +fold +bucket/m);
    assert.match((await sluice([...errors, "--fold", "certify"], { cwd })).stdout, /^request +bucket/m);
    assert.match((await sluice(compare, { cwd })).stdout, "0 requests that run B lacks, 0 that run A lacks");
  }));

test("the note of a run stands wherever the run is listed, shown or compared, changes no id, and the latest counts", () =>
  inTemporaryFolder(async (cwd) => {
    const run = await scoreSmallWorkspace(cwd);
    const printed = async (...words: readonly string[]): Promise<string> => (await sluice(words, { cwd })).stdout;
    assert.not.match(await printed("eval", "list"), "note");
    for (const note of ["first try", "six labels corrected", "six labels corrected"]) {
      assert.is((await succeed<{ readonly run: string }>(cwd, "eval", "run", "--note", note)).run, run);
    }
    const { runs } = await succeed<{ runs: readonly ListedRun[] }>(cwd, "eval", "list");
    assert.equal(pluck(runs, "note"), ["six labels corrected"]);
    const { entries } = await succeed<{ entries: readonly object[] }>(cwd, "history", "log", "--kind", "note");
    assert.is(entries.length, 2);
    const sides = ["--min-confidence-a", "0.3", "--min-confidence-b", "0.6"];
    for (const words of [
      ["eval", "list"],
      ["eval", "show"],
      ["eval", "compare", run, run, ...sides],
    ])
      assert.match(await printed(...words), "six labels corrected");
    for (const note of ["x".repeat(81), "two\nlines"])
      assert.equal(await failure(cwd, "eval", "run", "--note", note), { code: 2, error: "ARGUMENT_INVALID" });
  }));

interface WrittenPages {
  readonly file: string;
  readonly charts: readonly string[];
  readonly verdict?: string;
}

/** The pages of a calibration, and of a calibration compared with its run at another threshold. */
async function writesPages(cwd: string, calibration: string, run: string): Promise<void> {
  const shown = await succeed<WrittenPages>(cwd, "report", "calibration", calibration, "--charts", "charts");
  assert.is(shown.file, "calibration.html");
  for (const file of shown.charts) assert.ok((await readFile(join(cwd, file), "utf8")).length > 100, file);
  const again = await readFile(join(cwd, "calibration.html"), "utf8");
  await succeed(cwd, "report", "calibration", calibration);
  assert.is(await readFile(join(cwd, "calibration.html"), "utf8"), again);

  const sides = ["eval", "compare", calibration, run, "--min-confidence-b", "0.6"];
  const compared = await succeed<WrittenPages>(cwd, ...sides, "--out", "comparison.html");
  assert.ok(["mixed", "A is better", "B is better", "equal", "no difference shown"].includes(compared.verdict ?? ""));
  assert.match(await readFile(join(cwd, "comparison.html"), "utf8"), /<a href="calibration\.html">Calibration<\/a>/);
  await succeed<WrittenPages>(cwd, ...sides, "--out", "comparison.json");
  assert.ok(JSON.parse(await readFile(join(cwd, "comparison.json"), "utf8")));
  assert.equal(await failure(cwd, ...sides, "--out", "page.pdf"), { code: 2, error: "USAGE" });
  assert.equal(await failure(cwd, "eval", "compare", "0000", run), { code: 2, error: "RECORD_NOT_FOUND" });
}

test("thresholds apply only to runs of the models that they were fitted on, with a warning elsewhere", () =>
  inTemporaryFolder(async (cwd) => {
    const a = (await scoreSmallWorkspace(cwd)).slice(0, 12);
    const { calibration } = await succeed<{ calibration: string }>(cwd, "calibrate", "fit", "--target", "0.5");
    await fitLexical(cwd, { seed: 2, out: "other-models" });
    const b = (await succeed<{ run: string }>(cwd, "eval", "run")).run.slice(0, 12);

    const shown = await sluice(["eval", "show"], { cwd });
    assert.is(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /calibration {2}none: no decisions/);
    const reason = `Calibration ${calibration.slice(0, 12)} does not apply to run ${b}: it was fitted on run ${a}, which has a different verifier`;
    assert.ok(shown.stderr.includes(reason), shown.stderr);
    assert.match((await sluice(["eval", "show", "--run", a], { cwd })).stdout, /^selective risk|selective risk/m);

    await writesPages(cwd, calibration, a);

    const compared = await sluice(["eval", "compare", a, b], { cwd });
    assert.is(compared.code, 2);
    assert.ok(compared.stderr.includes(reason), compared.stderr);
    for (const args of [
      ["eval", "compare", a, b, "--calibration-b", calibration],
      ["eval", "show", "--run", b, "--calibration", calibration],
      ["report", "eval", "--run", b, "--calibration", calibration],
    ]) {
      assert.equal(await failure(cwd, ...args), { code: 2, error: "CALIBRATION_INVALID" }, args.join(" "));
    }
  }));

test("imported predictions become a run that shows and compares, but is never calibrated", () =>
  inTemporaryFolder(async (cwd) => {
    const rows = Array.from({ length: 40 }, (_, i) => {
      const gold = i % 5 === 0 ? null : `intent.${i % 3}`;
      return {
        id: `r${i}`,
        gold,
        predicted: `intent.${i % 4 === 0 ? 0 : i % 3}`,
        confidence: ((i * 7 + 1) % 40) / 40,
        system: "x",
      };
    });
    const file = [...rows, ...rows.map((row) => ({ ...row, system: "y", confidence: row.confidence / 2 }))];
    await writeFile(join(cwd, "predictions.jsonl"), file.map((row) => JSON.stringify(row)).join("\n"));
    const { runs } = await succeed<{
      runs: readonly { run: string; document: { kind: string; model_version: string } }[];
    }>(cwd, "eval", "import-predictions", "predictions.jsonl", "--each", "system", "--system", "bot");
    assert.equal(
      runs.map(({ document }) => [document.kind, document.model_version]),
      [
        ["imported", "bot x"],
        ["imported", "bot y"],
      ],
    );
    const [x = "", y = ""] = runs.map(({ run }) => run.slice(0, 12));
    const shown = await succeed<{ requests: number; coverage: { k: number } }>(
      cwd,
      "eval",
      "show",
      "--run",
      x,
      "--min-confidence",
      "0.5",
    );
    assert.is(shown.requests, 40);
    assert.ok(shown.coverage.k > 0);
    const compared = await succeed<Compared["result"]>(
      cwd,
      ...wordsOf(`eval compare ${x} ${y} --min-confidence-a 0.5 --min-confidence-b 0.5`),
    );
    assert.is(compared.comparison.requests, 40);
    assert.is((await failure(cwd, "calibrate", "fit", "--run", x)).error, "USAGE");
    assert.is((await failure(cwd, "calibrate", "fit")).error, "RECORD_NOT_FOUND");
    assert.is(
      (
        await failure(
          cwd,
          "eval",
          "compare",
          x,
          y,
          "--min-confidence-a",
          "0.5",
          "--min-confidence-b",
          "0.5",
          "--with-texts",
        )
      ).error,
      "USAGE",
    );
    assert.is((await failure(cwd, "eval", "import-predictions", "predictions.jsonl")).error, "DOCUMENT_INVALID");
  }));

interface Board {
  readonly requests: number;
  readonly systems: readonly { readonly run_id: string; readonly system: string }[];
}

testWithShared(test, "five systems on three chatbots are fifteen runs, three leaderboards, and a report each", () =>
  inTemporaryFolder(async (cwd) => {
    const file = shared("data", "hint3-predictions", "predictions.csv");
    const importing = ["eval", "import-predictions", file, "--layout", "hint3", "--each", "bot,system"];
    const { code, stdout, stderr } = await sluice(importing, { cwd });
    assert.is(code, 0, stderr);
    assert.match(stdout, /curekart dialogflow +991 +539 +0\.6 +57\.3% +86\.5% +0\.578 +0\.856 +0\.363 +16\.8% +9\.3%/);
    const { runs } = await succeed<{ runs: readonly ListedRun[] }>(cwd, "eval", "list");
    assert.is(runs.length, 15);
    assert.is(
      runs.reduce((sum, { requests }) => sum + requests, 0),
      11_855,
    );

    const { boards } = await succeed<{ boards: readonly Board[] }>(cwd, "eval", "leaderboard");
    assert.equal(
      boards.map(({ requests, systems }) => [requests, systems.map(({ system }) => system.split(" ").at(-1))]),
      [
        [991, ["rasa", "bert", "haptik", "dialogflow", "luis"]],
        [983, ["haptik", "bert", "dialogflow", "rasa", "luis"]],
        [397, ["dialogflow", "bert", "haptik", "rasa", "luis"]],
      ],
    );
    const best = boards[0]?.systems[0]?.run_id ?? "";
    const page = ["report", "eval", "--run", best, "--min-confidence", "0.5", "--out", "board.md"];
    const report = await sluice(page, { cwd });
    assert.is(report.code, 0, report.stderr);
    const text = await readFile(join(cwd, "board.md"), "utf8");
    assert.match(text, "Nothing is promised: no calibration was used.");
    assert.match(text, "Requests are routed at confidence 0.5 or more in every tier.");
    assert.match(text, /Systems on the same 991 requests \(539 out of scope\)/);
    assert.match(text, /curekart dialogflow \| 0\.6 \| 57\.3% \| 86\.5% \| 0\.578 \| 0\.856 \| 0\.363/);
  }),
);
