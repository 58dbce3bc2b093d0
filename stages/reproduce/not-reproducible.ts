import { SluiceError } from "../../src/base/error.js";

/** The error for a claim that cannot be reproduced. @param why  what was found and what was expected */
export const notReproducible = (why: string, hint = "Sign the bundle again: sluice manifest create"): SluiceError =>
  new SluiceError("NOT_REPRODUCIBLE", why, { hint });
