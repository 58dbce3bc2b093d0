import { renameSync, writeFileSync } from "node:fs";
import type { Sha256 } from "../../src/base/sha256.js";
import { join } from "node:path";
import { assert, inTemporaryFolder, rejects, test } from "../support/test.js";
import { aRouteRequest } from "../support/builders.js";
import { loadBundle } from "../../serve/load-production-router.js";
import { testNow, testRevocations, testTrustBytes } from "../support/builders-artifacts.js";
import { writeServableBundle } from "../support/servable-bundle.js";

const request = aRouteRequest({
  text: "where is my order",
  catalog_version: "catalog-1",
  allowed_workflow_ids: ["orders.status"],
});

test("case 41: a revocation stops a running server within a second, and no server starts with it", () =>
  inTemporaryFolder(async (folder) => {
    const [bundle, trust, revocations, state] = ["bundle", "trust.json", "revocations.json", "state.json"].map((name) =>
      join(folder, name),
    ) as [string, string, string, string];
    writeFileSync(trust, testTrustBytes());
    writeFileSync(revocations, await testRevocations([]));
    const bundleId = await writeServableBundle(bundle);
    const options = { bundle, trust, revocations, state, clock: () => testNow };
    const { router, keepState } = await loadBundle(options);
    await keepState();
    try {
      assert.is((await router.route(request)).workflow_id, "orders.status");
      assert.equal(router.integrityProblems(), []);
      writeFileSync(
        `${revocations}.new`,
        await testRevocations([{ kind: "bundle", sha256: bundleId as Sha256 }], { sequence: 2 }),
      );
      renameSync(`${revocations}.new`, revocations);
      const stopped = await router.route(request);
      assert.equal(
        [stopped.decision, stopped.workflow_id, stopped.reason_code],
        ["LLM_REQUIRED", null, "RUNTIME_INTEGRITY_FAILURE"],
      );
      await rejects(loadBundle(options), "REVOKED");
      assert.match(router.integrityProblems()[0] ?? "", /REVOKED/);
    } finally {
      await router.close();
    }
  }));
