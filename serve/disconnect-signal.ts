import type { Socket } from "node:net";

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Aborts when the client's connection closes. One signal serves all requests of a connection, because making one costs
 * more than checking a request; those that were answered by then no longer listen.
 */
export function disconnectSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signals.set(socket, controller.signal);
  if (socket.destroyed) controller.abort();
  else socket.once("close", () => controller.abort());
  return controller.signal;
}
