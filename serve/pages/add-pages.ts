import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { pagePolicy } from "./page-policy.js";

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
