import { releaseFields } from "../../cli/release-lines.js";
import { workspaceAt } from "../../store/workspace.js";
import { assert, test } from "../support/test.js";

test("a release with a weaker promise than in production says so next to its bundle", () => {
  const place = { here: (path: string) => path, workspace: workspaceAt("w"), next: () => ({ command: "", args: [] }) };
  const weaker = "overall: at most 5% wrong before, at most 10% wrong now";
  const nothing = { signed: [], unchecked: [], rejected: [], problems: [], can_sign: ["bo"], missing: 1, required: 1 };
  const status = { ...nothing, approved: false, revoked: null, reproductions: { missing: 0 } };
  const release = { bundle_id: "a".repeat(64), producer: "ann", status, trust: "drafted", people: [], directory: null };
  const fieldsWith = (promises: readonly string[]) =>
    releaseFields(place, { ...release, occupied: false, weaker_promises: promises } as never);
  assert.equal(fieldsWith([weaker])[1], ["weaker", `promise than in production: ${weaker}`]);
  assert.is(fieldsWith([])[1]?.[0], "approved");
});
