/**
 * Example of the router inside an application of your own: load, serve, replace, roll back.
 */
import { join } from "node:path";
import { ApiSettings, createApp, loadProductionRouter, RouterRuntime } from "sluice/serve";

/** Verifies, loads and warms one exported bundle; throws when anything does not hold. `more` may set workers. */
export function loadBundle(directory, trustPolicyPath, more = {}) {
  return loadProductionRouter({
    artifactManifestPath: join(directory, "manifest.dsse.json"),
    catalogPath: join(directory, "catalog.yaml"),
    calibrationPath: join(directory, "calibration.json"),
    retrieverModel: join(directory, "models/retriever"),
    verifierModel: join(directory, "models/verifier"),
    trustPolicyPath,
    ...more,
  });
}

/** Why a start was refused, one line for each startup rule that does not hold. */
export function refusalLines(error) {
  return (error.details?.reasons ?? []).map(({ rule, code, message }) => `${rule ?? "start"}: ${code}: ${message}`);
}

/** The HTTP application around a first router. It does not listen yet. */
export function createService(router, { authorizer, trustedHosts, principalOf }) {
  const runtime = new RouterRuntime(router);
  const settings = ApiSettings.productionDefaults({ trustedHosts, corsOrigins: [] });
  const app = createApp(runtime, { authorizer, settings });
  app.addHook("onRequest", async (request) => {
    request.scope.authenticated_principal = principalOf(request);
  });
  return { app, runtime };
}

/** Puts a loaded bundle into service; answers under way finish on the bundle they began with. */
export async function replaceBundle(runtime, nextRouter) {
  const { generation } = runtime.snapshot();
  try {
    return runtime.replace(nextRouter, { expectedGeneration: generation });
  } catch (error) {
    await nextRouter.close();
    throw error;
  }
}

/** Puts the previous bundle back into service. */
export function rollBack(runtime) {
  const { generation } = runtime.snapshot();
  return runtime.rollback({ expectedGeneration: generation });
}

/** Ends the application first, then the routers. */
export async function stopService({ app, runtime }) {
  await app.close();
  await runtime.close();
}
