import { SluiceError, toSluiceError } from "../src/errors/error.js";
import { emitSafely, type TelemetrySink } from "../src/telemetry/sink.js";
import type { LoadedBundle } from "./load-production-router.js";
import { findBundles } from "./watch/find-bundles.js";

export interface FirstBundle extends LoadedBundle {
  /** Folder it was loaded from. */
  readonly directory: string;
}

/**
 * Loads the bundle that a path leads to. Of a folder of bundles the highest release that can be loaded is taken, so that
 * one broken copy does not keep a server from starting; the refused ones are reported.
 * @throws {SluiceError} why the first one was refused, when none can be loaded
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

/** A path that leads to no bundle is loaded all the same: loading says best what is wrong with it. */
async function foldersAt(path: string): Promise<readonly string[]> {
  const found = await findBundles(path).catch(() => null);
  return found === null || found.claims.length === 0 ? [path] : found.claims.map(({ directory }) => directory);
}

function reportRefusal({ code, message }: SluiceError, telemetry: TelemetrySink): void {
  const nothing = { generation: 0, bundleId: null, latencyMs: 0 } as const;
  emitSafely(telemetry, {
    event: "sluice.replacement",
    trigger: "watch",
    errorCode: code,
    problem: message,
    ...nothing,
  });
}
