/**
 * Load client: sends request bodies over plain sockets and measures the responses. Runs as a separate process so that
 * it does not use the server's threads. Reads a LoadPlan as JSON from standard input and prints a LoadResult as JSON.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { decisionOf } from "./decision-of.js";

export interface LoadPlan {
  readonly port: number;
  /** Default "/v1/route". */
  readonly path?: "/v1/route" | "/mcp";
  readonly bodies: readonly string[];
  /** The expected decision for each body, in the format of `decisionOf`; null: responses are only counted. */
  readonly decisions: readonly string[] | null;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Requests per second at fixed times, independent of the responses; null: each request is sent after the previous
   * response.
   */
  readonly rate: number | null;
}

export interface LoadResult {
  /** Responses and decisions per second within the planned time; responses after its end do not count. */
  readonly requestsPerSec: number;
  /** Latency in milliseconds; with a rate, measured from the time at which the request was due. */
  readonly p50: number;
  readonly p99: number;
  readonly answers: number;
  /** Number of responses with a status other than 200, and of closed connections. */
  readonly notOk: number;
  /** Number of responses with status 200 but an unexpected decision, for example because a backend is unavailable. */
  readonly otherDecisions: number;
  readonly decisionsPerSec: number;
  /** Time from the first request to the last response. */
  readonly elapsedSec: number;
  /** Processor seconds of this client per second of load. */
  readonly clientCores: number;
}

/** The body of a response with status 200; null for any other result. */
type Outcome = string | null;

const contentLength = /content-length: (\d+)/iu;

/** One connection with at most one request in flight. */
class Connection {
  readonly #socket: Socket;
  #received = "";
  #done: ((outcome: Outcome) => void) | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => this.#read(part));
    socket.on("close", () => this.#done?.(null));
  }

  exchange(bytes: Buffer): Promise<Outcome> {
    if (this.#socket.destroyed) throw new Error("the server closed a connection");
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#socket.write(bytes);
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(part: string): void {
    this.#received += part;
    const head = this.#received.indexOf("\r\n\r\n");
    if (head === -1) return;
    const length = Number(contentLength.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length < head + 4 + length) return;
    const body = this.#received.startsWith("HTTP/1.1 200") ? this.#received.slice(head + 4) : null;
    this.#received = "";
    this.#done?.(body);
  }
}

function requestBytes({ port, path = "/v1/route" }: LoadPlan, body: string): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    "accept: application/json, text/event-stream",
    `host: 127.0.0.1:${port}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

async function open(port: number): Promise<Connection> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return new Connection(socket);
}

async function run(plan: LoadPlan): Promise<LoadResult> {
  const requests = plan.bodies.map((body) => requestBytes(plan, body));
  const connections = await Promise.all(Array.from({ length: plan.connections }, () => open(plan.port)));
  const latencies: number[] = [];
  let notOk = 0;
  let otherDecisions = 0;
  const inTime = { answers: 0, decisions: 0 };
  let sent = 0;
  const used = process.cpuUsage();
  const begin = performance.now();
  const end = begin + plan.seconds * 1000;
  /** Time at which request n is due; immediately without a rate. */
  const due = (n: number): number => (plan.rate === null ? performance.now() : begin + (n * 1000) / plan.rate);
  const work = async (connection: Connection): Promise<void> => {
    for (;;) {
      const n = sent;
      sent += 1;
      const at = due(n);
      if (at >= end) return;
      const wait = at - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const started = plan.rate === null ? performance.now() : at;
      const bytes = requests[n % requests.length] ?? Buffer.alloc(0);
      const outcome = await connection.exchange(bytes);
      const now = performance.now();
      latencies.push(now - started);
      if (now <= end) inTime.answers += 1;
      if (outcome === null) notOk += 1;
      else if (plan.decisions !== null && decisionOf(outcome) !== plan.decisions[n % requests.length])
        otherDecisions += 1;
      else if (now <= end) inTime.decisions += 1;
    }
  };
  await Promise.all(connections.map(work));
  const elapsed = performance.now() - begin;
  const { user, system } = process.cpuUsage(used);
  for (const connection of connections) connection.end();
  const sorted = latencies.sort((a, b) => a - b);
  const quantile = (q: number): number => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
  return {
    requestsPerSec: inTime.answers / plan.seconds,
    p50: quantile(0.5),
    p99: quantile(0.99),
    answers: latencies.length,
    notOk,
    otherDecisions,
    decisionsPerSec: inTime.decisions / plan.seconds,
    elapsedSec: elapsed / 1000,
    clientCores: (user + system) / 1000 / elapsed,
  };
}

const plan = JSON.parse(readFileSync(0, "utf8")) as LoadPlan;
process.stdout.write(JSON.stringify(await run(plan)));
