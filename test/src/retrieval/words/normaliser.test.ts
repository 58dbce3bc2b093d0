import { suite } from "uvu";
import * as assert from "uvu/assert";
import { canonicalJson } from "../../../../src/digest/canonical-json.js";
import { sha256Hex } from "../../../../src/digest/sha256.js";
import { unbounded } from "../../../../src/domain/run-scope.js";
import { lemmasOf } from "../../../../src/retrieval/words/lemmas.js";
import { ngramsOf } from "../../../../src/retrieval/words/ngrams.js";
import { normaliserVersion } from "../../../../src/retrieval/words/normaliser.js";
import { WorkflowStems } from "../../../../src/verification/stem-overlap.js";
import { aWorkflow } from "../../../support/builders.js";
import { withPool } from "../../../support/pools.js";
import { lexicalRetriever, rankedIds } from "../../../support/retrieval.js";
import { serviceDeskRequests } from "../../../support/service-desk.js";

const test = suite("src/retrieval/words/normaliser");

/** Version and digest of what it makes of the service desk's requests change together. */
const golden = { version: "words-2", sha256: "28fade399ea2cddbb9bf2084c181d6f0162b1586cd3d95b98d9f2d45c2668b3f" };

test("what the normaliser does changes only with its version", () => {
  const read = serviceDeskRequests().map(({ text }) => ngramsOf(lemmasOf(text), 3, 5));
  assert.equal({ version: normaliserVersion, sha256: sha256Hex(canonicalJson(read)) }, golden);
});

const login = [
  aWorkflow({
    workflowId: "account.login",
    name: "Log in",
    description: "",
    capabilities: [],
    examples: ["I can log in"],
  }),
  aWorkflow({
    workflowId: "account.locked",
    name: "Locked out",
    description: "",
    capabilities: [],
    examples: ["I can not log in"],
  }),
];

test("retriever and verifier evidence both distinguish a negated request from a plain one", async () => {
  await withPool({}, async (pool) => {
    const retriever = await lexicalRetriever(login, pool);
    const firstOf = async (text: string) => rankedIds(await retriever.rank(text, unbounded))[0];
    assert.equal(
      [await firstOf("can't log in"), await firstOf("cannot log in"), await firstOf("can log in")],
      ["account.locked", "account.locked", "account.login"],
    );
  });
  const [plain = 0, negated = 0] = new WorkflowStems(login).overlap("can't log in").covered;
  assert.ok(negated > plain);
});

test.run();
