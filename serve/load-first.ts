import { SluiceError, toSluiceError } from "../src/base/error.js";
import { emitSafely, type TelemetrySink } from "../src/router/telemetry/sink.js";
import type { LoadedBundle } from "./load-production-router.js";
import { findBundles } from "./watch/find-bundles.js";

export interface FirstBundle extends LoadedBundle {
  readonly directory: string;
}

/**
 * Loads the bundle at a path. From a folder of bundles, loads the highest valid release, so that one broken copy does
 * not prevent startup; refused bundles are reported.
 * @throws {SluiceError} why the first bundle was refused, if none can be loaded
 */
export async function loadFirst(
  path: string,
  load: (directory: string) => Promise<LoadedBundle>,
  telemetry: TelemetrySink,
): Promise<FirstBundle> {
  let first: SluiceError | null = null;
  for (const directory of await foldersAt(path)) {
    try {
      return { ...(await load(directory)), directory };
    } catch (thrown) {
      const refusal = toSluiceError(thrown);
      first ??= refusal;
      reportRefusal(refusal, telemetry);
    }
  }
  throw first ?? new SluiceError("FILE_NOT_FOUND", `${path}: contains no exported bundle`, { hint: "Export one." });
}

/** Returns even a path without a bundle, because loading it produces the most specific error. */
async function foldersAt(path: string): Promise<readonly string[]> {
  const found = await findBundles(path).catch(() => null);
  return found === null || found.claims.length === 0 ? [path] : found.claims.map(({ directory }) => directory);
}

function reportRefusal({ code, message }: SluiceError, telemetry: TelemetrySink): void {
  const nothing = { generation: 0, bundle_id: null, latency_ms: 0 } as const;
  emitSafely(telemetry, {
    event: "sluice.replacement",
    trigger: "start",
    outcome: "refused",
    error_code: code,
    problem: message,
    ...nothing,
  });
}
