import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { inTemporaryFolder } from "../support/builders-artifacts.js";
import { packageRoot } from "../support/package-root.js";

const test = suite("architecture/runner");
const fixtures = join(packageRoot, "test/support/runner-fixtures");

/** What the runner must say about each fixture folder; uvu alone ends with 0 for all of them but the last two. */
const holes: Readonly<Record<string, RegExp>> = {
  "run-forgotten": /no suite was run/,
  "only-left": /\.only or \.skip is left in/,
  "skip-left": /\.only or \.skip is left in/,
  "no-tests": /a suite has no tests/,
  "tests-after-run": /the last statement must be test\.run\(\)/,
  "hook-throws": /a hook failed, 0 of 1 tests ran/,
  "no-match": /no test file matches/,
  "process-exit": /the run ended here/,
  "never-ends": /the run ended here/,
};

function runFixture(name: string, claims?: string): { readonly status: number | null; readonly stdout: string } {
  const own = { SLUICE_TEST_ROOT: join(fixtures, name), SLUICE_TEST_CLAIMS: claims, NODE_V8_COVERAGE: undefined };
  const env = { ...process.env, ...own };
  return spawnSync(process.execPath, [join(packageRoot, "dist/test/support/run.js")], { env, encoding: "utf8" });
}

test("a sound test file ends with 0 and a count", () => {
  const { status, stdout } = runFixture("good");
  assert.is(status, 0);
  assert.match(stdout, /^1 passed, 0 failed$/m);
});

test("runners that share a folder of claims run each file once", () =>
  inTemporaryFolder(async (claims) => {
    assert.match(runFixture("good", claims).stdout, /^1 passed, 0 failed$/m);
    assert.match(runFixture("good", claims).stdout, /^0 passed, 0 failed$/m);
  }));

for (const [name, expected] of Object.entries(holes)) {
  test(`the fixture ${name} ends with 1 and says why`, () => {
    const { status, stdout } = runFixture(name);
    assert.is(status, 1);
    assert.match(stdout, expected);
    assert.match(stdout.trimEnd().split("\n").at(-1) ?? "", /^\d+ passed, [1-9]\d* failed$/);
  });
}

test("every fixture is covered here", () => {
  assert.equal(readdirSync(fixtures).sort(), [...Object.keys(holes), "good"].sort());
});

test.run();
