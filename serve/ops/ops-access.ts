import { isIP } from "node:net";
import { loopbackHosts } from "../loopback.js";
import type { MetricFamily } from "../metrics/exposition.js";
import { hostName, trustedHostTest } from "../plugins/trusted-host.js";
import { renderOpsPage } from "./ops-page.js";
import { opsView } from "./ops-view.js";

/** The operators' page, served at the metrics address. */
export interface OpsPage {
  /** Whether a Host header is accepted. */
  readonly accepts: (host: string) => boolean;
  /** Renders the page as HTML, from the same metrics as a scrape. */
  readonly render: (families: readonly MetricFamily[]) => string;
}

/**
 * Creates the operators' page. As protection against DNS rebinding, the Host header must be an IP address, a name of
 * this machine, or a trusted host.
 */
export function createOpsPage(trustedHosts: readonly string[], clock: () => Date): OpsPage {
  const isTrusted = trustedHostTest([...loopbackHosts, ...trustedHosts]);
  return {
    accepts: (header) => {
      const host = hostName(header);
      return isTrusted(host) || isIP(host.replace(/^\[(.*)\]$/u, "$1")) > 0;
    },
    render: (families) => renderOpsPage(opsView(families), clock()),
  };
}
