import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { disconnectSignal } from "../../serve/request-state.js";
import { assert, test } from "../support/test.js";

/** Both ends of a connection over TCP. */
async function connected(run: (client: Socket, served: Socket) => Promise<void>): Promise<void> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const arrived = once(server, "connection") as Promise<[Socket]>;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  try {
    const [served] = await arrived;
    await run(client, served);
  } finally {
    client.destroy();
    server.close();
  }
}

test("all requests of a connection share one signal, which the client's leaving aborts", () =>
  connected(async (client, served) => {
    const signal = disconnectSignal(served);
    assert.is(disconnectSignal(served), signal);
    assert.is(signal.aborted, false);
    assert.is(served.listenerCount("close"), 1);
    client.destroy();
    await once(signal, "abort");
    assert.is(signal.aborted, true);
  }));

test("each connection has its own", () =>
  connected((_client, one) =>
    connected(async (_other, two) => assert.is.not(disconnectSignal(one), disconnectSignal(two))),
  ));

test("a connection that is closed already has an aborted one", () =>
  connected(async (client, served) => {
    client.destroy();
    await once(served.resume(), "close");
    assert.is(disconnectSignal(served).aborted, true);
  }));
