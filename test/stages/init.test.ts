import { suite } from "uvu";
import * as assert from "uvu/assert";
import { projectName } from "../../stages/init.js";

const test = suite("stages/init");

test("the name of a file becomes a name without accents and signs", () => {
  const rows = [
    ["data/tickets.csv", "tickets"],
    ["Bürger Anfragen (1).csv", "Burger-Anfragen-1"],
    ["straße.xlsx", "strasse"],
    ["退款.csv", "project"],
    ["-", "project"],
  ] as const;
  for (const [source, name] of rows) assert.is(projectName(source), name);
});

test.run();
