import { projectName } from "../../stages/init.js";
import { assert, test } from "../support/test.js";

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
