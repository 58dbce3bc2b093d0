import type { FastifyInstance } from "fastify";
import { contentPolicy, onlyThese } from "../content-policy.js";
import { docsHtml, docsScript, docsStyle } from "./docs-page.js";
import { openApiDocument } from "./document.js";

/** Paths that are served only in development. */
export const docsPaths = ["/docs", "/openapi.json"] as const;

/** Serves the API description at `/openapi.json`, and at `/docs` a page to read it and try it out. */
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
