import { randomBytes } from "node:crypto";
import { canonicalJson } from "../src/base/canonical-json.js";
import { sha256Hex } from "../src/base/sha256.js";
import type { Shortlist } from "../src/documents/shortlist.js";

/** Milliseconds for which a shortlist can be fetched. */
const lifetimeMs = 60_000;
/** Maximum number of stored shortlists; a further one replaces the oldest. */
const mostKept = 10_000;

/** The shortlist of a declined request, without its text. */
export interface KeptShortlist {
  /** Digest of the caller's identity. */
  readonly caller: string;
  /** Of the router that scored the request. */
  readonly generation: number;
  readonly shortlist: Shortlist;
}

/** Shortlists of declined requests, in the memory of this process: few, for a short time, each for its caller only. */
export class KeptShortlists {
  readonly #now: () => number;
  /** In the order of their ends. */
  readonly #kept = new Map<string, { readonly endMs: number; readonly kept: KeptShortlist }>();

  /** @param now  monotonic milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** @returns the new id, 32 hex digits that cannot be guessed */
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

  /** null for an id that is unknown, expired, another caller's, or from before a bundle change. */
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

/** Digest of an identity; null for none, and for one that is not JSON, because callers could not be told apart. */
export function callerDigest(principal: unknown): string | null {
  if (principal === undefined || principal === null) return null;
  try {
    return sha256Hex(canonicalJson(principal));
  } catch {
    return null;
  }
}
