/** A bundle that is signed with demonstration keys is served only on request, and says what it is. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadProductionRouter } from "../../serve/index.js";
import { type RunningServer, startLine } from "../../serve/start.js";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { demonstrationEnvironment } from "../../src/documents/signed.js";
import { assert, inTemporaryFolder, rejects, test } from "../support/test.js";
import { testTrust } from "../support/builders-artifacts.js";
import { inServedFolder, orderRequest, type ServedFolder } from "../support/served-bundles.js";
import { post, send } from "./support/http.js";
import { bundleOptions, writeReleased } from "./support/released-bundle.js";

const environment = demonstrationEnvironment;
const approval = { environment };

function demonstrationTrust(): Buffer {
  const trust = testTrust();
  const approver = trust.roles.approver.map((rule) => ({ ...rule, environment }));
  return canonicalBytes({ ...trust, roles: { ...trust.roles, approver } });
}

async function demonstration(served: ServedFolder) {
  const trust = join(served.folder, "demonstration.json");
  writeFileSync(trust, demonstrationTrust());
  return { trust, bundle: await served.bundle(1, { approval }) };
}

async function metricOf({ metricsAddress }: RunningServer): Promise<string | undefined> {
  const text = await (await fetch(`${metricsAddress ?? ""}/metrics`)).text();
  return /^sluice_bundle_demonstration (\d)$/mu.exec(text)?.[1];
}

test("a demonstration bundle is refused in production, and without its flag as a demonstration", () =>
  inServedFolder(async (served) => {
    const options = await demonstration(served);
    const error = await rejects(served.start(options), "APPROVAL_MISMATCH");
    assert.is(error.entry.exitCode, 4);
    const unasked = await rejects(served.start({ ...options, environment }), "PRODUCTION_CONFIGURATION");
    assert.match(unasked.hint ?? "", /--allow-demonstration/);
    assert.is(unasked.entry.exitCode, 2);
  }));

test("a demonstration says so at startup, in every health response, in the metrics and to its operator", () =>
  inServedFolder(async (served) => {
    const options = { ...(await demonstration(served)), environment, allowDemonstration: true, metricsPort: 0 };
    const server = await served.start(options);
    assert.match(startLine(server), /\nDEMONSTRATION: .* not approved for production\.\n$/);
    assert.is((await post(server.address, orderRequest(1))).body["decision"], "ROUTE");
    for (const path of ["/health", "/health/ready"]) {
      const { status, body } = await send(server.address, { path });
      assert.equal([status, body["demonstration"]], [200, true]);
    }
    assert.is(await metricOf(server), "1");
  }));

test("a production bundle is not marked as a demonstration, and the flag does not change that", () =>
  inServedFolder(async (served) => {
    const bundle = await served.bundle(1);
    const server = await served.start({ bundle, metricsPort: 0 });
    assert.not.match(startLine(server), /demonstration/iu);
    assert.not.ok("demonstration" in (await send(server.address, { path: "/health" })).body);
    assert.is(await metricOf(server), "0");
    await rejects(served.start({ bundle, environment, allowDemonstration: true }), "APPROVAL_MISMATCH");
  }));

test("a demonstration shadow is also refused without the flag", () =>
  inServedFolder(async (served) => {
    const options = { bundle: await served.bundle(1), shadow: await served.bundle(2, { approval }) };
    await rejects(served.start({ ...options, shadowEnvironment: environment }), "PRODUCTION_CONFIGURATION");
  }));

test("in process a demonstration is loaded only on request", () =>
  inTemporaryFolder(async (folder) => {
    await writeReleased(folder, { approval });
    writeFileSync(join(folder, "trust.json"), demonstrationTrust());
    const options = { ...bundleOptions(folder), environment };
    await rejects(loadProductionRouter(options), "PRODUCTION_CONFIGURATION");
    const router = await loadProductionRouter({ ...options, allowDemonstration: true });
    assert.is(router.monitor?.environment, environment);
    await router.close();
  }));
