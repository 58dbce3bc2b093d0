import { join } from "node:path";
import { asCalled, printed, toCaller } from "../../cli/caller.js";
import { command, type Invocation, say, textOf } from "../../src/base/error.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { sluice } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";

/** What a message tells the reader to type works where the reader stands. */

const shop = { project: "shop", workspace: "sluice-workspace", workspaceGiven: false, initWords: null };

test("a command repeats the folder of the call, in a hint as well as in a next step", () => {
  const hint = say`Reject: ${command`sluice reject`}. Or: ${command`sluice approve --days ${90}`}`;
  assert.is(textOf(toCaller(hint, shop)), "Reject: sluice reject -C shop. Or: sluice approve --days 90 -C shop");
  const place = { ...shop, project: "büro 2", workspace: "w", workspaceGiven: true };
  assert.is(textOf([asCalled(command`sluice run`, place)]), "sluice run -C 'büro 2' --workspace w");
  assert.is(textOf([asCalled(command`sluice run`, { ...shop, project: "." })]), "sluice run");
});

test("a command for another folder, a help text and the server stay as they are", () => {
  for (const other of [
    command`sluice init CATALOG --log FILE --into DIR`,
    command`sluice --help`,
    command`sluice run -C other`,
    command`sluice-serve --bundle DIR`,
  ]) {
    assert.equal(asCalled(other, shop), other);
  }
});

test("an inserted value is one word, whatever it contains, and a list is as many words", () => {
  const file = "it's a 'file'; rm -rf";
  assert.equal(command`sluice key show ${file} ${["--days", "3"]}`.args, ["key", "show", file, "--days", "3"]);
  assert.is(textOf([command`sluice key show ${"a b"}`]), "sluice key show 'a b'");
});

test("whoever came through npx gets commands with npx, and nobody else", () => {
  const hint = say`Create one with: ${command`sluice quickstart`}, or ${command`sluice-serve --help`}. sluice is`;
  const expected = "Create one with: npx sluice quickstart, or npx sluice-serve --help. sluice is";
  assert.is(printed(hint, { npm_command: "exec" }), expected);
  assert.is(printed(hint, {}), expected.replaceAll("npx ", ""));
});

test("hints of failed commands repeat -C, and only where it was given", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", "--yes");
    const rows = [
      [["eval", "show"], "sluice dataset import FILE --format FORMAT -C shop"],
      [["run", "--release"], "--producer NAME --approver NAME --approver NAME -C shop"],
      [["trust", "show"], "sluice trust create -C shop"],
      [["approve", "--approver", "bo", "--key", "bo", "--yes"], "sluice trust create -C shop"],
      [["catalog", "show", "catalog.yaml", "--workflow", "nothing.alike"], "sluice catalog show catalog.yaml -C shop"],
    ] as const;
    for (const [words, expected] of rows) {
      const failed = await sluice([...words, "-C", "shop"], { cwd });
      assert.is.not(failed.code, 0, words.join(" "));
      assert.match(failed.stderr, expected);
      const inside = await sluice(words, { cwd: join(cwd, "shop") });
      assert.match(inside.stderr, expected.replace(" -C shop", ""));
    }
    await succeed(cwd, "run", "-C", "shop", "--until", "import");
    const unfitted = await sluice(["eval", "run", "-C", "shop", "--json"], { cwd });
    assert.match(unfitted.stdout, "sluice dataset split -C shop");
  }));

test("a hint of init has the caller's own command line, without the option that it replaces", () => {
  const given = (hint: Invocation, ...argv: readonly string[]) =>
    textOf([asCalled(hint, { ...shop, initWords: argv })]);
  const label = command`sluice init FILE --label-column ${"a b"}`;
  assert.is(
    given(label, "-C", "desk", "init", "my file.csv", "--into", "p"),
    "sluice -C desk init 'my file.csv' --into p --label-column 'a b'",
  );
  for (const old of [["--label-column", "x"], ["--label-column=x"]]) {
    assert.is(given(label, "init", "f.csv", ...old), "sluice init f.csv --label-column 'a b'");
  }
  const both = command`sluice init FILE --text-column a --text-column b --label-column c`;
  assert.is(
    given(both, "init", "f.csv", "--text-column", "x", "--label-column=c", "--into", "p"),
    "sluice init f.csv --into p --text-column a --text-column b --label-column c",
  );
  assert.is(
    given(command`sluice init FILE --out-of-scope-label b`, "init", "f.csv", "--out-of-scope-label", "a"),
    "sluice init f.csv --out-of-scope-label a --out-of-scope-label b",
    "labels add up",
  );
});
