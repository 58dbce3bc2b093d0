import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { contentPolicy, onlyThese } from "../content-policy.js";

/** Returns the page at a path, which has no query. Its scripts and styles must come from this program. */
export type PageSource = (path: string) => Promise<{
  /** HTTP status. */
  readonly status: number;
  readonly html: string;
}>;

/** Serves the pages of a workspace: `/` and everything below `/reports/`. */
export function addPages(app: FastifyInstance, pages: PageSource): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { status, html } = await pages(request.url.split("?", 1)[0] ?? "/");
    return sendHtml(reply.code(status), html);
  };
  app.get("/", answer);
  app.get("/reports/*", answer);
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
