import fc from "fast-check";
import type { TSchema } from "typebox";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CalibrationSchema } from "../../../src/documents/calibration.js";
import { toCamel, toSnake } from "../../../src/documents/camel.js";
import { CatalogFileSchema } from "../../../src/documents/catalog.js";
import { schemaProblems } from "../../../src/documents/check-schema.js";
import { DatasetRowSchema } from "../../../src/documents/dataset.js";
import { retrieverSchemas, verifierSchemas } from "../../../src/documents/model.js";
import { RoutingPolicySchema } from "../../../src/documents/policy.js";
import { RouteRequestSchema } from "../../../src/documents/request.js";
import { RunSchema } from "../../../src/documents/scored-record.js";
import {
  ApprovalSchema,
  BundleIndexSchema,
  GoldenSchema,
  ManifestSchema,
  TrustPolicySchema,
} from "../../../src/documents/signed.js";
import { SplitSchema } from "../../../src/documents/split.js";
import { arbitraryOf } from "../../support/arbitrary-of-schema.js";

const test = suite("src/documents/camel");

const documents: Readonly<Record<string, TSchema>> = {
  calibration: CalibrationSchema,
  catalog: CatalogFileSchema,
  "dataset row": DatasetRowSchema,
  "encoder retriever": retrieverSchemas.encoder,
  "table retriever": retrieverSchemas.table,
  "lexical retriever": retrieverSchemas.lexical,
  "evidence verifier": verifierSchemas.evidence,
  "cross-encoder verifier": verifierSchemas.cross_encoder,
  policy: RoutingPolicySchema,
  "route request": RouteRequestSchema,
  run: RunSchema,
  split: SplitSchema,
  manifest: ManifestSchema,
  approval: ApprovalSchema,
  "trust policy": TrustPolicySchema,
  "bundle index": BundleIndexSchema,
  golden: GoldenSchema,
};

for (const [name, schema] of Object.entries(documents)) {
  test(`a ${name} document comes back from camelCase unchanged`, () => {
    fc.assert(
      fc.property(arbitraryOf(schema), (document) => {
        assert.equal(schemaProblems(schema, document), []);
        assert.equal(toSnake(toCamel(document)), document);
      }),
      { numRuns: 40 },
    );
  });
}

test("keys change at every level, values never", () => {
  assert.equal(toCamel({ top_k: 3, exact_events: { allowed_tiers: ["a_b"] }, rows: [{ z_1: null }] }), {
    topK: 3,
    exactEvents: { allowedTiers: ["a_b"] },
    rows: [{ z1: null }],
  });
});

test("metadata, context and slices preserve the author's keys in both directions", () => {
  const wire = {
    metadata: { snake_key: 1, camelKey: { a_b: 2 } },
    context: { order_number: 1 },
    slices: { is_short: "x" },
  };
  assert.equal(wire, wire);
  assert.equal(toSnake({ ...wire }), wire);
});

test.run();
