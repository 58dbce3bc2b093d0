import type { FastifyInstance } from "fastify";

/** Shared by the health routes and the shutdown: true once the server should receive no new traffic. */
export interface DrainState {
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
