import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { docsHtml, docsScript, docsStyle } from "./docs-page.js";
import { openApiDocument } from "./document.js";

/** Paths that exist in development only. */
export const docsPaths = ["/docs", "/openapi.json"] as const;

const digest = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** The description of the service at `/openapi.json`, and a page to read and try it at `/docs`. */
export function addDocs(app: FastifyInstance): void {
  const document = openApiDocument();
  const policy = [
    "default-src 'none'",
    `script-src ${digest(docsScript)}`,
    `style-src ${digest(docsStyle)}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  app.get("/openapi.json", async () => document);
  app.get("/docs", async (_request, reply) =>
    reply
      .header("content-security-policy", policy)
      .type("text/html; charset=utf-8")
      .send(docsHtml(app.hasRoute({ method: "GET", url: "/" }))),
  );
}
