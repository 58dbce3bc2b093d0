import fastify, { type FastifyInstance } from "fastify";
import { SluiceError } from "../../src/base/error.js";
import { addErrorReplies } from "../error-reply.js";
import { listen, type ListenAddress, localHosts } from "../listen.js";
import { addHttpRules, addSecurityHeaders } from "../plugins/http-rules.js";
import { addLingeringClose } from "../plugins/lingering-close.js";
import { addTrustedHost } from "../plugins/trusted-host.js";
import { addRequestState, generateRequestId } from "../request-state.js";
import { requireDevelopmentHost } from "../start-development.js";
import { addPages, type PageSource, sendHtml } from "./add-pages.js";

/** Maximum body size in bytes, for pages without and with a form. */
const bodyLimitBytes = { none: 1024, form: 1024 * 1024 };

export interface PageServer {
  /** Base address, for example `http://127.0.0.1:8081`. */
  readonly address: string;
  close(): Promise<void>;
}

/**
 * Serves pages to this machine, with GET and HEAD only. As protection against DNS rebinding, the Host header must name
 * this machine.
 * @throws {SluiceError} USAGE (an address that other machines can reach), PORT_IN_USE
 */
export async function startPageServer(address: ListenAddress, pages: PageSource): Promise<PageServer> {
  const app = localApp(address, bodyLimitBytes.none, "GET, HEAD");
  addPages(app, pages);
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
  const app = localApp(address, bodyLimitBytes.form, "GET, HEAD, POST");
  const token = generateRequestId();
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) => {
    done(null, new URLSearchParams(body as string));
  });
  app.get("/", async (_request, reply) => sendHtml(reply, await page.show(token), true));
  app.post("/", async ({ body }, reply) => {
    if (!(body instanceof URLSearchParams) || body.get("token") !== token) {
      throw new SluiceError("REQUEST_MALFORMED", "the form does not come from this page");
    }
    return sendHtml(reply, await page.send(body, token), true);
  });
  return { address: await listen(app, address), close: () => app.close() };
}

function localApp({ host }: ListenAddress, bodyLimit: number, methods: string): FastifyInstance {
  requireDevelopmentHost(host);
  const app: FastifyInstance = fastify({
    logger: false,
    bodyLimit,
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
  addErrorReplies(app, new Map([["/", methods]]));
  return app;
}
