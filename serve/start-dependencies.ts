import type { AuthorizerOptions } from "./authorizers/authorizer-options.js";
import type { AuthorizerFactory } from "./authorizers/configure-authorizer.js";
import type { LoadBundleOptions, LoadedBundle } from "./load-production-router.js";
import type { ProcessUse } from "./metrics/process-metrics.js";

/** Dependencies of the server on its process and machine. */
export interface Machine {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Memory available to the process, in bytes. */
  readonly availableMemory: () => Promise<number>;
  /** Descriptor limit of the process; null where the system gives none. */
  readonly descriptorLimit: () => Promise<number | null>;
  readonly processUse: () => ProcessUse;
  /** Log lines that could not be written. */
  readonly lostLogLines: () => number;
  /** Version of this program. */
  readonly version: string;
}

export interface StartDependencies {
  readonly loadBundle: (options: LoadBundleOptions) => Promise<LoadedBundle>;
  readonly configureAuthorizer: (options: AuthorizerOptions, host: string) => Promise<AuthorizerFactory>;
  readonly clock: () => Date;
  /** Receives JSON lines of the log. */
  readonly writeLog: (line: string) => void;
  /** Secret for drawing the routes to label. */
  readonly seed: Uint8Array;
  readonly machine: Machine;
}
