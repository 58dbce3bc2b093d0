import { spawnSync } from "node:child_process";
import { foldCommand, foldLine } from "../../../cli/terminal/terminal.js";
import { fields, table } from "../../../cli/table.js";
import { assert, test } from "../../support/test.js";

const digest = "a".repeat(64);
const lines = [
  ...fields([
    ["catalog", digest],
    ["next", "a sentence that is long enough to be folded at sixty and eighty columns, and says something at its end"],
  ]),
  ...table(
    [
      ["orders.track", "medium", "says where an order is now and when it will arrive at the address of the customer"],
      ["orders.cancel", "high", "cancels an order"],
    ],
    ["workflow", "tier", "description"],
  ),
  `    near_twins: ${"word ".repeat(60)}`,
];

for (const width of [40, 60, 80, 120, 200]) {
  test(`no line is wider than ${width} characters, and nothing is lost`, () => {
    for (const line of lines) {
      const folded = foldLine(line, width);
      assert.ok(
        folded.every((part) => part.length <= width),
        folded.join("\n"),
      );
      assert.is(folded.join("").replaceAll(" ", ""), line.replaceAll(" ", ""));
    }
  });
}

test("what is folded stands below its column", () => {
  const [, second = ""] = fields([
    ["a", "x"],
    ["column", "one two three four five six seven eight nine ten eleven twelve"],
  ]);
  assert.equal(foldLine(second, 40), [
    "column  one two three four five six",
    "        seven eight nine ten eleven",
    "        twelve",
  ]);
});

test("a line that fits stays as it is", () => {
  assert.equal(foldLine("  as it is", 60), ["  as it is"]);
});

test("a folded command is the same command to a shell", () => {
  const line = "printf %s, --text 'two words that stay together' --retriever models/default --verifier 'it'\\''s' end";
  const folded = foldCommand(line, 40, 4);
  assert.ok(folded.length > 2);
  assert.ok(folded.slice(0, -1).every((part) => part.endsWith(" \\")));
  const run = (script: string): string => spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout;
  assert.is(run(folded.join("\n")), run(line));
});
