import { raiseSeen, type Seen } from "../src/trust/release-state.js";
import type { ListIdentity } from "../src/trust/verify/revocations.js";
import type { Router } from "../src/documents/router.js";
import { type SluiceError, toSluiceError } from "../src/base/error.js";
import { withRoute } from "../src/router/telemetry/observe-router.js";
import { emitSafely, type TelemetrySink } from "../src/router/telemetry/sink.js";

/** Interval between two writes of the latest time, in milliseconds. */
export const seenIntervalMs = 30_000;

export interface SeenKeeperOptions {
  /** Raises values in the state file; never lowers them. */
  readonly raise: (seen: Seen) => Promise<void>;
  readonly clock: () => Date;
  /** Called with the failure when writing first fails, and with null when it succeeds again. */
  readonly onChange: (failure: SluiceError | null) => void;
}

/**
 * Records in the state file the latest time and the highest revocation list that a running server has seen: at regular
 * intervals, whenever a list is read, and on shutdown.
 */
export class SeenKeeper {
  readonly #options: SeenKeeperOptions;
  #list: ListIdentity | null = null;
  #failing = false;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SeenKeeperOptions) {
    this.#options = options;
  }

  /** Writes every `intervalMs` until `stop`. */
  start(intervalMs: number = seenIntervalMs): void {
    this.#timer = setInterval(() => void this.write(), intervalMs);
    this.#timer.unref();
  }

  /** Notes a revocation list that was read and verified. */
  sawList(list: ListIdentity): void {
    if (list.sequence > (this.#list?.sequence ?? 0)) this.#list = list;
    void this.write();
  }

  /** Writes what has been seen so far. Never rejects: failures are reported. */
  write(): Promise<void> {
    const seen = { now: this.#options.clock(), list: this.#list };
    this.#writing = this.#writing.then(() => this.#raise(seen));
    return this.#writing;
  }

  /** Stops the interval and writes one last time. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.write();
  }

  /** Wraps the router so that this keeper starts with it and stops when it is closed. */
  keepWhileOpen(router: Router): Router {
    this.start();
    return {
      ...withRoute(router, (request, signal, observer) => router.route(request, signal, observer)),
      close: async () => {
        await router.close();
        await this.stop();
      },
    };
  }

  async #raise(seen: Seen): Promise<void> {
    const { raise, onChange } = this.#options;
    const failure = await raise(seen).then(
      () => null,
      (thrown: unknown) => toSluiceError(thrown),
    );
    if ((failure !== null) !== this.#failing) onChange(failure);
    this.#failing = failure !== null;
  }
}

/** Creates a keeper that logs its failures. */
export function seenKeeper(state: string, clock: () => Date, telemetry: TelemetrySink): SeenKeeper {
  return new SeenKeeper({
    raise: (seen) => raiseSeen(state, seen),
    clock,
    onChange: (failure) => {
      const [errorCode, problem] = [failure?.code ?? null, failure?.message ?? null];
      emitSafely(telemetry, { event: "sluice.state", error_code: errorCode, problem });
    },
  });
}
