import { setTimeout as wait } from "node:timers/promises";
import type { Sha256 } from "../../../src/base/sha256.js";
import { SluiceError } from "../../../src/base/error.js";
import { readInput } from "../../../src/base/files.js";
import type { WorkbenchContext } from "../../../store/workbench-context.js";
import type { QueueSettings } from "../../../store/project/queue-settings.js";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Blobs in an object store: objects `blobs/sha256/DIGEST` under a base URL, as in a folder of `history push`. */
export interface ObjectStore {
  /** Reads an object without checking its digest; null if it does not exist. */
  readonly read: (sha256: Sha256) => Promise<Buffer | null>;
  readonly has: (sha256: Sha256) => Promise<boolean>;
  readonly write: (sha256: Sha256, bytes: Buffer) => Promise<void>;
}

/** Limits on time and size. */
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
  /** Base URL to which paths are appended, without a trailing slash. */
  readonly base: string;
  /** Address that is safe to print. */
  readonly address: string;
  readonly headersOf: (method: Method, url: string, sha256: Sha256) => Promise<Headers>;
}

/**
 * Opens an object store: either `https://HOST/PATH` with an optional Authorization header from a file, or
 * `s3://BUCKET/PREFIX` with the credentials and endpoint of AWS tools. `http://` is accepted only without credentials
 * or on this machine.
 * @throws {SluiceError} USAGE, FILE_NOT_FOUND, READ_FAILED, PACKAGE_MISSING; messages never contain a key or a token
 */
export async function openObjectStore(
  inputs: string,
  { inputs_credentials: file }: Pick<QueueSettings, "inputs_credentials">,
  context: Pick<WorkbenchContext, "env" | "signal">,
  limits: StoreLimits = defaultLimits,
): Promise<ObjectStore> {
  const url = urlOf(inputs);
  const place =
    url.protocol === "s3:" ? s3Place(url, await readAwsSettings(context.env, file)) : await webPlace(url, file);
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
          hint: "Copy the blobs of a pushed history there: sluice history push FOLDER. Or use a store that accepts PUT.",
        },
      );
    },
  };
}

function invalid(found: string): SluiceError {
  return new SluiceError("USAGE", `the object store: ${found}`, {
    hint: "Credentials come from a file, which inputs_credentials in sluice.yaml names. For the flag, see: sluice eval run --help",
  });
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw invalid("its address is not a URL");
  const url = new URL(text);
  if (url.username + url.password !== "") throw invalid("its address contains a user or a password");
  if (url.search + url.hash !== "") throw invalid("its address has a query or a fragment");
  return url;
}

const withoutSlash = (text: string): string => text.replace(/\/+$/, "");
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

async function webPlace(url: URL, file: string | undefined): Promise<Place> {
  const address = withoutSlash(`${url.origin}${url.pathname}`);
  const authorization = file === undefined ? null : await readAuthorization(file);
  if (authorization !== null && url.protocol === "http:" && !loopback.test(url.hostname)) {
    throw invalid("credentials are sent over https:// only");
  }
  const headers: Headers = authorization === null ? {} : { authorization };
  return { base: address, address, headersOf: async () => headers };
}

/** Reads one line: the value of the Authorization header, or only a bearer token. */
async function readAuthorization(file: string): Promise<string> {
  const line = (await readInput(file)).toString("utf8").trim();
  if (!/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(line)) throw invalid(`${file}: is not one line with a token`);
  return line.includes(" ") ? line : `Bearer ${line}`;
}

function s3Place(url: URL, aws: AwsSettings): Place {
  const bucket = url.hostname;
  if (bucket === "" || url.port !== "") throw invalid("its address is not s3://BUCKET/PREFIX");
  const host = aws.endpoint ?? `https://${bucket}.s3.${aws.region}.amazonaws.com`;
  // Servers other than Amazon's expect the bucket in the path.
  const base = withoutSlash(`${withoutSlash(host)}${aws.endpoint === null ? "" : `/${bucket}`}${url.pathname}`);
  return {
    base,
    address: withoutSlash(`s3://${bucket}${url.pathname}`),
    headersOf: (method, object, sha256) => signedHeaders(aws, { method, url: object, sha256 }),
  };
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
  const url = `${place.base}/blobs/sha256/${sha256}`;
  const headers = { ...(await place.headersOf(method, url, sha256)), "accept-encoding": "identity" };
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

/** Credentials and location of an S3-compatible server. */
interface AwsSettings {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Session token of temporary credentials. */
  readonly sessionToken: string | null;
  readonly region: string;
  /** URL of a server other than Amazon's; null: Amazon's server of the region. */
  readonly endpoint: string | null;
}

const defaultRegion = "us-east-1";
type Section = Readonly<Record<string, string>>;

/**
 * Reads credentials, region and endpoint from the same places as AWS tools: the AWS_* variables, then the profile
 * AWS_PROFILE in ~/.aws/credentials and ~/.aws/config. Instance roles are not supported.
 * @param file  a credentials file that takes precedence
 * @throws {SluiceError} USAGE  there are no credentials; FILE_NOT_FOUND, READ_FAILED
 */
async function readAwsSettings(env: WorkbenchContext["env"], file: string | undefined): Promise<AwsSettings> {
  const home = join(env["HOME"] ?? env["USERPROFILE"] ?? ".", ".aws");
  const profile = env["AWS_PROFILE"] ?? "default";
  const stored = await sectionIfAny(env["AWS_SHARED_CREDENTIALS_FILE"] ?? join(home, "credentials"), [profile]);
  const config = await sectionIfAny(env["AWS_CONFIG_FILE"] ?? join(home, "config"), [profile, `profile ${profile}`]);
  const keyed = { ...stored, ...variables(env, ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"]) };
  const keys = file === undefined ? keyed : sectionOf(await readInput(file), [profile]);
  const places = variables(env, ["aws_default_region", "aws_region", "aws_endpoint_url", "aws_endpoint_url_s3"]);
  const fromFiles = { ...config, ...keys };
  return {
    ...credentialsOf(keys, `${file ?? "AWS_ACCESS_KEY_ID and ~/.aws/credentials"} (profile ${profile})`),
    region: first(places["aws_region"], places["aws_default_region"], fromFiles["region"]) ?? defaultRegion,
    endpoint: endpointOf(first(places["aws_endpoint_url_s3"], places["aws_endpoint_url"], fromFiles["endpoint_url"])),
  };
}

const first = (...values: readonly (string | undefined)[]): string | undefined =>
  values.find((value) => value !== undefined);

type Credentials = Pick<AwsSettings, "accessKeyId" | "secretAccessKey" | "sessionToken">;

function credentialsOf(keys: Section, place: string): Credentials {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey, aws_session_token: token } = keys;
  if (accessKeyId !== undefined && secretAccessKey !== undefined) {
    return { accessKeyId, secretAccessKey, sessionToken: token ?? null };
  }
  throw new SluiceError("USAGE", `the object store: no credentials in ${place}`, {
    hint: "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file with inputs_credentials in sluice.yaml. For the flag, see: sluice eval run --help",
  });
}

function endpointOf(url: string | undefined): string | null {
  if (url === undefined) return null;
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new SluiceError("USAGE", "the object store: its endpoint is not an https:// or http:// URL", {
    hint: "Correct AWS_ENDPOINT_URL, or endpoint_url in ~/.aws/config.",
  });
}

/** Headers of a request with an AWS signature (version 4), which covers the digest of the body. */
async function signedHeaders(
  { accessKeyId, secretAccessKey, sessionToken, region }: AwsSettings,
  { method, url, sha256 }: { readonly method: string; readonly url: string; readonly sha256: Sha256 },
): Promise<Readonly<Record<string, string>>> {
  const { AwsV4Signer } = await import("aws4fetch").catch((cause: unknown) => {
    throw new SluiceError("PACKAGE_MISSING", "s3:// needs the optional package aws4fetch", {
      hint: "Run: npm install aws4fetch",
      cause,
    });
  });
  const headers = method === "PUT" ? { "x-amz-content-sha256": sha256 } : {};
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) };
  const signed = await new AwsV4Signer({ ...keys, region, service: "s3", method, url, headers }).sign();
  return Object.fromEntries(signed.headers);
}

/** The variables that are set, keyed by lower-case names as in the files. */
function variables(env: WorkbenchContext["env"], names: readonly string[]): Section {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name.toUpperCase()];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
}

const sectionIfAny = async (file: string, names: readonly string[]): Promise<Section> =>
  existsSync(file) ? sectionOf(await readInput(file), names) : {};

/** The fields of a section of an INI file. */
function sectionOf(bytes: Buffer, names: readonly string[]): Section {
  const found: [string, string][] = [];
  let inside = false;
  for (const line of bytes.toString("utf8").split("\n")) {
    const header = /^\s*\[(?<name>[^\]]*)\]/.exec(line)?.groups?.["name"]?.trim();
    if (header !== undefined) inside = names.includes(header);
    const field = /^(?<key>[a-z_]+)\s*=\s*(?<value>.*?)\s*$/.exec(line)?.groups;
    if (inside && field !== undefined) found.push([field["key"] ?? "", field["value"] ?? ""]);
  }
  return Object.fromEntries(found);
}
