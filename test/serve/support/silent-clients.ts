/** Clients that take a connection and never send a whole request. They never close their side. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";

const head = (length: number): string =>
  `POST /v1/route HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** What each kind of client sends. */
export const silentKinds = {
  silent: "",
  "half a head": head(100).slice(0, 40),
  "half a body": `${head(100)}{"text":`,
  garbage: "\u0016\u0003\u0001 this is no request\r\n\r\n",
} as const;
export type SilentKind = keyof typeof silentKinds;

/** One connection; a connection that the server cuts or refuses is no failure. */
export async function openSilent(base: string, kind: SilentKind): Promise<Socket> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on("error", () => undefined);
  socket.resume();
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  if (silentKinds[kind] !== "" && socket.writable) socket.write(silentKinds[kind]);
  return socket;
}

/** `count` connections, of every kind in turn unless one is named. */
export async function openManySilent(base: string, count: number, kind?: SilentKind): Promise<readonly Socket[]> {
  const kinds = Object.keys(silentKinds) as SilentKind[];
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i += 1) {
    sockets.push(await openSilent(base, kind ?? kinds[i % kinds.length] ?? "silent"));
  }
  return sockets;
}
