import fc from "fast-check";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { unbounded } from "../../../src/domain/run-scope.js";
import type { Catalog } from "../../../src/domain/catalog.js";
import { InferencePool } from "../../../src/inference/pool.js";
import { compileInputPatterns } from "../../../src/inputs/input-patterns.js";
import { bestPositions } from "../../../src/retrieval/best-positions.js";
import { defaultNgramSettings } from "../../../src/retrieval/kernels/default-settings.js";
import { leads } from "../../../src/verification/lead.js";
import { evidenceFeatures, PairEvidence } from "../../../src/verification/pair-evidence.js";
import { WorkflowStems } from "../../../src/verification/stem-overlap.js";
import { aCatalog, anInput, aWorkflow, someWorkflows } from "../../support/builders.js";
import { lexicalRetriever, rankScores } from "../../support/retrieval.js";
import { serviceDeskCatalog, serviceDeskRequests } from "../../support/service-desk.js";
import { EvidenceByDefinition } from "./evidence-by-definition.js";

const test = suite("src/verification/pair-evidence");

const pool = new InferencePool({ workers: 1, queueLimit: 256 });
test.after(() => pool.close());

const evidenceOf = (catalog: Catalog): PairEvidence =>
  new PairEvidence(catalog.workflows, defaultNgramSettings, compileInputPatterns(catalog));

/** Evidence of every workflow, one record per workflow. */
async function columns(catalog: Catalog, text: string): Promise<readonly Readonly<Record<string, number>>[]> {
  const ranking = await (await lexicalRetriever(catalog.workflows, pool)).rank(text, unbounded);
  const values = evidenceOf(catalog).of(text, ranking, [...catalog.workflows.keys()]);
  return catalog.workflows.map((_, row) =>
    Object.fromEntries(evidenceFeatures.map((f, c) => [f, values[row * evidenceFeatures.length + c] ?? Number.NaN])),
  );
}

const ordered = anInput({ pattern: "order (?P<value>[0-9]+)" });
const [status, refund, unlock] = someWorkflows();
const withInputs = aCatalog({
  workflows: [
    aWorkflow({ ...status, requiredInputs: [ordered, anInput({ name: "city" })] }),
    aWorkflow({ ...refund, optionalInputs: [ordered] }),
    aWorkflow({ ...unlock }),
  ],
});

const oddTexts: readonly (readonly [name: string, text: string])[] = [
  ["no words", " ?! … "],
  ["one emoji", "🙂"],
  ["8,000 letters without a space", "x".repeat(8000)],
  ["8,000 characters of words", "where is my order ".repeat(500).slice(0, 8000)],
  ["another script", "私の注文はどこですか"],
  ["half a surrogate pair", "order \ud83d status"],
  ["control characters", "order\u0000status\u202e"],
  ["one letter", "a"],
];

const shares = ["retrieval_share", "stem_coverage", "excluded_stems", "unknown_stems", "retrieval_rank"];

for (const [name, text] of oddTexts) {
  test(`evidence is finite and in range for ${name}`, async () => {
    for (const row of await columns(withInputs, text)) {
      for (const [feature, value] of Object.entries(row)) {
        assert.ok(Number.isFinite(value), `${feature} is ${value}`);
        if (shares.includes(feature) || feature.endsWith("_similarity")) {
          assert.ok(value >= 0 && value <= 1.000001, `${feature} is ${value}`);
        }
      }
    }
  });
}

test("a text without words has no coverage and no known words", async () => {
  for (const row of await columns(withInputs, "🙂")) {
    assert.equal([row["stem_coverage"], row["unknown_stems"], row["text_stems"]], [0, 1, 0]);
    assert.equal([row["document_word_similarity"], row["document_char_similarity"]], [0, 0]);
    assert.equal([row["example_similarity"], row["part_similarity_lead"]], [0, 0]);
  }
});

test("inputs are counted by their patterns, and rare patterns tell more", async () => {
  const [first, second, third] = await columns(withInputs, "where is order 12");
  assert.equal([first?.["inputs_required"], first?.["inputs_found"], first?.["inputs_missing"]], [2, 1, 1]);
  assert.equal([second?.["inputs_required"], second?.["inputs_found"]], [0, 0]);
  assert.ok(Math.abs((second?.["input_rarity"] ?? 0) - Math.log(3 / 2)) < 1e-6);
  assert.equal([first?.["input_rarity_lead"], third?.["input_rarity"]], [0, 0]);
});

test("an exclusion that resembles the text shows as an excess", async () => {
  const rows = await columns(aCatalog(), "cancelling an order");
  assert.ok((rows[1]?.["exclusion_similarity"] ?? 0) > 0.9);
  assert.ok((rows[1]?.["exclusion_excess"] ?? 0) > 0);
  assert.is(rows[0]?.["exclusion_similarity"], 0);
});

test("an example of the catalog is similar to itself alone", async () => {
  const rows = await columns(aCatalog(), "my account is locked");
  assert.ok(Math.abs((rows[2]?.["example_similarity"] ?? 0) - 1) < 1e-6);
  assert.ok((rows[2]?.["part_similarity_lead"] ?? 0) > 0.3);
  assert.is(rows[2]?.["retrieval_rank"], 1);
});

test("a catalog of one workflow has no rival to lead over", async () => {
  const [only] = await columns(aCatalog({ workflows: [aWorkflow()] }), "where is my order");
  assert.is(only?.["retrieval_lead"], only?.["retrieval_score"]);
  assert.equal([only?.["retrieval_share"], only?.["retrieval_entropy"]], [1, 0]);
});

test("the lead is the value minus the best of the others", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 8 }), (values) => {
      const leadAt = leads(Float64Array.from(values));
      for (const [position, value] of values.entries()) {
        const others = values.filter((_, i) => i !== position);
        assert.is(leadAt(position), value - (others.length === 0 ? 0 : Math.max(...others)));
      }
    }),
  );
});

test("stem coverage is weighted by rarity over workflows", () => {
  const stems = new WorkflowStems(someWorkflows());
  const { covered, unknownShare, distinctStems } = stems.overlap("parcel invoice spaceship parcelling");
  const one = Math.log(4 / 2);
  const none = Math.log(4 / 1);
  assert.is(distinctStems, 3);
  assert.ok(Math.abs((covered[0] ?? 0) - one / (2 * one + none)) < 1e-12);
  assert.ok(Math.abs((covered[1] ?? 0) - one / (2 * one + none)) < 1e-12);
  assert.is(covered[2], 0);
  assert.ok(Math.abs(unknownShare - none / (2 * one + none)) < 1e-12);
});

test("a stem counts as excluded where an exclusion holds it and no other part", () => {
  const workflows = [aWorkflow({ exclusions: ["Cancelling an order"] }), aWorkflow({ exclusions: [] })];
  const { covered, onlyExcluded, unknownShare } = new WorkflowStems(workflows).overlap("order cancellation");
  assert.equal([...onlyExcluded], [1, 0]);
  assert.equal([...covered], [0, 0]);
  assert.is(unknownShare, 1);
});

test("a text whose words lie in several parts resembles the document more than each part", async () => {
  const spread = aWorkflow({ name: "Parcel", description: "Ship", capabilities: ["Track"], examples: ["Arrive"] });
  const catalog = aCatalog({ workflows: [spread, aWorkflow({ workflowId: "orders.other" })] });
  const [first] = await columns(catalog, "parcel ship track arrive");
  const parts = ["name", "description", "capability", "example"].map((kind) => first?.[`${kind}_similarity`] ?? 0);
  assert.ok((first?.["document_word_similarity"] ?? 0) > Math.max(...parts));
  assert.ok((first?.["document_word_lead"] ?? 0) > 0 && (first?.["document_char_lead"] ?? 0) > 0);
});

test("positions choose rows and nothing else", () => {
  const evidence = evidenceOf(aCatalog());
  const ranking = rankScores(
    someWorkflows().map((workflow) => workflow.workflowId),
    Float64Array.of(0.1, 0.5, 0.3),
  );
  const all = evidence.of("refund my order", ranking, [0, 1, 2]);
  const width = evidenceFeatures.length;
  assert.equal(evidence.of("refund my order", ranking, [2]), all.slice(2 * width));
  assert.equal(evidence.of("refund my order", ranking, []), new Float32Array(0));
});

test("200 requests of the shipped data have the evidence that its definitions give", async () => {
  const catalog = await serviceDeskCatalog();
  const active = catalog.workflows.filter((workflow) => workflow.status === "active");
  const patterns = compileInputPatterns(catalog);
  const retriever = await lexicalRetriever(active, pool);
  const evidence = new PairEvidence(active, defaultNgramSettings, patterns);
  const byDefinition = new EvidenceByDefinition(active, patterns);
  const requests = serviceDeskRequests()
    .filter((_, i) => i % 24 === 3)
    .slice(0, 200);
  assert.is(requests.length, 200);
  for (const { id, text } of requests) {
    const ranking = await retriever.rank(text, unbounded);
    const positions = bestPositions(ranking, 3);
    const values = evidence.of(text, ranking, positions);
    const expectedOf = byDefinition.of(text, ranking);
    for (const [row, position] of positions.entries()) {
      const expected = expectedOf(position);
      for (const [column, feature] of evidenceFeatures.entries()) {
        const found = values[row * evidenceFeatures.length + column] ?? Number.NaN;
        assert.ok(Math.abs(found - expected[feature]) < 1e-5, `${id} ${feature}: ${found}, not ${expected[feature]}`);
      }
    }
  }
});

test.run();
