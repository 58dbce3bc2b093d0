import { connect } from "node:net";

/** Sends parts of bytes, each in its own packet, and returns everything that comes back until the server ends. */
export function rawExchange(base: string, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let received = "";
    const write = (index: number): void => {
      const part = parts[index];
      if (part !== undefined) socket.write(part, () => setImmediate(write, index + 1));
    };
    socket.on("connect", () => write(0));
    socket.setEncoding("utf8").on("data", (text: string) => {
      received += text;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

/** A request of these lines after its first; it ends its connection. */
export function requestBytes(first: string, lines: readonly string[], body = ""): string {
  return `${[first, ...lines, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** What follows this answer. */
  readonly rest: string;
}

/** The first answer of raw bytes; its content-length must be the length of its body. */
export function firstAnswer(received: string): RawAnswer {
  const end = received.indexOf("\r\n\r\n");
  const [first = "", ...lines] = received.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const bytes = Buffer.from(received.slice(end + 4));
  const length = Number(headers["content-length"] ?? 0);
  const body = length === 0 ? {} : (JSON.parse(bytes.subarray(0, length).toString()) as Record<string, unknown>);
  return { status: Number(first.split(" ")[1]), headers, body, rest: bytes.subarray(length).toString() };
}
