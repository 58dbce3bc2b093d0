import { RE2JS } from "re2js";
import type { Catalog, ResolvableInput, Workflow } from "../domain/catalog.js";

/** Compiled patterns of a catalog, one per distinct pattern text; linear-time matching (RE2). */
export interface InputPatterns {
  /** Value of the input in the text, null when the pattern does not match or there is none. */
  find(input: ResolvableInput, text: string): string | null;
  /** Share of the catalog's workflows that declare this very pattern, in (0, 1]; 1 for an input without one. */
  commonness(input: ResolvableInput): number;
}

const inputsOf = (workflow: Workflow): readonly ResolvableInput[] => [
  ...workflow.requiredInputs,
  ...workflow.optionalInputs,
];

/** Compiles every pattern of a catalog that `parseCatalog` accepted. */
export function compileInputPatterns(catalog: Catalog): InputPatterns {
  const compiled = new Map<string, RE2JS>();
  const declaredBy = new Map<string, number>();
  for (const workflow of catalog.workflows) {
    const own = new Set(inputsOf(workflow).flatMap((input) => (input.pattern === null ? [] : [input.pattern])));
    for (const pattern of own) {
      declaredBy.set(pattern, (declaredBy.get(pattern) ?? 0) + 1);
      if (!compiled.has(pattern)) compiled.set(pattern, RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE));
    }
  }
  return {
    find(input, text) {
      const regex = input.pattern === null ? undefined : compiled.get(input.pattern);
      if (regex === undefined) return null;
      const matcher = regex.matcher(text);
      if (!matcher.find()) return null;
      const named = "value" in regex.namedGroups() ? matcher.group("value") : matcher.group();
      return named === null || named === undefined || named === "" ? null : named;
    },
    commonness(input) {
      if (input.pattern === null) return 1;
      return (declaredBy.get(input.pattern) ?? 1) / catalog.workflows.length;
    },
  };
}
