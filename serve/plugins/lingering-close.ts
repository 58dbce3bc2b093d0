import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** Maximum number of bytes read from a client after its response; the largest body that a server accepts is 8 MiB. */
const mostBytes = 33_554_432;
/** Maximum total time for reading these bytes, and maximum silence, in milliseconds. */
const longestMs = 5000;
const idleMs = 500;
const checkMs = 50;
/** Milliseconds after which a half-closed client is probed. */
const probeAfterMs = 100;
/** The first probe makes the remote system reset the connection; a later one detects the reset. */
const mostProbes = 3;

const lingering = new WeakSet<object>();

/** Whether a connection has sent its last response and is only being drained. */
export const isLingering = (socket: object): boolean => lingering.has(socket);

/**
 * Closes a connection whose request was not read completely, in the order of RFC 9112, section 9.6: sends the response,
 * ends this side, then reads and drops what the client still sends until it ends or is silent. Closing at once would
 * lose the response together with the unread bytes. Bounded in time and bytes.
 */
export function addLingeringClose(server: Server): void {
  const latest = new WeakMap<Socket, IncomingMessage>();
  const remember = (request: IncomingMessage): void => void latest.set(request.socket, request);
  for (const event of ["request", "checkContinue", "checkExpectation"] as const) server.on(event, remember);
  server.on("connection", (socket) => {
    const closeSoon = socket.destroySoon.bind(socket);
    // Node calls this method to close a connection after its last response.
    socket.destroySoon = () => {
      if (latest.get(socket)?.complete === false) linger(socket);
      else closeSoon();
    };
  });
}

/** Ends this side of a connection and drops what the client still sends. */
export function linger(socket: Socket): void {
  if (lingering.has(socket) || socket.destroyed) return;
  lingering.add(socket);
  const [readBefore, begin] = [socket.bytesRead, performance.now()];
  let latest = { read: readBefore, at: begin };
  const check = setInterval(() => {
    const [read, now] = [socket.bytesRead, performance.now()];
    if (read > latest.read) latest = { read, at: now };
    const isOver = now - begin > longestMs || now - latest.at > idleMs;
    if (isOver || read - readBefore > mostBytes) socket.destroy();
  }, checkMs);
  check.unref();
  socket.once("close", () => clearInterval(check));
  socket.end();
  socket.resume();
}

/**
 * Answers a client that half-closes its connection after a complete request. If the response takes long, `100 Continue`
 * is sent as a probe: the system of a client that is gone resets the connection.
 */
export function answerHalfClosed(server: Server): void {
  // A setting of Node's HTTP server that is missing from its type declarations.
  Object.assign(server, { httpAllowHalfOpen: true });
  const latest = new WeakMap<Socket, ServerResponse>();
  server.on("request", ({ httpVersion, socket }, response) => {
    if (httpVersion !== "1.0") latest.set(socket, response);
  });
  server.on("connection", (socket) => {
    socket.once("end", () => {
      let probes = 0;
      const probe = setInterval(() => {
        const response = latest.get(socket);
        const waits = response !== undefined && !response.headersSent && probes < mostProbes;
        if (!waits) return clearInterval(probe);
        probes += 1;
        response.writeContinue();
      }, probeAfterMs);
      socket.once("close", () => clearInterval(probe));
    });
  });
}

/** Shared by the health routes and the shutdown: true once the server should receive no new traffic. */
interface DrainState {
  draining: boolean;
}

declare module "fastify" {
  interface FastifyInstance {
    drainState: DrainState;
  }
}

/**
 * While the application closes, every response closes its connection. Otherwise a keep-alive connection with a request
 * in flight would keep the server open until its keep-alive timeout.
 */
export function addGracefulClose(app: FastifyInstance): void {
  app.decorate("drainState", { draining: false });
  let closing = false;
  app.addHook("preClose", async () => {
    app.drainState.draining = true;
    closing = true;
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (closing) reply.header("connection", "close");
    done();
  });
}
