import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { assert, inTemporaryFolder, pluck, shared, test, testWithShared } from "../support/test.js";
import { sluice, sluiceProgram } from "../cli/support/sluice.js";

/** Cases of the folder of `test/cli/field-cases` that show only when a project runs. */

async function made(cwd: string, input: string, options: readonly string[]): Promise<void> {
  const source = join(shared("field", "cases"), input);
  const { code, stderr } = await sluice(["init", source, "--into", "p", "--owner", "me", ...options], { cwd });
  assert.is(code, 0, stderr);
}

/** Makes a project of a case and runs it; a claim that holds is no condition. */
async function ran(cwd: string, input: string, ...steps: readonly string[]): Promise<string> {
  await made(cwd, input, []);
  return runs(cwd, ...steps);
}

async function runs(cwd: string, ...steps: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await sluice(["run", "-C", "p", ...steps], { cwd });
  assert.is(code, 0, stderr);
  return stdout;
}

const toClaim = ["--until", "calibrate"] as const;

interface Decision {
  readonly decision: string;
  readonly workflow_id: string | null;
}

async function decisions(cwd: string, texts: readonly string[]): Promise<readonly Decision[]> {
  const found: Decision[] = [];
  for (const text of texts) {
    const { stdout } = await sluice(["route", "-C", "p", "--text", text, "--json"], { cwd });
    found.push((JSON.parse(stdout) as { readonly result: { readonly response: Decision } }).result.response);
  }
  return found;
}

const declined = async (cwd: string, texts: readonly string[]): Promise<void> =>
  assert.equal(
    pluck(await decisions(cwd, texts), "decision"),
    texts.map(() => "LLM_REQUIRED"),
  );

const certifiedShare = (stdout: string): number => Number(/^claim +.*at most (\d+)% of routes/m.exec(stdout)?.[1]);

testWithShared(test, "a project whose strict targets are out of reach certifies a looser one", () =>
  inTemporaryFolder(async (cwd) => {
    await made(cwd, "auto-target-cliff/train.csv", ["--seed", "3"]);
    assert.ok(certifiedShare(await runs(cwd, ...toClaim)) <= 30);
  }),
);

testWithShared(
  test,
  "200 texts of four templates are wrong without the rest of their template, and the run says so",
  () =>
    inTemporaryFolder(async (cwd) => {
      const stdout = await ran(cwd, "imbalanced/train.csv", ...toClaim);
      assert.match(stdout, /the first tested threshold gives 34 wrong of 140 routed/);
    }),
);

testWithShared(test, "with one workflow, the run says what the claim shows", async () => {
  for (const [input, said] of [
    ["single-intent/train.csv", /the claim shows nothing/],
    ["single-intent-plus-none/train.csv", /12 tested requests are out of scope \(/],
  ] as const) {
    await inTemporaryFolder(async (cwd) => {
      const stdout = await ran(cwd, input);
      assert.match(stdout, said);
      assert.not.match(stdout, /\b1 workflows/);
    });
  }
});

testWithShared(test, "texts without a word of the requests, and near misses of one word, are declined", async () => {
  await inTemporaryFolder(async (cwd) => {
    await ran(cwd, "watson-intents-csv/intents.csv", ...toClaim);
    await declined(cwd, ["<html><body></body></html>", "http://example.org/a?b=c", "ok"]);
  });
  await inTemporaryFolder(async (cwd) => {
    await ran(cwd, "one-word-dominates/m.csv", ...toClaim);
    await declined(cwd, ["delete my account", "who reads this message"]);
  });
});

testWithShared(test, "nothing is routed to a label that means out of scope", () =>
  inTemporaryFolder(async (cwd) => {
    await ran(cwd, "rasa-oos-subintents/nlu.yml", ...toClaim);
    const routed = await decisions(cwd, ["hola", "buenos dias", "what is the weather like"]);
    assert.not(routed.some(({ workflow_id: id }) => id?.startsWith("out_of_scope") === true));
  }),
);

testWithShared(test, "where nothing is routed, the run names the mails among the texts", () =>
  inTemporaryFolder(async (cwd) => {
    const stdout = await ran(cwd, "email-threads/mails.csv");
    assert.match(stdout, /^Nothing is certified/m);
    assert.match(
      stdout,
      /^missing +72 of 72 texts \(100%\) contain quoted emails or signatures\. .*: sluice init FILE --clean/m,
    );
  }),
);

testWithShared(test, "two runs at once both end, in a folder with spaces, umlauts and other scripts", () =>
  inTemporaryFolder(async (parent) => {
    const cwd = join(parent, "Größe 注文 a b");
    await mkdir(cwd);
    await cp(shared("field", "cases", "single-intent", "train.csv"), join(cwd, "train.csv"));
    const init = await sluice(["init", "train.csv", "--into", "p", "--owner", "me"], { cwd });
    assert.is(init.code, 0, init.stderr);
    const both = await Promise.all([1, 2].map(() => sluiceProgram(["run", "-C", "p"], { cwd })));
    assert.equal(pluck(both, "code"), [0, 0], both.map(({ stderr }) => stderr).join("\n"));
  }),
);
