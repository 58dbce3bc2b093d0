import { suite } from "uvu";
import type { Sha256 } from "../../../../src/digest/sha256.js";
import * as assert from "uvu/assert";
import { unbounded } from "../../../../src/domain/run-scope.js";
import { InferencePool } from "../../../../src/inference/pool.js";
import { compileInputPatterns } from "../../../../src/inputs/input-patterns.js";
import { WordKernelsRetriever } from "../../../../src/retrieval/kernels/word-kernels-retriever.js";
import {
  fitKernelVerifier,
  type KernelVerifierFitOptions,
} from "../../../../workbench/fit/verification/fit-kernel-verifier.js";
import { loadVerifier, parseVerifierModel } from "../../../../src/verification/load-verifier.js";
import { rejects } from "../../../support/rejects.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../../support/service-desk.js";
import { wordKernelsModel } from "../../../support/word-vectors.js";

const test = suite("workbench/fit/verification/fit-kernel-verifier");

const pool = new InferencePool({ workers: 1, queueLimit: 64 });
test.after(() => pool.close());

const { workflows } = await serviceDeskCatalog();
const few = workflows.slice(0, 24);
const ids = new Set(few.map(({ workflowId }) => workflowId));
const requests = serviceDeskRequests().filter(({ workflowId }) => workflowId !== null && ids.has(workflowId));
const options: KernelVerifierFitOptions = {
  retriever: wordKernelsModel(),
  sources: [{ name: "service-desk", workflows: few, requests, vectors: null }],
  catalogs: 2,
  background: ["the cat sat on the mat", "a river in the north of the country"],
  seed: 3,
  pool,
};

test("the fitted verifier prefers the right workflow of a catalog that it has not seen", async () => {
  const fitted = await fitKernelVerifier(options);
  assert.ok(fitted.loss < 0.5);
  assert.equal(parseVerifierModel(fitted.files).kind, "kernel_evidence");
  const unseen = workflows.slice(24, 48);
  const patterns = compileInputPatterns({ catalogVersion: "unseen", sha256: "" as Sha256, workflows: unseen });
  const verifier = await loadVerifier(fitted.files, unseen, patterns, pool);
  const retriever = await WordKernelsRetriever.create({ model: wordKernelsModel(), vectors: null }, unseen, pool);
  let right = 0;
  let asked = 0;
  for (const { text, workflowId } of serviceDeskRequests()) {
    const gold = unseen.findIndex((workflow) => workflow.workflowId === workflowId);
    if (gold < 0 || asked >= 150) continue;
    const other = gold === 0 ? 1 : 0;
    const { logits } = await verifier.verify(text, await retriever.rank(text, unbounded), [gold, other], unbounded);
    const match = (index: number): number => {
      const { mismatch, needsInput, executable } = logits[index] ?? { mismatch: 0, needsInput: 0, executable: 0 };
      return Math.max(needsInput, executable) - mismatch;
    };
    if (match(0) > match(1)) right += 1;
    asked += 1;
  }
  assert.ok(right > 0.7 * asked, `${right} of ${asked}`);
});

test("equal inputs and seed give equal bytes, another seed gives others", async () => {
  const [one, two] = [await fitKernelVerifier(options), await fitKernelVerifier(options)];
  assert.equal(two.files, one.files);
  const other = await fitKernelVerifier({ ...options, seed: 4 });
  assert.not.equal(other.files, one.files);
});

test("an empty training set and an abort are errors", async () => {
  await rejects(fitKernelVerifier({ ...options, sources: [] }), "FIT_FAILED");
  await rejects(fitKernelVerifier({ ...options, signal: AbortSignal.abort() }), "INTERRUPTED");
});

test.run();
