import { suite } from "uvu";
import type { WorkflowId } from "../../../../src/domain/primitives.js";
import * as assert from "uvu/assert";
import { seededRandom } from "../../../../src/stats/seeded-random.js";
import { type LabelledCatalog, drawCatalog } from "../../../../workbench/fit/verification/draw-catalog.js";
import { aWorkflow } from "../../../support/builders.js";

const test = suite("workbench/fit/verification/draw-catalog");

/** Twenty workflows with thirty requests each; the last two of each source mean the same. */
function source(name: string): LabelledCatalog {
  const ids = Array.from({ length: 20 }, (_, i) => `${name}.${i}` as WorkflowId);
  return {
    workflows: ids.map((workflowId) => aWorkflow({ workflowId, name: `name ${workflowId}`, examples: [] })),
    requests: ids.flatMap((workflowId) =>
      Array.from({ length: 30 }, (_, i) => ({
        id: `${workflowId}-${i}`,
        text: `text ${i} of ${workflowId}`,
        workflowId,
      })),
    ),
    groups: new Map([
      [`${name}.18`, `${name} twin`],
      [`${name}.19`, `${name} twin`],
    ]),
  };
}

const sources = [source("a"), source("b")];
const background = ["a sentence of a lexicon", "another sentence"];
const draws = Array.from({ length: 40 }, (_, seed) => drawCatalog(sources, background, seededRandom(seed)));

test("no request is an example of the drawn catalog", () => {
  for (const { workflows, requests } of draws) {
    const examples = new Set(workflows.flatMap((workflow) => workflow.examples));
    assert.is(requests.filter(({ text }) => examples.has(text)).length, 0);
  }
});

test("labels name workflows of the catalog; requests of others and background texts have none", () => {
  for (const { workflows, requests } of draws) {
    const ids = new Set(workflows.map(({ workflowId }) => workflowId));
    for (const { text, workflowId } of requests) {
      const own = /of (\S+)$/.exec(text)?.[1] ?? "";
      assert.is(workflowId, background.includes(text) || !ids.has(own as WorkflowId) ? null : own);
    }
    assert.ok(requests.some(({ workflowId }) => workflowId === null));
  }
});

test("a catalog never holds two workflows of one group", () => {
  for (const { workflows } of draws) {
    for (const name of ["a", "b"]) {
      assert.ok(workflows.filter(({ workflowId }) => [`${name}.18`, `${name}.19`].includes(workflowId)).length < 2);
    }
  }
});

test("catalogs mix sources or not, keep contracts or only names, and have none to ten examples", () => {
  const countsOf = (draw: (typeof draws)[number]): readonly number[] => [
    ...new Set(draw.workflows.map(({ examples }) => examples.length)),
  ];
  assert.ok(draws.every((draw) => countsOf(draw).length === 1 && (countsOf(draw)[0] ?? 11) <= 10));
  assert.ok(draws.some((draw) => countsOf(draw)[0] === 10) && draws.some((draw) => (countsOf(draw)[0] ?? 10) < 3));
  const sourcesOf = draws.map(({ workflows }) => new Set(workflows.map(({ workflowId }) => workflowId[0])).size);
  assert.equal(
    [...new Set(sourcesOf)].sort((a, b) => a - b),
    [1, 2],
  );
  const thin = draws.map(({ workflows }) => workflows.every(({ name, description }) => name === description));
  assert.ok(thin.includes(true) && thin.includes(false));
});

test("the seed alone decides", () => {
  assert.equal(drawCatalog(sources, background, seededRandom(7)), drawCatalog(sources, background, seededRandom(7)));
  assert.not.equal(drawCatalog(sources, [], seededRandom(7)), drawCatalog(sources, [], seededRandom(8)));
});

test.run();
