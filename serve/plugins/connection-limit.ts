import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";

export interface ConnectionCounts {
  readonly open: number;
  /** Closed to make room for newer ones. */
  readonly closedForRoom: number;
  /** Refused because every other connection had a request in progress. */
  readonly refused: number;
}

declare module "fastify" {
  interface FastifyInstance {
    connectionCounts: () => ConnectionCounts;
  }
}

/**
 * Limits the number of connections, so that idle clients cannot lock out others. When the last slot is taken, the
 * connection that has waited longest for the rest of its request is closed or, failing that, the one that has been idle
 * longest. A connection with a complete request is never closed for this.
 */
export function addConnectionLimit(app: FastifyInstance, maxConnections: number): void {
  const open = new Set<Socket>();
  // Both sets are ordered by last activity, oldest first.
  const incomplete = new Set<Socket>();
  const idle = new Set<Socket>();
  let closedForRoom = 0;
  let refused = 0;
  const leave = (socket: Socket): void => {
    incomplete.delete(socket);
    idle.delete(socket);
  };
  const enter = (places: Set<Socket>, socket: Socket): void => {
    leave(socket);
    if (open.has(socket)) places.add(socket);
  };
  const makeRoom = (): void => {
    const [oldest] = incomplete.size > 0 ? incomplete : idle;
    if (oldest === undefined) return;
    closedForRoom += 1;
    leave(oldest);
    open.delete(oldest);
    oldest.destroy();
  };

  app.server.maxConnections = maxConnections;
  app.server.on("drop", () => {
    refused += 1;
  });
  app.server.on("connection", (socket) => {
    if (open.size + 1 >= maxConnections) makeRoom();
    open.add(socket);
    incomplete.add(socket);
    socket.once("close", () => {
      leave(socket);
      open.delete(socket);
    });
  });
  app.addHook("onRequest", async ({ socket }) => enter(incomplete, socket));
  app.addHook("preValidation", async ({ socket }) => leave(socket));
  app.addHook("onResponse", async ({ socket }) => enter(idle, socket));
  app.decorate("connectionCounts", () => ({ open: open.size, closedForRoom, refused }));
}
