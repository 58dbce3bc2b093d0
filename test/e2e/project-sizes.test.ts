import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { succeed } from "../cli/support/small-workspace.js";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { generatedCsv } from "../support/generated-requests.js";

/** Projects of few and many workflows, with few and many requests: each ends in a decision. */
const test = suite("e2e/project-sizes");

interface Init {
  readonly rows: number;
  readonly examples: number;
  readonly held_out: number;
  readonly out_of_scope: number;
  readonly left_out: Readonly<Record<string, number>>;
}

interface Run {
  readonly steps: readonly { readonly state: string }[];
  readonly claims: readonly string[];
}

interface Routed {
  readonly response: { readonly decision: string; readonly workflow_id: string | null };
}

/** Makes a project of this size, runs it and asks it. */
async function answered(intents: number, rows: number, expected: RegExp): Promise<void> {
  await inTemporaryFolder(async (cwd) => {
    const table = generatedCsv({ intents, rows, seed: 7 });
    await writeFile(join(cwd, "tickets.csv"), table);
    const made = await succeed<Init>(cwd, "init", "tickets.csv", "--into", "p", "--yes");
    const left = Object.values(made.left_out).reduce((total, count) => total + count, 0);
    assert.is(made.rows, table.trim().split("\n").length - 1);
    // Where every text is an example and measures, the examples are among the others.
    const measuring = made.held_out + made.out_of_scope + left;
    assert.ok([measuring, measuring + made.examples].includes(made.rows), JSON.stringify(made));
    const run = await succeed<Run>(cwd, "run", "-C", "p", "--until", "calibrate");
    assert.ok(run.steps.every(({ state }) => state === "done"));
    assert.match(run.claims[0] ?? "", expected);
    const { response } = await succeed<Routed>(
      cwd,
      "route",
      "-C",
      "p",
      "--text",
      "hi, i need to track my invoice today",
    );
    assert.match(response.decision, /^(ROUTE|CLARIFY|LLM_REQUIRED)$/);
    if (response.workflow_id !== null) assert.is(response.workflow_id, "track_invoice");
  });
}

test("3 intents with 5 rows each promise nothing and say what a promise needs", () =>
  answered(3, 5, /No text is routed: .* needs/));
test("120 intents with 5 rows each promise something", () => answered(120, 5, /^When Sluice routes/));

test.run();
