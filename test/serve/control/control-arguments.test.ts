import { parseControlArguments } from "../../../serve/control/control-arguments.js";
import { assert, test, throws } from "../../support/test.js";

const parse = (line: string, env: Record<string, string> = {}) =>
  parseControlArguments(line.split(" "), env, "/srv/bundles");

test("status needs only the socket, from the flag or the environment", () => {
  assert.equal(parse("status --control s"), { kind: "control", socket: "s", order: { kind: "status" } });
  assert.is(parse("status", { SLUICE_SERVE_CONTROL: "e" }).socket, "e");
});

test("replace takes a folder, relative to the caller, and the generation that the caller saw", () => {
  assert.equal(parse("replace next --expected-generation 3 --control s").order, {
    kind: "replace",
    bundle: "/srv/bundles/next",
    expectedGeneration: 3,
  });
  assert.equal(parse("rollback --expected-generation 12 --control s").order, {
    kind: "rollback",
    expectedGeneration: 12,
  });
});

for (const line of [
  "status",
  "status more --control s",
  "restart --control s",
  "replace --expected-generation 1 --control s",
  "replace a b --expected-generation 1 --control s",
  "replace a --control s",
  "rollback --control s",
  "rollback --expected-generation 0 --control s",
  "rollback --expected-generation x --control s",
  "rollback --nonsense --control s",
]) {
  test(`refused: control ${line}`, () => {
    assert.match(throws(() => parse(line), "USAGE").hint ?? "", /sluice-serve control/);
  });
}
