import { sha256Hex } from "../../src/base/sha256.js";
import type { LabelledRequest } from "../../src/documents/dataset.js";
import { GrantPolicySchema } from "../../src/documents/grant-policy.js";
import { readYaml } from "../../src/router/catalog/read-yaml.js";

interface GrantFile {
  readonly path: string;
  readonly bytes: Buffer;
}

/**
 * Gives each request without a list the workflows of one rule of a grant policy, each rule as often as any other, so that
 * scores and claims are about callers with these grants. The rule depends on the id of the request alone.
 * @throws {SluiceError} DOCUMENT_INVALID
 */
export function withCallerLists(
  rows: readonly LabelledRequest[],
  { path, bytes }: GrantFile,
): readonly LabelledRequest[] {
  const { rules } = readYaml(GrantPolicySchema, bytes, path);
  return rows.map((row) => {
    const drawn = Number.parseInt(sha256Hex(`caller ${row.id}`).slice(0, 8), 16) % rules.length;
    const granted = rules[drawn]?.workflow_ids ?? "all";
    const isSettled = granted === "all" || (row.allowed_workflow_ids ?? null) !== null;
    return isSettled ? row : { ...row, allowed_workflow_ids: granted };
  });
}
