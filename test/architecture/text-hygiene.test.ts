import { readFileSync } from "node:fs";
import { join } from "node:path";
import { assert, packageRoot, test } from "../support/test.js";
import { projectFiles } from "./files.js";

interface Ban {
  readonly what: string;
  readonly pattern: RegExp;
  readonly caught: string;
}

/** Joined from pieces, so that this file does not hold what it looks for. */
const joined = (...pieces: readonly string[]): string => pieces.join("");
const absolute = "(?<![\\w.$})*/-])/";

const bans: readonly Ban[] = [
  {
    what: "a home folder",
    pattern: new RegExp(joined(absolute, "((ho", "me|Us", "ers)/[A-Za-z]|ro", "ot/)")),
    caught: joined("in /ho", "me/someone/x"),
  },
  {
    what: "a work folder of a machine",
    pattern: new RegExp(joined(absolute, "wo", "rk/")),
    caught: joined('"/wo', 'rk/x"'),
  },
  {
    what: "a package registry",
    pattern: new RegExp(joined("regis", "try\\.[a-z]|art", "ifactory|npm[a-z-]*\\.[a-z-]+\\.[a-z]{2,}/"), "i"),
    caught: joined("https://regis", "try.example.org/"),
  },
  {
    what: "a note to come back",
    pattern: new RegExp(joined("\\b(TO", "DO|FIX", "ME)\\b")),
    caught: joined("// TO", "DO: later"),
  },
];

for (const { what, pattern, caught } of bans) {
  test(`no file names ${what}`, () => {
    assert.match(caught, pattern);
    const files = projectFiles();
    assert.ok(files.length > 50, `only ${files.length} files were seen`);
    assert.equal(
      files.filter((file) => pattern.test(readFileSync(join(packageRoot, file), "utf8"))),
      [],
    );
  });
}
