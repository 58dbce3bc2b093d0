import { readFile } from "node:fs/promises";
import { readYaml } from "../../src/router/catalog/read-yaml.js";
import { type GrantPolicy, GrantPolicySchema } from "../../src/documents/grant-policy.js";
import { SluiceError } from "../../src/base/error.js";
import { AuthorizationDenied, type Grant } from "../authorizer.js";

type List = GrantPolicy["rules"][number]["list"];

export type Claims = Readonly<Record<string, string>>;

/** Reads a grant policy from a YAML or JSON file. @throws {SluiceError} PRODUCTION_CONFIGURATION */
export async function readGrantPolicy(path: string): Promise<GrantPolicy> {
  const hint = "Use a file with schema_version and rules; docs/how-to/authorize-callers.md shows one.";
  try {
    const policy = readYaml(GrantPolicySchema, await readFile(path), path);
    for (const { value, list } of policy.rules) requireItem(value, list, path);
    return policy;
  } catch (cause) {
    const why = cause instanceof SluiceError ? cause.message : `${path}: the grant policy cannot be read`;
    throw new SluiceError("PRODUCTION_CONFIGURATION", why, { hint, cause });
  }
}

/** Refuses a value that contains its list's separator, because it could never match. */
function requireItem(value: string, list: List, path: string): void {
  if (splitBy(value, list).length === 1) return;
  throw new SluiceError("DOCUMENT_INVALID", `${path}: the value "${value}" occurs more than once in its list`);
}

/** Grants that are kept; each combination of matching rules is one. */
const mostKept = 100;

/**
 * Collects a caller's grants from every matching rule. Callers whom the same rules match share one list, which is checked
 * once.
 * @returns a function of the claims, and of the ids granted by a rule for all workflows; it throws `AuthorizationDenied`
 *   when no rule matches
 */
export function grantsBy(policy: GrantPolicy): (claims: Claims, allWorkflowIds: Iterable<string>) => Grant {
  const kept = { ids: null as Iterable<string> | null, grants: new Map<string, Grant>() };
  return (claims, allWorkflowIds) => {
    const fitting = policy.rules.filter((rule) => itemsOf(claims, rule).includes(rule.value));
    if (fitting.length === 0) throw new AuthorizationDenied("no rule of the grant policy matches the caller");
    if (kept.ids !== allWorkflowIds || kept.grants.size >= mostKept) kept.grants.clear();
    kept.ids = allWorkflowIds;
    const rules = fitting.map((rule) => policy.rules.indexOf(rule)).join();
    const grant = kept.grants.get(rules) ?? grantOf(fitting, allWorkflowIds);
    kept.grants.set(rules, grant);
    return grant;
  };
}

function grantOf(fitting: GrantPolicy["rules"], allWorkflowIds: Iterable<string>): Grant {
  const granted = fitting.flatMap<string>(({ workflow_ids }) =>
    workflow_ids === "all" ? [...allWorkflowIds] : workflow_ids,
  );
  return { workflowIds: Object.freeze([...new Set(granted)]), events: fitting.some(({ events }) => events === true) };
}

/** The workflow ids that the rules name, each once. */
export function namedWorkflows({ rules }: GrantPolicy): readonly string[] {
  return [...new Set(rules.flatMap(({ workflow_ids }) => (workflow_ids === "all" ? [] : workflow_ids)))];
}

/**
 * Values of a claim. A text is a list only if the rule declares a separator; otherwise callers could choose a name that
 * contains another caller's grants.
 */
function itemsOf(claims: Claims, { claim, list }: GrantPolicy["rules"][number]): readonly string[] {
  const text = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  return text === undefined ? [] : splitBy(text, list);
}

/** The words of a scope are separated by spaces (RFC 8693, section 4.2); proxies join groups with commas. */
function splitBy(text: string, list: List): readonly string[] {
  if (list === undefined) return [text];
  return list === "space" ? text.split(" ") : text.split(",").map(withoutOptionalSpace);
}

/** Removes surrounding spaces and tabs (RFC 9110, section 5.6.3). Any other character is part of the name. */
export const withoutOptionalSpace = (value: string): string => value.replace(/^[ \t]+|[ \t]+$/gu, "");
