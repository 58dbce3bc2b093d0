import { join } from "node:path";
import { asGiven, atPlace } from "../../cli/at-place.js";
import { commands } from "../../cli/commands.js";
import { assert, inTemporaryFolder, test } from "../support/test.js";
import { sluice } from "./support/sluice.js";
import { succeed } from "./support/small-workspace.js";

/** What a message tells the reader to type works where the reader stands. */

const shop = { project: "shop", workspace: "sluice-workspace", workspaceGiven: false };

test("a command line in a sentence repeats the place behind its name", () => {
  const rows = [
    ["Run: sluice run --release", "Run: sluice run -C shop --release"],
    ["Choose two runs: sluice eval list", "Choose two runs: sluice eval list -C shop"],
    [
      "sluice eval errors --with-texts -C shop, then sluice run",
      "sluice eval errors --with-texts -C shop, then sluice run -C shop",
    ],
    ["sluice dataset audit lists them.", "sluice dataset audit -C shop lists them."],
    ["Reject: sluice reject. Or: sluice approve", "Reject: sluice reject -C shop. Or: sluice approve -C shop"],
  ] as const;
  for (const [text, expected] of rows) assert.is(atPlace(text, shop, commands), expected);
});

test("what is no command of a project stays", () => {
  const texts = [
    "sluice init CATALOG --log FILE --into DIR",
    "sluice-workspace/history.db",
    "sluice-serve --help",
    "sluice --help",
    "@org/sluice run",
    "sluice is",
  ];
  for (const text of texts) assert.is(atPlace(text, shop, commands), text);
});

test("folders with spaces are quoted, and both flags are repeated", () => {
  const place = { project: "büro 2", workspace: "w", workspaceGiven: true };
  assert.is(atPlace("sluice run", place, commands), "sluice run -C 'büro 2' --workspace w");
  assert.is(atPlace("sluice run", { ...place, project: ".", workspaceGiven: false }, commands), "sluice run");
});

test("hints of failed commands repeat -C, and only where it was given", () =>
  inTemporaryFolder(async (cwd) => {
    await succeed(cwd, "init", "--into", "shop", "--yes");
    const rows = [
      [["eval", "show"], "sluice dataset import -C shop FILE"],
      [["run", "--release"], "sluice run -C shop --release --producer NAME"],
      [["trust", "show"], "sluice trust create -C shop"],
      [["approve", "--approver", "bo", "--key", "bo", "--yes"], "sluice trust create -C shop"],
      [["catalog", "show", "catalog.yaml", "--workflow", "nothing.alike"], "sluice catalog show -C shop catalog.yaml"],
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
  const given = (hint: string, ...argv: readonly string[]) => asGiven(hint, argv);
  const hint = 'Name it:\nsluice init FILE --label-column "a b"';
  assert.is(
    given(hint, "-C", "desk", "init", "my file.csv", "--into", "p"),
    "Name it:\nsluice -C desk init 'my file.csv' --into p --label-column \"a b\"",
  );
  for (const old of [["--label-column", "x"], ["--label-column=x"]]) {
    assert.is(given(hint, "init", "f.csv", ...old), 'Name it:\nsluice init f.csv --label-column "a b"');
  }
  const both = 'sluice init FILE --text-column "a" --text-column "b" --label-column "c". Then go on.';
  assert.is(
    given(both, "init", "f.csv", "--text-column", "x", "--label-column=c", "--into", "p"),
    'sluice init f.csv --into p --text-column "a" --text-column "b" --label-column "c". Then go on.',
  );
  assert.is(
    given('sluice init FILE --out-of-scope-label "b"', "init", "f.csv", "--out-of-scope-label", "a"),
    'sluice init f.csv --out-of-scope-label a --out-of-scope-label "b"',
    "labels add up",
  );
  assert.is(given("Use a file with labelled requests.", "init", "f.csv"), "Use a file with labelled requests.");
});
