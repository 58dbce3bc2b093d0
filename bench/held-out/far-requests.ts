import type { LabelledRequest } from "../../src/documents/dataset.js";
import { readClinc150 } from "../../test/support/clinc150.js";
import { requestsOf } from "../published/clinc150.js";

/**
 * The 1,000 out-of-scope test texts of CLINC150: far out of scope for every catalog here, and in no model's training
 * data.
 */
export function farRequests(dataFolder: string): readonly LabelledRequest[] {
  return requestsOf(readClinc150(dataFolder), ["oos_test"]);
}
