import fastify, { type FastifyInstance } from "fastify";
import { addErrorReplies } from "../error-reply.js";
import { listen, type ListenAddress, localHosts } from "../listen.js";
import { addHttpRules, addSecurityHeaders } from "../plugins/http-rules.js";
import { addLingeringClose } from "../plugins/lingering-close.js";
import { addTrustedHost } from "../plugins/trusted-host.js";
import { addRequestState, generateRequestId } from "../request-state.js";
import { requireDevelopmentHost } from "../start-development.js";
import { addPages, type PageSource, sendHtml, sentForm } from "./add-pages.js";

/** Maximum size of a submitted form in bytes. */
const bodyLimitBytes = 1024 * 1024;

export interface PageServer {
  /** Base address, for example `http://127.0.0.1:8081`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves pages to this machine; `/` may have a form that submits to itself. As protection against DNS rebinding, the
 * Host header must name this machine, and a submission must have the secret of this server.
 * @throws {SluiceError} USAGE (an address that other machines can reach), PORT_IN_USE
 */
export async function startPageServer(address: ListenAddress, pages: PageSource): Promise<PageServer> {
  const app = localApp(address);
  addPages(app, pages, generateRequestId());
  return { address: await listen(app, address), close: () => app.close() };
}

/** A page with a form that submits to the same page. */
export interface FormPage {
  /**
   * @param token  secret of this server, which the form must submit as the field `token`
   */
  readonly show: (token: string) => Promise<string>;
  /** Returns the page after the form was submitted. */
  readonly send: (form: URLSearchParams, token: string) => Promise<string>;
}

/**
 * Serves one page with a form to this machine. A submission without the secret is refused, so that pages of other sites
 * cannot submit the form.
 * @throws {SluiceError} USAGE (an address that other machines can reach), PORT_IN_USE
 */
export async function startFormServer(address: ListenAddress, page: FormPage): Promise<PageServer> {
  const app = localApp(address);
  const token = generateRequestId();
  app.get("/", async (_request, reply) => sendHtml(reply, await page.show(token), true));
  app.post("/", async ({ body }, reply) => sendHtml(reply, await page.send(sentForm(body, token), token), true));
  return { address: await listen(app, address), close: () => app.close() };
}

function localApp({ host }: ListenAddress): FastifyInstance {
  requireDevelopmentHost(host);
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
  addTrustedHost(app, localHosts(host));
  addErrorReplies(app, new Map([["/", "GET, HEAD, POST"]]));
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) => {
    done(null, new URLSearchParams(body as string));
  });
  return app;
}
