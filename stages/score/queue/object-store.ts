import { setTimeout as wait } from "node:timers/promises";
import type { Sha256 } from "../../../src/base/sha256.js";
import { command, say, SluiceError } from "../../../src/base/error.js";
import { readInput } from "../../../src/base/files.js";
import type { WorkbenchContext } from "../../../store/workbench-context.js";
import type { QueueSettings } from "../../../store/project/queue-settings.js";

/** Blobs in an object store: objects `blobs/sha256/DIGEST` under a base URL, as in a folder of `history push`. */
export interface ObjectStore {
  /** Reads an object without checking its digest; null if it does not exist. */
  readonly read: (sha256: Sha256) => Promise<Buffer | null>;
  readonly has: (sha256: Sha256) => Promise<boolean>;
  readonly write: (sha256: Sha256, bytes: Buffer) => Promise<void>;
}

export interface StoreLimits {
  /** Maximum time without a response or another byte, in milliseconds. */
  readonly silentMs: number;
  /** Maximum time of one attempt, in milliseconds. */
  readonly attemptMs: number;
  /** Maximum size of an object in bytes, which no blob of a history exceeds. */
  readonly maxBytes: number;
  /** Pause before the second attempt, in milliseconds; doubles with each further attempt. */
  readonly pauseMs: number;
}

const defaultLimits: StoreLimits = { silentMs: 30_000, attemptMs: 1_800_000, maxBytes: 2 ** 29, pauseMs: 500 };
const attempts = 4;

type Method = "GET" | "HEAD" | "PUT";
type Headers = Readonly<Record<string, string>>;

/** A location of objects, and the authorization of requests to it. */
interface Place {
  /** URL of the folder of objects, without a trailing slash. */
  readonly address: string;
  /** Query of every request, e.g. a shared access signature; may be secret. */
  readonly query: string;
  readonly headers: Headers;
}

/**
 * Opens an object store at `https://HOST/PATH`, with an optional Authorization header from a file. A query is sent with
 * every request, as a signed address needs. `http://` must name this machine.
 * @throws {SluiceError} USAGE, FILE_NOT_FOUND, READ_FAILED; messages never contain a query or a token
 */
export async function openObjectStore(
  inputs: string,
  { inputs_credentials: file }: Pick<QueueSettings, "inputs_credentials">,
  context: Pick<WorkbenchContext, "signal">,
  limits: StoreLimits = defaultLimits,
): Promise<ObjectStore> {
  const place = await placeOf(urlOf(inputs), file);
  const asked = (method: Method, sha256: Sha256, body?: Buffer): Promise<Answer> =>
    answered(place, { method, sha256, body }, { signal: context.signal, limits });
  return {
    read: async (sha256) => {
      const { status, bytes } = await asked("GET", sha256);
      if (status === 404) return null;
      if (status === 200) return bytes;
      throw unavailable(place, `HTTP ${status}`);
    },
    has: async (sha256) => {
      const { status } = await asked("HEAD", sha256);
      if (status === 404 || status === 200) return status === 200;
      throw unavailable(place, `HTTP ${status}`);
    },
    write: async (sha256, bytes) => {
      const { status } = await asked("PUT", sha256, bytes);
      if (status >= 200 && status < 300) return;
      throw new SluiceError(
        "SERVER_UNREACHABLE",
        `${place.address}: lacks an input and did not accept it (HTTP ${status})`,
        {
          hint: say`Copy the blobs of a pushed history there: ${command`sluice history push FOLDER`}. Or use a store that accepts PUT.`,
        },
      );
    },
  };
}

function invalid(found: string): SluiceError {
  return new SluiceError("USAGE", `the object store: ${found}`, {
    hint: say`Credentials come from a file, which inputs_credentials in sluice.yaml names. For the flag, see: ${command`sluice eval run --help`}`,
  });
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw invalid("its address is not a URL");
  const url = new URL(text);
  if (url.username + url.password !== "") throw invalid("its address contains a user or a password");
  if (url.hash !== "") throw invalid("its address has a fragment");
  if (url.protocol !== "https:" && !loopback.test(url.hostname)) throw invalid("http:// must name this machine");
  return url;
}

const withoutSlash = (text: string): string => text.replace(/\/+$/, "");
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

async function placeOf(url: URL, file: string | undefined): Promise<Place> {
  const headers: Headers = file === undefined ? {} : { authorization: await readAuthorization(file) };
  return { address: withoutSlash(`${url.origin}${url.pathname}`), query: url.search, headers };
}

/** Reads one line: the value of the Authorization header, or only a bearer token. */
async function readAuthorization(file: string): Promise<string> {
  const line = (await readInput(file)).toString("utf8").trim();
  if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(line)) throw invalid(`${file}: is not one line with a token`);
  return line.includes(" ") ? line : `Bearer ${line}`;
}

interface Asked {
  readonly method: Method;
  readonly sha256: Sha256;
  readonly body: Buffer | undefined;
}

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
}

interface Watch {
  readonly signal: AbortSignal;
  readonly limits: StoreLimits;
}

/** Whether another attempt may succeed after this status. */
const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

async function answered(place: Place, asked: Asked, watch: Watch): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    let reason: string;
    try {
      const answer = await once(place, asked, watch);
      if (!isPassing(answer.status)) return answer;
      reason = `HTTP ${answer.status}`;
    } catch (error) {
      if (error instanceof SluiceError || watch.signal.aborted) throw error;
      reason = reasonOf(error);
    }
    if (attempt === attempts) throw unavailable(place, reason);
    await wait(watch.limits.pauseMs * 2 ** (attempt - 1), undefined, { signal: watch.signal });
  }
}

async function once(place: Place, { method, sha256, body }: Asked, { signal, limits }: Watch): Promise<Answer> {
  const url = `${place.address}/blobs/sha256/${sha256}${place.query}`;
  const headers = { ...place.headers, "accept-encoding": "identity" };
  const silence = new AbortController();
  // There is no upload progress, so with a body only the whole attempt is limited.
  const timer = setTimeout(() => silence.abort(timedOut()), body === undefined ? limits.silentMs : limits.attemptMs);
  const stop = AbortSignal.any([signal, silence.signal, AbortSignal.timeout(limits.attemptMs)]);
  try {
    const sent = { method, headers, signal: stop, redirect: "manual" as const };
    const response = await fetch(url, body === undefined ? sent : { ...sent, body: new Uint8Array(body) });
    const { status } = response;
    const chunks: Uint8Array[] = [];
    let size = Number(response.headers.get("content-length") ?? 0);
    if (size > limits.maxBytes && method === "GET") throw tooLarge(place, limits);
    size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > limits.maxBytes) throw tooLarge(place, limits);
      chunks.push(chunk);
      timer.refresh();
    }
    return { status, bytes: Buffer.concat(chunks) };
  } finally {
    clearTimeout(timer);
  }
}

const timedOut = (): DOMException => new DOMException("no answer in time", "TimeoutError");

function tooLarge({ address }: Place, { maxBytes }: StoreLimits): SluiceError {
  return new SluiceError("TOO_LARGE", `${address}: an object exceeds ${maxBytes} bytes, the limit of an input`);
}

function unavailable({ address }: Place, reason: string): SluiceError {
  return new SluiceError("SERVER_UNREACHABLE", `${address}: cannot be used (${reason})`);
}

/** The code of a network error, otherwise the kind of error; never any sent data. */
function reasonOf(error: unknown): string {
  const { name, code, cause } = error as { readonly name?: string; readonly code?: unknown; readonly cause?: unknown };
  if (name === "TimeoutError") return "no answer in time";
  if (typeof code === "string") return code;
  return cause === undefined ? "the connection ended" : reasonOf(cause);
}
