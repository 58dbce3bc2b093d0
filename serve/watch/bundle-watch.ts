import { toSluiceError } from "../../src/base/error.js";
import { emitSafely, type TelemetrySink } from "../../src/router/telemetry/sink.js";
import type { BundleManager } from "../control/bundle-manager.js";
import { type BundleClaim, findBundles, type FoundBundles } from "./find-bundles.js";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { canonicalBytes } from "../../src/base/canonical-json.js";
import { sha256Hex } from "../../src/base/sha256.js";

export interface BundleWatchOptions {
  /** Path of an exported bundle, of a link or pointer file to one, or of a folder of exported bundles. */
  readonly path: string;
  readonly manager: Pick<BundleManager, "activeDirectory" | "replace" | "snapshot">;
  readonly telemetry: TelemetrySink;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/**
 * Time in milliseconds after which an unchanged refused bundle is tried again, because its approvals may not have
 * started yet.
 */
const retryAfterMs = 60_000;

interface Attempt {
  readonly fingerprint: string;
  readonly at: number;
  readonly done: boolean;
}

/**
 * Puts newly approved bundles into service. From a folder, it loads the highest release above the active one; it
 * follows links and pointer files. After a rollback, the bundle that was replaced is loaded again only when the path
 * changes or on request.
 */
export class BundleWatch {
  readonly #options: BundleWatchOptions;
  readonly #attempts = new Map<string, Attempt>();
  #pointedTo: string | null = null;
  #looking: Promise<void> | null = null;
  #unreadable: string | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: BundleWatchOptions) {
    this.#options = options;
  }

  /** Checks repeatedly until `stop`. */
  start(intervalMs: number): void {
    this.#timer = setInterval(() => void this.look(), intervalMs);
    this.#timer.unref();
  }

  /** Stops the checks; resolves when the one in progress has ended. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    await this.#looking;
  }

  /** Checks once. Never rejects: failures are reported, and the active bundle keeps serving. */
  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  /** Checks once, including bundles that were refused or taken out of service earlier. */
  async rescan(): Promise<void> {
    await this.#looking;
    this.#attempts.clear();
    await this.look();
  }

  async #lookOnce(): Promise<void> {
    try {
      const found = await findBundles(this.#options.path);
      this.#unreadable = null;
      this.#forgetWhenMoved(found);
      for (const claim of this.#wanted(found)) {
        if (await this.#take(claim)) return;
      }
    } catch (thrown) {
      this.#reportUnreadable(toSluiceError(thrown).message, thrown);
    }
  }

  #wanted({ kind, claims }: FoundBundles): readonly BundleClaim[] {
    const { bundleId, ready, router } = this.#options.manager.snapshot();
    const release = router.monitor?.release?.release ?? 0;
    const directory = this.#options.manager.activeDirectory();
    return claims.filter((claim) => {
      // A copy of the same bundle in another folder may have new approvals; the active folder is monitored elsewhere.
      if (claim.bundleId === bundleId) return !ready && claim.directory !== directory;
      return kind === "one" || claim.release > release;
    });
  }

  /** A changed path is a new request, even when it points back to an earlier bundle. */
  #forgetWhenMoved({ kind, claims }: FoundBundles): void {
    const target = kind === "one" ? (claims[0]?.directory ?? null) : null;
    if (target !== null && this.#pointedTo !== null && target !== this.#pointedTo) this.#attempts.clear();
    this.#pointedTo = target;
  }

  async #take(claim: BundleClaim): Promise<boolean> {
    const { manager, now } = this.#options;
    const fingerprint = await folderFingerprint(claim.directory);
    const before = this.#attempts.get(claim.directory);
    if (before?.fingerprint === fingerprint && (before.done || now() - before.at < retryAfterMs)) return false;
    const { generation } = manager.snapshot();
    const replaced = await manager
      .replace({ directory: claim.directory, expectedGeneration: generation, trigger: "watch" })
      .then(
        () => true,
        () => false,
      );
    this.#attempts.set(claim.directory, { fingerprint, at: now(), done: replaced });
    return replaced;
  }

  /** Reports each new reason once, not at every check. */
  #reportUnreadable(message: string, thrown: unknown): void {
    if (this.#unreadable === message) return;
    this.#unreadable = message;
    const { generation, bundleId } = this.#options.manager.snapshot();
    emitSafely(this.#options.telemetry, {
      event: "sluice.replacement",
      trigger: "watch",
      outcome: "refused",
      error_code: toSluiceError(thrown).code,
      problem: message,
      generation,
      bundle_id: bundleId,
      latency_ms: 0,
    });
  }
}

/**
 * Digest of the names, sizes and times of everything in a folder. A new value means that the folder has to be checked
 * again.
 */
async function folderFingerprint(directory: string): Promise<string> {
  const names = (await readdir(directory, { recursive: true })).sort();
  const marks = await Promise.all(names.map((name) => markOf(join(directory, name))));
  return sha256Hex(canonicalBytes(names.map((name, index) => [name, marks[index] ?? null])));
}

async function markOf(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await lstat(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}
