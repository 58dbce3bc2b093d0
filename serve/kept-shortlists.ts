import { randomBytes } from "node:crypto";
import { canonicalJson } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { Shortlist } from "../src/documents/shortlist.js";

/** Milliseconds for which a shortlist can be fetched. */
const lifetimeMs = 60_000;
/** Maximum number of stored shortlists; beyond it, a new one replaces the oldest. */
const mostKept = 10_000;

/** The shortlist of a declined request, without its text. */
export interface KeptShortlist {
  /** Digest of the caller's identity. */
  readonly caller: string;
  /** Generation of the router that scored the request. */
  readonly generation: number;
  readonly shortlist: Shortlist;
}

/**
 * Shortlists of declined requests. They stay in memory, limited in number and lifetime, and each is available only to
 * its caller.
 */
export class KeptShortlists {
  readonly #now: () => number;
  /** In the order of expiry. */
  readonly #kept = new Map<string, { readonly endMs: number; readonly kept: KeptShortlist }>();

  /** @param now  monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * @returns the new id: 32 unguessable hex digits
   */
  keep(kept: KeptShortlist): string {
    this.#dropEnded();
    for (const [oldest] of this.#kept) {
      if (this.#kept.size < mostKept) break;
      this.#kept.delete(oldest);
    }
    const id = randomBytes(16).toString("hex");
    this.#kept.set(id, { endMs: this.#now() + lifetimeMs, kept });
    return id;
  }

  /** null if the id is unknown, has expired, belongs to another caller, or was issued under an earlier bundle. */
  find(id: string, { caller, generation }: Omit<KeptShortlist, "shortlist">): Shortlist | null {
    this.#dropEnded();
    const kept = this.#kept.get(id)?.kept;
    return kept?.caller === caller && kept.generation === generation ? kept.shortlist : null;
  }

  #dropEnded(): void {
    const now = this.#now();
    for (const [id, { endMs }] of this.#kept) {
      if (endMs > now) break;
      this.#kept.delete(id);
    }
  }
}

/**
 * Digest of a caller's identity; null if there is none, or if it is not JSON, because such callers could not be
 * distinguished.
 */
export function callerDigest(principal: unknown): string | null {
  if (principal === undefined || principal === null) return null;
  try {
    return sha256Hex(canonicalJson(principal));
  } catch {
    return null;
  }
}
