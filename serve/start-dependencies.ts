import type { AuthorizerOptions, AuthorizerFactory } from "./authorizers/configure-authorizer.js";
import type { LoadBundleOptions, LoadedBundle } from "./load-production-router.js";
import type { ProcessUse } from "./metrics/runtime-metrics.js";

/** What the server obtains from its process and machine. */
export interface Machine {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Returns the memory available to the process, in bytes. */
  readonly availableMemory: () => Promise<number>;
  /** Returns the descriptor limit of the process; null if the system provides none. */
  readonly descriptorLimit: () => Promise<number | null>;
  readonly processUse: () => ProcessUse;
  /** Returns the number of log lines that could not be written. */
  readonly lostLogLines: () => number;
  readonly version: string;
}

export interface StartDependencies {
  readonly loadBundle: (options: LoadBundleOptions) => Promise<LoadedBundle>;
  readonly configureAuthorizer: (options: AuthorizerOptions, host: string) => Promise<AuthorizerFactory>;
  readonly clock: () => Date;
  /** Writes one JSON line to the log. */
  readonly writeLog: (line: string) => void;
  /** Secret for sampling the routes to label. */
  readonly seed: Uint8Array;
  readonly machine: Machine;
}
