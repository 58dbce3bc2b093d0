import type { AuthorizerOptions } from "./authorizers/authorizer-options.js";
import type { AuthorizerFactory } from "./authorizers/configure-authorizer.js";
import type { LoadBundleOptions, LoadedBundle } from "./load-production-router.js";
import type { ProcessUse } from "./metrics/process-metrics.js";

/** What the server asks of the process and the machine that it runs on. */
export interface Machine {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Bytes that the process may still take. */
  readonly availableMemory: () => Promise<number>;
  /** Descriptors that the process may have open; null where the system does not say. */
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
  /** Takes JSON lines of the log. */
  readonly writeLog: (line: string) => void;
  readonly machine: Machine;
}
