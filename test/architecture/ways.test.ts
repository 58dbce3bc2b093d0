import { existsSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { docPage } from "../support/doc-page.js";
import { reachedFrom } from "../support/import-graph.js";
import { packageRoot } from "../support/package-root.js";

/** The ways of docs/architecture.md: numbered files under the headings "The way of ...". */
const test = suite("architecture/ways");

interface Way {
  readonly title: string;
  readonly files: readonly string[];
}

const ways: readonly Way[] = docPage("architecture.md")
  .split(/^## /mu)
  .filter((section) => section.startsWith("The way of "))
  .map((section) => ({
    title: section.slice(0, section.indexOf("\n")),
    files: [...section.matchAll(/^\d+\. `(?<file>[^`]+\.ts)`/gmu)].map(({ groups }) => groups?.["file"] ?? ""),
  }));

/** Steps that go back up: to a file that loads the one before it. */
function climbs(files: readonly string[]): readonly string[] {
  const steps = files.slice(1).map((file, index) => ({ from: files[index] ?? "", file }));
  return steps
    .filter(({ from, file }) => reachedFrom(file, true).has(from))
    .map(({ from, file }) => `${from} to ${file}`);
}

test("a step to a file that loads the one before it is a climb", () => {
  const files = ["src/policy/decide.ts", "src/errors/error.ts", "src/policy/decide.ts"];
  assert.equal(climbs(files), ["src/errors/error.ts to src/policy/decide.ts"]);
});

test("the ways of a request, a scored record and a manifest are described", () => {
  assert.equal(
    ways.map(({ title }) => title),
    ["The way of a request", "The way of a scored record", "The way of a manifest"],
  );
  for (const { title, files } of ways) assert.ok(files.length >= 8, `${title}: ${files.length} files`);
});

for (const { title, files } of ways) {
  test(`${title}: every file is reached from one before it, and no step goes back up`, () => {
    assert.equal(
      files.filter((file) => !existsSync(join(packageRoot, file))),
      [],
    );
    const unreached = files.filter(
      (file, index) => index > 0 && !files.slice(0, index).some((earlier) => reachedFrom(earlier).has(file)),
    );
    assert.equal(unreached, []);
    assert.equal(climbs(files), []);
  });
}

test.run();
