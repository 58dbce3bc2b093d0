import { type Static, Type } from "../../src/base/typebox.js";
import { object } from "../../src/documents/primitives.js";
import { command, say, SluiceError } from "../../src/base/error.js";
import { readInput } from "../../src/base/files.js";

const text = (description: string, maxLength = 4096) => Type.String({ minLength: 1, maxLength, description });

/** Location of the queue: `queue` in sluice.yaml, or the flags of `eval run` and `eval worker`. */
export const QueueSettingsSchema = object({
  url: text("redis://HOST:PORT/DB, or rediss:// for TLS; without user and password."),
  credentials: Type.Optional(text("File with USER:PASSWORD, or the password alone.")),
  ca: Type.Optional(text("CA certificates (PEM) of the server, for rediss://.")),
  key: Type.Optional(
    text("File of the key that authenticates results; by default queue.key in the workspace, which a run creates."),
  ),
  prefix: Type.Optional(text("Beginning of every key; by default sluice.", 80)),
  inputs: Type.Optional(
    text("Folder or https:// address that coordinator and workers see, for catalogs, models and datasets."),
  ),
  inputs_credentials: Type.Optional(text("File with the Authorization header or token of an https:// address.")),
  ship_texts: Type.Optional(Type.Boolean({ description: "Sends the inputs, texts included, through Redis." })),
});
export type QueueSettings = Static<typeof QueueSettingsSchema>;

/** Whether inputs are in an object store rather than in a folder. */
export const isStoreUrl = (inputs: string): boolean => /^https?:\/\//i.test(inputs);

/** A queue with everything needed to connect to it. `address` is safe to print. */
export interface QueueAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly tls: { readonly servername: string; readonly ca?: string } | null;
  readonly username: string | null;
  readonly password: string | null;
  readonly prefix: string;
  readonly address: string;
}

const defaultPort = 6379;
const defaultPrefix = "sluice";

function invalid(found: string): SluiceError {
  return new SluiceError("USAGE", `the queue: ${found}`, {
    hint: say`Credentials come from a file: ${command`sluice eval run --queue redis://HOST:PORT --queue-credentials FILE`}`,
  });
}

/**
 * Reads address and credentials. A URL with a password is refused, because other people can see command lines and
 * settings.
 * @throws {SluiceError} USAGE, FILE_NOT_FOUND, READ_FAILED; messages never contain a user or a password
 */
export async function openQueueAddress(settings: QueueSettings): Promise<QueueAddress> {
  const url = urlOf(settings.url);
  const prefix = settings.prefix ?? defaultPrefix;
  if (!/^[A-Za-z0-9._{}-]+$/.test(prefix)) throw invalid("its key prefix may contain only A-Z a-z 0-9 . _ - { }");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const ca = settings.ca === undefined ? {} : { ca: (await readInput(settings.ca)).toString("utf8") };
  return {
    host,
    port: url.port === "" ? defaultPort : Number(url.port),
    db: Number(url.pathname.slice(1)),
    tls: url.protocol === "rediss:" ? { servername: host, ...ca } : null,
    ...(await readCredentials(settings.credentials)),
    prefix,
    address: `${url.protocol}//${url.host}`,
  };
}

function urlOf(text: string): URL {
  if (!URL.canParse(text)) throw invalid("its address is not a URL");
  const url = new URL(text);
  const { protocol, username, password, hostname, pathname, search, hash } = url;
  if (username + password !== "") throw invalid("its address contains a user or a password");
  if (protocol !== "redis:" && protocol !== "rediss:")
    throw invalid("its address begins with neither redis:// nor rediss://");
  if (hostname === "" || search + hash !== "" || !/^\/?\d{0,4}$/.test(pathname)) {
    throw invalid("its address must contain only a host, a port and a database number");
  }
  return url;
}

async function readCredentials(file: string | undefined): Promise<Pick<QueueAddress, "username" | "password">> {
  if (file === undefined) return { username: null, password: null };
  const line = (await readInput(file)).toString("utf8").trim();
  if (line === "" || line.includes("\n")) throw invalid(`${file}: is not one line USER:PASSWORD`);
  const colon = line.indexOf(":");
  if (colon < 0) return { username: null, password: line };
  return { username: line.slice(0, colon), password: line.slice(colon + 1) };
}
