import fastify, { type FastifyInstance } from "fastify";
import { addErrorReplies } from "../error-reply.js";
import { listen, type ListenAddress } from "../listen.js";
import { localHosts } from "../loopback.js";
import { addHttpRules } from "../plugins/http-rules.js";
import { addLingeringClose } from "../plugins/lingering-close.js";
import { addSecurityHeaders } from "../plugins/security-headers.js";
import { addTrustedHost } from "../plugins/trusted-host.js";
import { addRequestState, generateRequestId } from "../request-state.js";
import { requireDevelopmentHost } from "../start-development.js";
import { addPages, type PageSource } from "./add-pages.js";

/** Most bytes of a body; no page takes one. */
const bodyLimitBytes = 1024;

export interface PageServer {
  /** Base address, for example `http://127.0.0.1:8081`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves pages to this machine, by GET and HEAD only. Against DNS rebinding, the Host header must name this machine.
 * @throws {SluiceError} USAGE (an address that other machines can reach), PORT_IN_USE
 */
export async function startPageServer(address: ListenAddress, pages: PageSource): Promise<PageServer> {
  requireDevelopmentHost(address.host);
  const app: FastifyInstance = fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    trustProxy: false,
    requestIdHeader: false,
    genReqId: generateRequestId,
    forceCloseConnections: true,
    http: { requireHostHeader: false },
  });
  addLingeringClose(app.server);
  addRequestState(app);
  addSecurityHeaders(app);
  addHttpRules(app);
  addTrustedHost(app, localHosts(address.host));
  addErrorReplies(app, new Map([["/", "GET, HEAD"]]));
  addPages(app, pages);
  return { address: await listen(app, address), close: () => app.close() };
}
