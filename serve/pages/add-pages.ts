import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { SluiceError } from "../../src/base/error.js";
import { contentPolicy, onlyThese } from "../content-policy.js";

export interface PageForm {
  /** Secret of the server, which the form must send back as the field `token`. */
  readonly token: string;
  /** Fields of a submission; null if the page was only requested. */
  readonly sent: URLSearchParams | null;
}

/**
 * Returns the page at a path, which has no query. Its scripts and styles must come from this program.
 * @param form  null on a server that accepts no form
 */
export type PageSource = (
  path: string,
  form: PageForm | null,
) => Promise<{
  readonly status: number;
  readonly html: string;
}>;

/**
 * Serves the pages of a workspace: `/` and everything below `/reports/`.
 * @param token  secret of the form at `/`; null: no form is accepted
 */
export function addPages(app: FastifyInstance, pages: PageSource, token: string | null = null): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const form =
      token === null ? null : { token, sent: request.method === "POST" ? sentForm(request.body, token) : null };
    const { status, html } = await pages(request.url.split("?", 1)[0] ?? "/", form);
    return sendHtml(reply.code(status), html, token !== null);
  };
  app.get("/", answer);
  app.get("/reports/*", answer);
  if (token !== null) app.post("/", answer);
}

/** The fields of a form that this server's own page sent. @throws {SluiceError} REQUEST_MALFORMED */
export function sentForm(body: unknown, token: string): URLSearchParams {
  if (body instanceof URLSearchParams && body.get("token") === token) return body;
  throw new SluiceError("REQUEST_MALFORMED", "the form does not come from this page");
}

/** Sends a page with a content security policy that allows only the scripts and styles in it. */
export const sendHtml = (reply: FastifyReply, html: string, hasForm = false): FastifyReply =>
  reply.header("content-security-policy", pagePolicy(html, hasForm)).type("text/html; charset=utf-8").send(html);

/**
 * Content security policy of a page that this program generated. It allows the scripts and styles in the page, by their
 * digests, and nothing is loaded. On pages with style attributes, such as charts, these are allowed as well.
 * @param html  one document, whose scripts and styles come from this program, never from data
 * @param hasForm  whether its forms may be sent to this server
 */
export function pagePolicy(html: string, hasForm = false): string {
  return contentPolicy({
    scripts: onlyThese(contentsOf(html, "script")),
    styles: /<[a-z][^>]*\sstyle="/iu.test(html) ? "'unsafe-inline'" : onlyThese(contentsOf(html, "style")),
    asksServer: false,
    hasForm,
  });
}

function contentsOf(html: string, element: "script" | "style"): readonly string[] {
  const pattern = new RegExp(`<${element}(?:\\s[^>]*)?>([\\s\\S]*?)</${element}>`, "gu");
  return [...html.matchAll(pattern)].map(([, content = ""]) => content);
}
