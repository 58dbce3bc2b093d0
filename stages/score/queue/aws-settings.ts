import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Sha256 } from "../../../src/base/sha256.js";
import { SluiceError } from "../../../src/base/error.js";
import { readInput } from "../../../src/base/files.js";
import type { WorkbenchContext } from "../../../store/workbench-context.js";

/** Credentials and location of an S3-compatible server. */
export interface AwsSettings {
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
export async function readAwsSettings(env: WorkbenchContext["env"], file: string | undefined): Promise<AwsSettings> {
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
  throw new SluiceError("USAGE", "the object store: its endpoint is no URL that begins with https:// or http://", {
    hint: "Correct AWS_ENDPOINT_URL, or endpoint_url in ~/.aws/config.",
  });
}

/** Headers of a request with an AWS signature (version 4), which covers the digest of the body. */
export async function signedHeaders(
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
