import { join } from "node:path";
import { packageFolder } from "../../src/base/package-facts.js";

/** The small example that a project without the user's file begins with. */
export async function exampleSource(): Promise<string> {
  return join(packageFolder(), "datasets", "example", "support-requests.csv");
}
