import type { FastifyInstance } from "fastify";
import { contentPolicy, onlyThese } from "../content-policy.js";
import { docsHtml, docsScript, docsStyle } from "./docs-page.js";
import { openApiDocument } from "./document.js";

/** Paths that exist in development only. */
export const docsPaths = ["/docs", "/openapi.json"] as const;

/** The description of the service at `/openapi.json`, and a page to read and try it at `/docs`. */
export function addDocs(app: FastifyInstance): void {
  const document = openApiDocument();
  const policy = contentPolicy({
    scripts: onlyThese([docsScript]),
    styles: onlyThese([docsStyle]),
    asksServer: true,
  });
  app.get("/openapi.json", async () => document);
  app.get("/docs", async (_request, reply) =>
    reply
      .header("content-security-policy", policy)
      .type("text/html; charset=utf-8")
      .send(docsHtml(app.hasRoute({ method: "GET", url: "/" }))),
  );
}
