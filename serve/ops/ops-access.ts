import { isIP } from "node:net";
import { loopbackHosts } from "../loopback.js";
import type { MetricFamily } from "../metrics/exposition.js";
import { hostName, trustedHostTest } from "../plugins/trusted-host.js";
import { renderOpsPage } from "./ops-page.js";
import { opsView } from "./ops-view.js";

/** The operators' page as the metrics address shows it. */
export interface OpsPage {
  /** Whether a Host header is accepted. */
  readonly accepts: (host: string) => boolean;
  /** The page as HTML, from the metrics that a scrape would return. */
  readonly render: (families: readonly MetricFamily[]) => string;
}

/**
 * The operators' page. Against DNS rebinding, the Host header must be an IP address, a name of this machine, or a
 * trusted host.
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
