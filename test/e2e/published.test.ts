/** The bench of published rows, run as its users run it. */
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, inTemporaryFolder, packageRoot, shared, test, testWithShared } from "../support/test.js";

interface Row {
  readonly row: string;
  readonly source: string;
  readonly [name: string]: unknown;
}

function bench(...args: readonly string[]) {
  const program = join(packageRoot, "dist", "bench", "published.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  assert.is(status, 0, stderr);
  return { stdout, stderr };
}

const rowsOf = (...args: readonly string[]): readonly Row[] =>
  (JSON.parse(bench("--json", ...args).stdout) as { readonly rows: readonly Row[] }).rows;

/** AURC, coverage at 90 and 95% in per cent, ECE: reference/benchmarks.md, B8. */
const leaderboard: Readonly<Record<string, readonly string[]>> = {
  "curekart rasa": ["0.343", "14.8", "8.9", "0.439"],
  "curekart dialogflow": ["0.363", "16.8", "9.3", "0.090"],
  "curekart luis": ["0.411", "8.4", "0.5", "0.117"],
  "curekart haptik": ["0.347", "15.3", "5.5", "0.095"],
  "curekart bert": ["0.345", "8.9", "7.9", "0.460"],
  "powerplay11 rasa": ["0.694", "1.8", "1.3", "0.389"],
  "powerplay11 dialogflow": ["0.683", "0.0", "0.0", "0.322"],
  "powerplay11 luis": ["0.709", "0.6", "0.6", "0.110"],
  "powerplay11 haptik": ["0.645", "1.1", "1.0", "0.194"],
  "powerplay11 bert": ["0.660", "1.2", "1.1", "0.488"],
  "sofmattress rasa": ["0.371", "1.3", "1.3", "0.332"],
  "sofmattress dialogflow": ["0.298", "13.9", "8.8", "0.070"],
  "sofmattress luis": ["0.376", "1.3", "1.3", "0.104"],
  "sofmattress haptik": ["0.330", "15.6", "1.3", "0.083"],
  "sofmattress bert": ["0.318", "6.3", "5.8", "0.387"],
};

testWithShared(test, "the leaderboard of five systems on three chatbots equals the reference, digit by digit", () => {
  const found = Object.fromEntries(
    rowsOf("--only", "hint3").map(({ bot, system, aurc, coverage_at_90, coverage_at_95, ece }) => [
      `${String(bot)} ${String(system)}`.toLowerCase(),
      [
        Number(aurc).toFixed(3),
        (100 * Number(coverage_at_90)).toFixed(1),
        (100 * Number(coverage_at_95)).toFixed(1),
        Number(ece).toFixed(3),
      ],
    ]),
  );
  assert.equal(found, leaderboard);
});

/** The shipped models with the calibrator of the documented row. */
const shippedModels = [
  "--retriever",
  "models/default/retriever",
  "--verifier",
  "models/default/verifier",
  "--calibrator",
  "catalog-features",
  "--delta",
  "0.01",
];

/** CLINC150 with every third of its test texts, which is half of the time. */
function writeThird(folder: string): void {
  cpSync(shared("data", "clinc150"), join(folder, "clinc150"), { recursive: true });
  const file = join(folder, "clinc150", "raw", "data_full.json");
  const lists = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, readonly object[]>>;
  const third = Object.entries(lists).map(([name, rows]) => [
    name,
    name.endsWith("test") ? rows.filter((_, place) => place % 3 === 0) : rows,
  ]);
  writeFileSync(file, JSON.stringify(Object.fromEntries(third)));
}

testWithShared(test, "one seed of the ten-example row keeps the joint error and a calibrated confidence", () =>
  inTemporaryFolder((data) => {
    writeThird(data);
    const [own, published] = rowsOf("--only", "ten-example", "--seeds", "11", "--data", data, ...shippedModels);
    assert.is(own?.["source"], "measured");
    const between = (name: string, low: number, high: number): void => {
      const value = own?.[name];
      assert.ok(typeof value === "number" && value >= low && value <= high, `${name} is ${String(value)}`);
    };
    between("top1", 0.9, 0.95);
    between("recall_at_5", 0.97, 1);
    between("coverage", 0.7, 0.95);
    between("joint_error", 0, 0.055);
    between("oos_false_positive_rate", 0, 0.08);
    between("ece", 0, 0.03);
    between("uncalibrated_ece", 0.01, 1);
    assert.is(published?.["source"], "published");
    assert.is(Number(published?.["coverage"]).toFixed(3), "0.640");
    assert.is(Number(published?.["selective_error"]).toFixed(4), "0.0460");
    assert.is(Number(published?.["oos_false_positive_rate"]).toFixed(4), "0.0292");
    assert.is(published?.["selective_over_target"], 2);
  }),
);

test("without the data there is one line that says so, and no row", () => {
  const { stdout, stderr } = bench("--json", "--data", "no-such-folder");
  assert.equal(JSON.parse(stdout), { rows: [] });
  assert.match(stderr, /left out: there is no folder no-such-folder/);
});
