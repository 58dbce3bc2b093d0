import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { pagePolicy } from "./page-policy.js";

/** The page of a path, without its query. Its scripts and styles come from this program. */
export type PageSource = (path: string) => Promise<{
  /** HTTP status. */
  readonly status: number;
  readonly html: string;
}>;

/** Adds the pages of a workspace: `/` and everything below `/reports/`. */
export function addPages(app: FastifyInstance, pages: PageSource): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { status, html } = await pages(request.url.split("?", 1)[0] ?? "/");
    return sendHtml(reply.code(status), html);
  };
  app.get("/", answer);
  app.get("/reports/*", answer);
}

/** Sends a page with the policy that names what is in it. */
export const sendHtml = (reply: FastifyReply, html: string, hasForm = false): FastifyReply =>
  reply.header("content-security-policy", pagePolicy(html, hasForm)).type("text/html; charset=utf-8").send(html);
