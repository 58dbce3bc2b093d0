import { request } from "node:http";
import { SluiceError } from "../../src/base/error.js";
import { fromPlainError, type PlainError } from "../../src/base/transport.js";
import type { RuntimeStatus } from "./runtime-status.js";

export type ControlOrder =
  | { readonly kind: "status" }
  | { readonly kind: "replace"; readonly bundle: string; readonly expectedGeneration: number }
  | { readonly kind: "rollback"; readonly expectedGeneration: number };

/**
 * Sends a command to a running server and waits for its completion.
 * @param socket  path of its control socket
 * @throws {SluiceError} the error of the server; READ_FAILED if no server answers
 */
export async function sendControlOrder(socket: string, order: ControlOrder): Promise<RuntimeStatus> {
  const { status, body } = await exchange(socket, order);
  const answer = JSON.parse(body) as unknown;
  if (status === 200) return answer as RuntimeStatus;
  throw fromPlainError(answer as PlainError);
}

function bodyOf(order: ControlOrder): string | undefined {
  switch (order.kind) {
    case "status":
      return undefined;
    case "replace":
      return JSON.stringify({ bundle: order.bundle, expected_generation: order.expectedGeneration });
    case "rollback":
      return JSON.stringify({ expected_generation: order.expectedGeneration });
  }
}

function exchange(
  socketPath: string,
  order: ControlOrder,
): Promise<{ readonly status: number; readonly body: string }> {
  const method = order.kind === "status" ? "GET" : "POST";
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => {
      const { code } = cause as NodeJS.ErrnoException;
      const message = `${socketPath}: no server answers (${code ?? "unknown"})`;
      reject(
        new SluiceError("READ_FAILED", message, {
          hint: "Use the socket that the server was started with: --control SOCKET",
          cause,
        }),
      );
    };
    const outgoing = request({ socketPath, method, path: `/${order.kind}`, headers: { host: "control" } });
    outgoing.on("error", fail);
    outgoing.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", fail);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    });
    outgoing.end(bodyOf(order));
  });
}
