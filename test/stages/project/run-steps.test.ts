import { type ProjectStep, runSteps, type RunStepsOptions } from "../../../stages/project/run-steps.js";
import type { Made, StepState } from "../../../stages/project/step-state.js";
import { sha256Hex } from "../../../src/base/sha256.js";
import { assert, test } from "../../support/test.js";

/** Three steps, each made from the one before; `data` changes what the first one reads. */
function chain(data: { text: string }, ran: string[], gone: ReadonlySet<string> = new Set()): readonly ProjectStep[] {
  const step = (name: string, makes: keyof Made, inputs: ProjectStep["inputs"]): ProjectStep => ({
    name,
    inputs,
    present: () => !gone.has(name),
    run: async (earlier) => {
      ran.push(name);
      return { made: { [makes]: sha256Hex(`${name} of ${JSON.stringify(inputs(earlier))}`) }, summary: name };
    },
  });
  return [
    step("import", "dataset", () => data.text),
    step("score", "run", ({ dataset }) => dataset),
    step("report", "report", ({ run }) => run),
  ];
}

function runner() {
  const saved = { state: { schema_version: 1, steps: {} } as StepState };
  const run = async (steps: readonly ProjectStep[], changes: Partial<RunStepsOptions> = {}) => {
    const { reports } = await runSteps(steps, {
      state: saved.state,
      save: async (state) => {
        saved.state = state;
      },
      force: false,
      dryRun: false,
      clock: () => 0,
      onStep: () => undefined,
      ...changes,
    });
    return reports.map(({ name, state }) => `${name} ${state}`);
  };
  return run;
}

test("a second run does nothing; a changed input runs its step and those behind it", async () => {
  const run = runner();
  const ran: string[] = [];
  const data = { text: "a" };
  await run(chain(data, ran));
  assert.equal(await run(chain(data, ran)), ["import up_to_date", "score up_to_date", "report up_to_date"]);
  data.text = "b";
  assert.equal(await run(chain(data, ran), { dryRun: true }), ["import outdated", "score outdated", "report outdated"]);
  const forced = await run(chain(data, ran), { dryRun: true, force: true });
  assert.equal(forced, ["import planned", "score planned", "report planned"]);
  await run(chain(data, ran));
  assert.equal(ran, ["import", "score", "report", "import", "score", "report"]);
});

test("an output that is gone is made again; an equal one spares the steps behind it", async () => {
  const run = runner();
  const ran: string[] = [];
  await run(chain({ text: "a" }, ran));
  assert.equal(await run(chain({ text: "a" }, ran, new Set(["score"]))), [
    "import up_to_date",
    "score done",
    "report up_to_date",
  ]);
});

test("a run that ends in a failure resumes behind the last finished step", async () => {
  const run = runner();
  const ran: string[] = [];
  const [first, second, third] = chain({ text: "a" }, ran);
  assert.ok(first !== undefined && second !== undefined && third !== undefined);
  const failing = { ...second, run: () => Promise.reject(new Error("disk full")) };
  await run([first, failing, third]).then(
    () => assert.unreachable(),
    (error: unknown) => assert.instance(error, Error),
  );
  assert.equal(await run([first, second, third]), ["import up_to_date", "score done", "report done"]);
});

test("--until ends early, --force runs what is up to date", async () => {
  const run = runner();
  const ran: string[] = [];
  assert.equal(await run(chain({ text: "a" }, ran), { until: "score" }), ["import done", "score done"]);
  assert.equal(await run(chain({ text: "a" }, ran), { force: true }), ["import done", "score done", "report done"]);
});
