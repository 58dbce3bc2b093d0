import { listedEdits, requestChanges } from "../../../release/page/request-changes.js";
import { assert, pluck, test } from "../../support/test.js";

test("labelled requests that were added, removed and relabelled are counted; equal ones are not mentioned", () => {
  const before = new Map([
    ["pay me", "pay"],
    ["stop it", "stop"],
    ["who are you", null],
  ]);
  assert.is(requestChanges(before, before), "");
  const now = new Map([
    ["pay me", "refund"],
    ["who are you", null],
    ["where is it", "track"],
    ["is it here", "track"],
  ]);
  assert.is(requestChanges(before, now), " Labelled requests since then: 2 added, 1 removed, 1 relabelled.");
});

test("edits that the page of the release before lists are marked and counted", () => {
  const edit = (id: string) => ({ id, workflow_id: null, what: "withdrawn: a joke" });
  const [old, fresh] = [edit("a"), edit("b")];
  const { requests, known, listed } = listedEdits([old, fresh], { approved: [old], release: 1, authors: new Map() });
  assert.equal([requests, known], [2, 1]);
  assert.equal(pluck(listed, "what"), ["withdrawn: a joke (on the page of release 1 already)", "withdrawn: a joke"]);
});
