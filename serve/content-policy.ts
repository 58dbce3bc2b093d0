import { createHash } from "node:crypto";

const digestOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** A source list that allows exactly these texts, by their digests. */
export const onlyThese = (texts: readonly string[]): string => texts.map(digestOf).join(" ") || "'none'";

export interface PageContent {
  /** Source list, see `onlyThese`. */
  readonly scripts: string;
  readonly styles: string;
  /** Whether its scripts may send requests to this server. */
  readonly asksServer: boolean;
  /** Whether its forms may be sent to this server. Default false. */
  readonly hasForm?: boolean;
}

/** Builds the content security policy of a page. It allows nothing else, and no other page may frame it. */
export function contentPolicy({ scripts, styles, asksServer, hasForm = false }: PageContent): string {
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src ${styles}`,
    "img-src data:",
    ...(asksServer ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    `form-action ${hasForm ? "'self'" : "'none'"}`,
    "frame-ancestors 'none'",
  ].join("; ");
}
