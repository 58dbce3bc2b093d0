import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Type } from "../../src/base/typebox.js";
import { checkSchema } from "../../src/documents/check-schema.js";
import { object } from "../../src/documents/primitives.js";
import { SluiceError, toSluiceError } from "../../src/base/error.js";
import { toPlainError } from "../../src/base/transport.js";
import type { RuntimeSnapshot } from "../../src/router/runtime.js";
import type { LiveRisk } from "../drift/live-risk.js";
import type { BundleManager } from "./bundle-manager.js";
import { runtimeStatus } from "./runtime-status.js";
import { chmod, lstat, mkdtemp, rename, rm } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { dirname, join } from "node:path";

const ownerOnly = 0o600;

/**
 * Listens on a Unix socket that only its owner may use. The socket is created in a private folder and renamed once it
 * has its final mode, so that other users can never open it. A stale socket is replaced.
 * @returns a function that stops listening and removes the socket
 * @throws {SluiceError} FILE_EXISTS, PORT_IN_USE, WRITE_FAILED
 */
async function listenPrivately(server: Server, path: string): Promise<() => Promise<void>> {
  await requireFree(path);
  try {
    const folder = await mkdtemp(join(dirname(path), ".sluice-"));
    try {
      const made = join(folder, "s");
      await listening(server, made);
      await chmod(made, ownerOnly);
      await rename(made, path);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  } catch (cause) {
    server.close();
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    throw new SluiceError("WRITE_FAILED", `${path}: the control socket cannot be created (${code})`, {
      hint: "Use a short path in a folder that is writable for this user.",
      cause,
    });
  }
  return async () => {
    await new Promise<void>((resolve) => server.close(() => resolve()));
    await rm(path, { force: true });
  };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function requireFree(path: string): Promise<void> {
  const found = await lstat(path).catch(() => null);
  if (found === null) return;
  if (!found.isSocket()) {
    throw new SluiceError("FILE_EXISTS", `${path}: not a socket`, { hint: "Choose another path: --control PATH" });
  }
  if (await answers(path)) {
    throw new SluiceError("PORT_IN_USE", `${path}: another process is listening on it`, {
      hint: "Choose another path with --control, or stop the other server.",
    });
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

const maxBodyBytes = 16_384;
const GenerationSchema = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const ReplaceSchema = object({
  bundle: Type.String({ minLength: 1, maxLength: 4096 }),
  expected_generation: GenerationSchema,
});
const OutcomesSchema = object({
  outcomes: Type.Array(object({ request_id: Type.String({ minLength: 1, maxLength: 160 }), wrong: Type.Boolean() }), {
    minItems: 1,
    maxItems: 100,
  }),
});
const RollbackSchema = object({ expected_generation: GenerationSchema });

/**
 * Accepts commands of the operator on this machine: HTTP with JSON bodies over a Unix socket that only its owner may
 * use. `GET /status`, `POST /replace` with `bundle` and `expected_generation`, `POST /rollback` with
 * `expected_generation`. These return a RuntimeStatus, or an error with code, message and hint. `GET /v1/outcomes`
 * returns the state of the live check of the claim and the requests to label next; `POST /v1/outcomes` accepts their
 * labels.
 * @returns a function that stops listening
 * @throws {SluiceError} those of `listenPrivately`
 */
export function startControlServer(
  path: string,
  manager: Pick<BundleManager, "replace" | "rollback" | "checkedSnapshot">,
  liveRisk: Pick<LiveRisk, "report" | "state">,
): Promise<() => Promise<void>> {
  const server = createServer({ keepAlive: false }, (request, response) => {
    const answered =
      request.url === "/v1/outcomes"
        ? outcomes(request, liveRisk)
        : answer(request, manager).then((snapshot) => runtimeStatus(snapshot));
    answered.then(
      (body) => send(response, 200, body),
      (thrown: unknown) => send(response, toSluiceError(thrown).entry.httpStatus, toPlainError(thrown)),
    );
  });
  return listenPrivately(server, path);
}

async function answer(
  request: IncomingMessage,
  manager: Pick<BundleManager, "replace" | "rollback" | "checkedSnapshot">,
): Promise<RuntimeSnapshot> {
  const order = `${request.method ?? ""} ${request.url ?? ""}`;
  if (order === "GET /status") return manager.checkedSnapshot();
  if (order === "POST /replace") {
    const { bundle, expected_generation } = checkSchema(ReplaceSchema, await readJson(request), "replace");
    return manager.replace({ directory: bundle, expectedGeneration: expected_generation, trigger: "control" });
  }
  if (order === "POST /rollback") {
    const { expected_generation } = checkSchema(RollbackSchema, await readJson(request), "rollback");
    return manager.rollback({ expectedGeneration: expected_generation });
  }
  throw new SluiceError("NOT_FOUND", "expected GET /status, POST /replace or POST /rollback");
}

/** Reads outcomes by request id, so that no texts are sent. */
async function outcomes(request: IncomingMessage, liveRisk: Pick<LiveRisk, "report" | "state">): Promise<object> {
  if (request.method === "GET") return liveRisk.state();
  if (request.method !== "POST") throw new SluiceError("NOT_FOUND", "expected GET or POST /v1/outcomes");
  const { outcomes: given } = checkSchema(OutcomesSchema, await readJson(request), "outcomes");
  const reported = liveRisk.report(given.map(({ request_id, wrong }) => ({ requestId: request_id, wrong })));
  return { ...reported, ...liveRisk.state() };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBodyBytes)
      throw new SluiceError("TOO_LARGE", `the control request has more than ${maxBodyBytes} bytes`);
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch (cause) {
    throw new SluiceError("DOCUMENT_INVALID", "the control request is not a JSON document", { cause });
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  const bytes = Buffer.from(`${JSON.stringify(body)}\n`);
  response.writeHead(status, { "content-type": "application/json", "content-length": bytes.length });
  response.end(bytes);
}
