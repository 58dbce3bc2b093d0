import type { Socket } from "node:net";

const signals = new WeakMap<Socket, AbortSignal>();

/**
 * Aborts when the client's connection closes. All requests of a connection share one signal, because creating one costs
 * more than validating a request. A request that has been answered no longer listens to it.
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
