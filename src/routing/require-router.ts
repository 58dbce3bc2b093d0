import type { Router } from "../domain/router.js";
import { SluiceError } from "../errors/error.js";
import { hasMethods, requireArgument } from "../errors/require-argument.js";

/** @throws {SluiceError} ARGUMENT_INVALID when a value is no router, such as a promise of one */
export function requireRouter(what: string, router: Router): void {
  const holds = hasMethods(router, ["route", "integrityProblems", "close"]) && typeof router.lineage === "object";
  requireArgument(holds, what, "a loaded router", router);
}

/** @throws {SluiceError} BUNDLE_NOT_READY with everything that is wrong with the bundle of a router now */
export function requireReady(router: Router): void {
  const problems = router.integrityProblems();
  if (problems.length === 0) return;
  throw new SluiceError("BUNDLE_NOT_READY", `the bundle is not valid: ${problems.join("; ")}`, {
    hint: "Load a valid bundle; sluice bundle verify DIR lists the problems.",
  });
}
