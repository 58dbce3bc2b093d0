import { colourLine, wantsColour } from "../../../cli/terminal/terminal.js";
import { runCli } from "../../../cli/run-cli.js";
import { assert, test } from "../../support/test.js";
import { testWorld } from "../support/test-world.js";

const escape = "\u001b[";

test("the flag decides, then FORCE_COLOR, then NO_COLOR, then the terminal", () => {
  const cases: readonly (readonly [
    argv: readonly string[],
    env: Record<string, string>,
    terminal: boolean,
    colour: boolean,
  ])[] = [
    [[], {}, true, true],
    [[], {}, false, false],
    [[], { TERM: "dumb" }, true, false],
    [[], { NO_COLOR: "1" }, true, false],
    [[], { NO_COLOR: "" }, true, true],
    [[], { FORCE_COLOR: "1" }, false, true],
    [[], { FORCE_COLOR: "0" }, true, false],
    [["--color", "always"], { NO_COLOR: "1" }, false, true],
    [["--color=never"], { FORCE_COLOR: "1" }, true, false],
    [[], { SLUICE_COLOR: "always" }, false, true],
    [["--color", "auto"], { SLUICE_COLOR: "always" }, false, false],
  ];
  for (const [argv, env, terminal, colour] of cases) {
    assert.is(wantsColour(argv, env, terminal), colour, JSON.stringify([argv, env, terminal]));
  }
});

test("only verdicts in a separate column are coloured", () => {
  assert.is(colourLine("near_duplicate  12  FAIL"), `near_duplicate  12  ${escape}31mFAIL${escape}0m`);
  assert.is(colourLine("to pass or to FAIL is a word"), "to pass or to FAIL is a word");
});

test("errors are red at a terminal, and without a code elsewhere and in --json", async () => {
  const wrong = ["catalog", "chekc", "c.yaml"];
  const terminal = testWorld({ isTerminal: true, columns: { stdout: 80, stderr: 80 } });
  assert.is(await runCli(wrong, terminal), 2);
  assert.ok(terminal.written.stderr.startsWith(`${escape}31merror${escape}0m    USAGE: `));
  const plain = testWorld();
  await runCli(wrong, plain);
  assert.not.match(plain.written.stderr, "\u001b");
  const document = testWorld({ env: { FORCE_COLOR: "1" } });
  await runCli([...wrong, "--json"], document);
  assert.not.match(document.written.stdout, "\u001b");
});
