import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { assert, inTemporaryFolder, packageRoot, test } from "../support/test.js";
import { slowTests } from "../support/slow-tests.js";

const fixtures = join(packageRoot, "test/support/runner-fixtures");

/** What the runner must say about each fixture folder. */
const holes: Readonly<Record<string, RegExp>> = {
  "only-left": /\.only or \.skip is left in/,
  "skip-left": /\.only or \.skip is left in/,
  "no-tests": /no test was registered/,
  "suite-without-tests": /a suite has no tests/,
  "registered-late": /tests are registered while the runner imports their file/,
  "registered-elsewhere": /the tests of a are registered already/,
  "hook-throws": /a hook failed, 0 of 1 tests ran/,
  "no-match": /no test file matches/,
  "process-exit": /the run ended here/,
  "never-ends": /the run ended here/,
};

type Settings = Readonly<Record<"SLUICE_TEST_CLAIMS" | "SLUICE_TEST_PART", string>>;

function runFixture(name: string, settings: Partial<Settings> = {}) {
  const none = { SLUICE_TEST_CLAIMS: undefined, SLUICE_TEST_PART: undefined, NODE_V8_COVERAGE: undefined };
  const env = { ...process.env, ...none, SLUICE_TEST_ROOT: join(fixtures, name), ...settings };
  return spawnSync(process.execPath, [join(packageRoot, "dist/test/support/run.js")], { env, encoding: "utf8" });
}

test("a sound test file ends with 0 and a count", () => {
  const { status, stdout } = runFixture("good");
  assert.is(status, 0);
  assert.match(stdout, /^1 passed, 0 failed$/m);
});

test("a test file that is started without the runner fails and names the runner", () => {
  const { status, stderr } = spawnSync(process.execPath, [join(fixtures, "good/x.test.js")], { encoding: "utf8" });
  assert.is(status, 1);
  assert.match(stderr, "node dist/test/support/run.js PATH");
});

test("runners that share a folder of claims run each file once", () =>
  inTemporaryFolder(async (claims) => {
    assert.match(runFixture("good", { SLUICE_TEST_CLAIMS: claims }).stdout, /^1 passed, 0 failed$/m);
    assert.match(runFixture("good", { SLUICE_TEST_CLAIMS: claims }).stdout, /^0 passed, 0 failed$/m);
  }));

test("the two parts of a tree are all of it, and share nothing", () => {
  const passedIn = (part?: string): readonly string[] => {
    const { status, stdout } = runFixture("parts", part === undefined ? {} : { SLUICE_TEST_PART: part });
    assert.is(status, 0);
    return [...stdout.matchAll(/^(?<file>\S+)\.test\.js /gm)].map(({ groups }) => groups?.["file"] ?? "").sort();
  };
  assert.equal(passedIn("fast"), ["cli/args"]);
  assert.equal(passedIn("slow"), ["deploy/render", "e2e/job"]);
  assert.equal(passedIn(), ["cli/args", "deploy/render", "e2e/job"]);
});

test("a slow test is named once, exists, and has a reason", () => {
  for (const [slow, reason] of Object.entries(slowTests)) {
    const path = join(packageRoot, "test", slow.endsWith("/") ? slow : `${slow}.test.ts`);
    assert.ok(existsSync(path), `${slow} does not exist: test/support/slow-tests.ts`);
    assert.ok(reason.length > 10, `${slow}: why is it slow?`);
    const twice = Object.keys(slowTests).filter(
      (other) => other !== slow && other.endsWith("/") && slow.startsWith(other),
    );
    assert.equal(twice, [], slow);
  }
});

for (const [name, expected] of Object.entries(holes)) {
  test(`the fixture ${name} ends with 1 and says why`, () => {
    const { status, stdout } = runFixture(name);
    assert.is(status, 1);
    assert.match(stdout, expected);
    assert.match(stdout.trimEnd().split("\n").at(-1) ?? "", /^\d+ passed, [1-9]\d* failed$/);
  });
}

test("every fixture is covered here", () => {
  assert.equal(readdirSync(fixtures).sort(), [...Object.keys(holes), "good", "parts"].sort());
});
