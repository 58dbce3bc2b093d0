import type { FastifyInstance } from "fastify";

/** Shared by the health routes and the shutdown: true from the moment the server should get no new traffic. */
export interface DrainState {
  draining: boolean;
}

declare module "fastify" {
  interface FastifyInstance {
    drainState: DrainState;
  }
}

/**
 * While the application closes, every answer ends its connection; otherwise a kept-alive connection with a request in
 * flight holds the server open until its keep-alive time is over.
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
