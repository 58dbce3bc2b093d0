import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unbounded } from "../../../../src/domain/run-scope.js";
import { kernelTexts } from "../../../../src/retrieval/kernels/kernel-texts.js";
import { WordKernelsRetriever } from "../../../../src/retrieval/kernels/word-kernels-retriever.js";
import { aWorkflow } from "../../../support/builders.js";
import { withPool } from "../../../support/pools.js";
import { scoresById } from "../../../support/retrieval.js";
import { wordKernelsModel } from "../../../support/word-vectors.js";

const test = suite("src/retrieval/kernels/kernel-texts");

const workflow = (workflowId: string, name: string, description: string) =>
  aWorkflow({ workflowId, name, description, capabilities: ["tells the time"], examples: ["what time is it"] });
const workflows = [
  workflow("clock.tell", "Tell time", "Says how late it is"),
  workflow("clock.stop", "Stop", "Stop"),
  workflow("clock.bare", "", ""),
];

test("name and description are one text, or two that differ and say something", () => {
  const joined = kernelTexts(workflows, "> ");
  assert.equal([...joined.starts], [0, 3, 6, 9]);
  assert.equal(joined.texts.slice(0, 3), ["> Tell time. Says how late it is", "> tells the time", "> what time is it"]);
  const apart = kernelTexts(workflows, "> ", true);
  assert.equal([...apart.starts], [0, 4, 7, 10]);
  assert.equal(apart.texts.slice(0, 2), ["> Tell time", "> Says how late it is"]);
  assert.equal([apart.texts[4], apart.texts[7]], ["> Stop", "> . "]);
  assert.equal(apart.kinds.slice(0, 3), ["title", "title", "capability"]);
});

test("a request that is the name of a workflow without examples finds it more surely when the name stands apart", () =>
  withPool({}, async (pool) => {
    const bare = (workflowId: string, name: string) =>
      aWorkflow({
        workflowId,
        name,
        description: "For customers of the bank who want help with a matter of their current account.",
        capabilities: [],
        examples: [],
      });
    const catalog = [bare("card.freeze", "Freeze card"), bare("card.replace", "Replace card")];
    const leadOf = async (nameApart: boolean) => {
      const model = { ...wordKernelsModel(), nameApart };
      const retriever = await WordKernelsRetriever.create({ model, vectors: null }, catalog, pool);
      const scores = scoresById(await retriever.rank("freeze my card", unbounded));
      return (scores.get("card.freeze") ?? 0) - (scores.get("card.replace") ?? 0);
    };
    assert.ok((await leadOf(true)) > 2 * (await leadOf(false)));
  }));

test.run();
