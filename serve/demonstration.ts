import type { Router } from "../src/documents/router.js";
import { demonstrationEnvironment } from "../src/documents/signed.js";

/** Whether the approvals of a bundle name the demonstration environment. */
export function isDemonstration({ monitor }: Pick<Router, "monitor">): boolean {
  return monitor?.environment === demonstrationEnvironment;
}

/** Printed below the startup line of a server that runs a demonstration bundle. */
export const demonstrationWarning =
  "DEMONSTRATION: this bundle is signed with keys that anybody can open. It is not approved for production.\n";
