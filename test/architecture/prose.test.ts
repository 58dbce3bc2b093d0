import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assert, inTemporaryFolder, packageRoot, shared, test, testWithShared } from "../support/test.js";

/** Pieces, so that the check does not find in this file what it should find in the planted ones. */
const joined = (...pieces: readonly string[]): string => pieces.join("");

interface Check {
  readonly status: number | null;
  /** Places as `line: "words"`, in the order of the report. */
  readonly faults: readonly string[];
}

/** Runs the prose check on one planted file. */
function checked(file: string): Check {
  const { status, stdout } = spawnSync(process.execPath, [join(packageRoot, "scripts/prose.mjs"), file], {
    encoding: "utf8",
  });
  const faults = stdout.matchAll(/^\S*planted\.\w+:(?<line>\d+): "(?<found>[^"]+)"/gm);
  return { status, faults: [...faults].map(({ groups }) => `${groups?.["line"]}: ${groups?.["found"]}`) };
}

test("a page with refused wordings and a misspelt word fails the check, each with its line", () =>
  inTemporaryFolder((folder) => {
    const file = join(folder, "planted.md");
    const page = [
      "# Datasets",
      joined("A data", " set is split by workflow."),
      joined("Nobody approves an", "\nown bundle."),
      joined("Answers are not", " concerned."),
      joined("This is a misspelt wo", "rdd."),
    ];
    writeFileSync(file, `${page.join("\n\n")}\n`);
    assert.equal(checked(file), {
      status: 1,
      faults: [
        joined("3: data", " set"),
        joined("5: an", " own"),
        joined("8: are not", " concerned"),
        joined("10: wo", "rdd"),
      ],
    });
  }));

test("comments and messages of a source are read, across their lines", () =>
  inTemporaryFolder((folder) => {
    const file = join(folder, "planted.ts");
    const source = [
      joined("/** The folder be", "side the checkout. */"),
      'export const hint = "the latest when " +',
      '  "absent";',
      joined("// No request is scored any", "\n// more"),
    ];
    writeFileSync(file, `${source.join("\n")}\n`);
    assert.equal(checked(file), {
      status: 1,
      faults: [joined("1: be", "side"), joined("2: when", " absent"), joined("4: No request is scored any", " more")],
    });
  }));

test("plain sentences pass", () =>
  inTemporaryFolder((folder) => {
    const file = join(folder, "planted.md");
    writeFileSync(file, "Producers cannot approve their own bundles. Responses are unaffected.\n");
    assert.equal(checked(file), { status: 0, faults: [] });
  }));

interface ProseRules {
  readonly proseFaults: (text: string) => readonly object[];
}

testWithShared(test, "nine of ten sentences that the rules of prose replace are found", async () => {
  const { proseFaults } = (await import(
    pathToFileURL(join(packageRoot, "scripts/prose-rules.mjs")).href
  )) as ProseRules;
  const page = readFileSync(shared("reference", "prose.md"), "utf8");
  const replaced = [...page.matchAll(/^\| (?!Now )(?<now>[^|]+) \|/gm)].map(({ groups }) => groups?.["now"] ?? "");
  assert.ok(replaced.length >= 20);
  const missed = replaced.filter((sentence) => proseFaults(sentence).length === 0);
  assert.ok(missed.length <= 0.1 * replaced.length, missed.join("\n"));
});
