import { readFile } from "node:fs/promises";
import { errors } from "jose";
import { SluiceError, toSluiceError } from "../../src/base/error.js";
import { AuthorizationDenied } from "../authorizer.js";
import { isLoopbackAddress } from "../listen.js";
import { type KeySet, parseKeySet } from "./key-set.js";

export interface KeySourceOptions {
  /** File or `https:` URL. An `http:` URL must name this machine, as for a service-mesh sidecar. */
  readonly location: string;
  readonly clock: () => Date;
  /** Time limit for one response from the URL, in milliseconds. */
  readonly timeoutMs?: number;
  /** Age in milliseconds after which the key set is read again. */
  readonly freshMs?: number;
  /** Minimum time in milliseconds between two reads triggered by unknown keys. */
  readonly pauseMs?: number;
  /** Time in milliseconds for which a key set stays in use while reading it fails. */
  readonly usableMs?: number;
}

const maxKeySetBytes = 1_048_576;

interface Loaded {
  readonly keys: KeySet;
  readonly at: number;
}

/**
 * The keys of an issuer, cached in memory. They are read again when they are older than `freshMs` (and stay in use
 * meanwhile), or when a token names an unknown key. Only one read runs at a time. While reading fails, the last key set
 * is used for `usableMs`; after that, every caller is refused.
 */
export class KeySource {
  readonly #options: Required<KeySourceOptions>;
  #loaded: Loaded | null = null;
  #lastTry = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  /** @throws {SluiceError} PRODUCTION_CONFIGURATION */
  constructor(options: KeySourceOptions) {
    this.#options = { timeoutMs: 5000, freshMs: 300_000, pauseMs: 30_000, usableMs: 3_600_000, ...options };
    requireSafeLocation(options.location);
  }

  /**
   * Verifies a token. If no key matches, reads the keys again, at most once per `pauseMs`.
   * @param verify  throws JWKSNoMatchingKey if no key matches the token
   * @throws {AuthorizationDenied} when no key matches; also what `verify` throws
   * @throws {SluiceError} AUTHORIZATION_UNAVAILABLE without usable keys
   */
  async use<T>(verify: (keys: KeySet) => Promise<T>): Promise<T> {
    const { freshMs } = this.#options;
    const known = this.#usable();
    if (known === null) await this.#refresh();
    else if (Math.abs(this.#now() - known.at) >= freshMs) void this.#refresh();
    try {
      return await verify(this.#keys());
    } catch (thrown) {
      if (!(thrown instanceof errors.JWKSNoMatchingKey)) throw thrown;
      if (known !== null) await this.#refresh();
      return await verify(this.#keys()).catch((again: unknown) => {
        throw again instanceof errors.JWKSNoMatchingKey ? new AuthorizationDenied("no key matches the token") : again;
      });
    }
  }

  #usable(): Loaded | null {
    const loaded = this.#loaded;
    return loaded !== null && Math.abs(this.#now() - loaded.at) < this.#options.usableMs ? loaded : null;
  }

  /** @throws {SluiceError} AUTHORIZATION_UNAVAILABLE */
  #keys(): KeySet {
    const usable = this.#usable();
    if (usable !== null) return usable.keys;
    throw new SluiceError("AUTHORIZATION_UNAVAILABLE", "the keys of the issuer cannot be read");
  }

  /**
   * Reads the key set again, or waits for the read in progress; does nothing within `pauseMs` of the last attempt.
   * Never rejects.
   */
  async #refresh(): Promise<void> {
    const paused = this.#loaded !== null && Math.abs(this.#now() - this.#lastTry) < this.#options.pauseMs;
    if (this.#reading === null && paused) return;
    await this.reload().catch(() => undefined);
  }

  /**
   * Reads the key set immediately. @throws {SluiceError} PRODUCTION_CONFIGURATION; the last key set then stays in use
   */
  reload(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { location, timeoutMs } = this.#options;
    this.#lastTry = this.#now();
    try {
      const text = isUrl(location) ? await fetchText(location, timeoutMs) : await readFile(location, "utf8");
      this.#loaded = { keys: await parseKeySet(text, location), at: this.#now() };
    } catch (cause) {
      throw new SluiceError("PRODUCTION_CONFIGURATION", `${location}: ${toSluiceError(cause).message}`, {
        hint: "Use a file or a reachable URL of a JSON Web Key Set with RS256, ES256 or EdDSA keys.",
        cause,
      });
    }
  }

  #now(): number {
    return this.#options.clock().getTime();
  }
}

function isUrl(location: string): boolean {
  return /^https?:\/\//u.test(location);
}

function requireSafeLocation(location: string): void {
  if (!/^[a-z][a-z0-9+.-]*:\/\//u.test(location)) return;
  const url = URL.canParse(location) ? new URL(location) : null;
  const local = url?.protocol === "http:" && isLoopbackAddress(url.hostname.replace(/^\[|\]$/gu, ""));
  if (url?.protocol === "https:" || local) return;
  throw new SluiceError(
    "PRODUCTION_CONFIGURATION",
    `${location}: expected a file, an https URL, or an address on this machine`,
    {
      hint: "Use an https URL, or the address of a sidecar on this machine.",
    },
  );
}

async function fetchText(location: string, timeoutMs: number): Promise<string> {
  const response = await fetch(location, {
    redirect: "error",
    headers: { accept: "application/jwk-set+json, application/json" },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200 || response.body === null) throw new Error(`status ${response.status}`);
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body) {
    size += part.byteLength;
    if (size > maxKeySetBytes) throw new Error(`more than ${maxKeySetBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
