import { readFile } from "node:fs/promises";
import { type Static, Type } from "typebox";
import { readYaml } from "../../src/catalog/read-yaml.js";
import { type Camel, toCamel } from "../../src/domain/camel.js";
import { closed, WorkflowIdSchema } from "../../src/domain/primitives.js";
import { SluiceError } from "../../src/errors/error.js";
import { AuthorizationDenied } from "../authorizer.js";

const ClaimNameSchema = Type.String({ minLength: 1, maxLength: 200 });

/** File that maps what is known of a caller to workflow ids. A caller gets the ids of every rule that fits. */
export const GrantPolicySchema = Type.Object(
  {
    schema_version: Type.Literal(1),
    rules: Type.Array(
      Type.Object(
        {
          /** Name of a claim, or the names on the way to a claim inside others. */
          claim: Type.Union([ClaimNameSchema, Type.Array(ClaimNameSchema, { minItems: 1, maxItems: 8 })]),
          /** The claim has this value, or holds it as a list or as words between spaces. */
          value: Type.String({ minLength: 1, maxLength: 1000 }),
          workflow_ids: Type.Union([
            Type.Literal("all"),
            Type.Array(WorkflowIdSchema, { maxItems: 50_000, uniqueItems: true }),
          ]),
        },
        closed,
      ),
      { minItems: 1, maxItems: 10_000 },
    ),
  },
  closed,
);
export type GrantPolicy = Camel<Static<typeof GrantPolicySchema>>;

/** What is known of a caller, by name. */
export type Claims = Readonly<Record<string, unknown>>;

/** A grant policy from its YAML or JSON file. @throws {SluiceError} PRODUCTION_CONFIGURATION */
export async function readGrantPolicy(path: string): Promise<GrantPolicy> {
  const hint = "Name a file with schema_version and rules; docs/serving.md shows one.";
  try {
    return toCamel(readYaml(GrantPolicySchema, await readFile(path), path));
  } catch (cause) {
    const why = cause instanceof SluiceError ? cause.message : `${path}: the grant policy cannot be read`;
    throw new SluiceError("PRODUCTION_CONFIGURATION", why, { hint, cause });
  }
}

/**
 * Workflow ids of a caller.
 * @param allWorkflowIds  what a rule for all workflows grants
 * @throws {AuthorizationDenied} when no rule fits
 */
export function grantsOf(policy: GrantPolicy, claims: Claims, allWorkflowIds: Iterable<string>): readonly string[] {
  const fitting = policy.rules.filter(({ claim, value }) => holds(claimOf(claims, claim), value));
  if (fitting.length === 0) throw new AuthorizationDenied("no rule of the grant policy fits the caller");
  const granted = fitting.flatMap(({ workflowIds }) => (workflowIds === "all" ? [...allWorkflowIds] : workflowIds));
  return [...new Set(granted)];
}

function claimOf(claims: Claims, claim: string | readonly string[]): unknown {
  const way = typeof claim === "string" ? [claim] : claim;
  return way.reduce<unknown>((found, name) => {
    const isRecord = typeof found === "object" && found !== null && !Array.isArray(found);
    return isRecord && Object.hasOwn(found, name) ? (found as Claims)[name] : undefined;
  }, claims);
}

/** A scope is one text with words between spaces (RFC 8693, section 4.2); groups and roles are lists. */
function holds(claim: unknown, value: string): boolean {
  if (typeof claim === "string") return claim === value || claim.split(" ").includes(value);
  return Array.isArray(claim) && claim.includes(value);
}
