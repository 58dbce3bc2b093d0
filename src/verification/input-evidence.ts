import type { ResolvableInput, Workflow } from "../domain/catalog.js";
import type { TimeLeft } from "../inputs/bounded-text.js";
import type { InputPatterns } from "../inputs/input-patterns.js";

/** Pattern matches of a catalog in a text, shape (workflows) each. */
export interface FoundInputs {
  /** Required inputs whose pattern matches. */
  readonly requiredFound: Float64Array;
  /** How telling the matching inputs are: the sum of -ln(share of workflows with the same pattern). */
  readonly rarity: Float64Array;
}

/** An input with a pattern, as one workflow declares it. */
interface DeclaredInput {
  readonly workflow: number;
  readonly required: boolean;
}

/** One distinct pattern with every declaration of it. */
interface SharedPattern {
  readonly rarity: number;
  readonly declarations: readonly DeclaredInput[];
}

/** Looks for every distinct pattern of a catalog in a text. */
export class InputEvidence {
  /** Required inputs of each workflow, with or without a pattern. */
  readonly required: Float64Array;
  private readonly patterns: InputPatterns;
  private readonly distinct: ReadonlyMap<string, SharedPattern>;

  constructor(workflows: readonly Workflow[], patterns: InputPatterns) {
    this.required = Float64Array.from(workflows, (workflow) => workflow.requiredInputs.length);
    this.patterns = patterns;
    this.distinct = distinctPatterns(workflows, patterns);
  }

  /** Writes what is found. @throws {SluiceError} PATTERNS_TIMED_OUT: evidence is whole or not there, so that equal texts give equal evidence */
  write(text: string, timeLeft: TimeLeft, { requiredFound, rarity }: FoundInputs): void {
    requiredFound.fill(0);
    rarity.fill(0);
    for (const pattern of this.patterns.found(text, timeLeft)) {
      const shared = this.distinct.get(pattern);
      for (const { workflow, required } of shared?.declarations ?? []) {
        rarity[workflow] += shared?.rarity ?? 0;
        if (required) requiredFound[workflow] += 1;
      }
    }
  }
}

function distinctPatterns(workflows: readonly Workflow[], patterns: InputPatterns): ReadonlyMap<string, SharedPattern> {
  const byPattern = new Map<string, { input: ResolvableInput; declarations: DeclaredInput[] }>();
  const declare = (input: ResolvableInput, declaration: DeclaredInput): void => {
    if (input.pattern === null) return;
    const known = byPattern.get(input.pattern);
    if (known === undefined) byPattern.set(input.pattern, { input, declarations: [declaration] });
    else known.declarations.push(declaration);
  };
  for (const [workflow, { requiredInputs, optionalInputs }] of workflows.entries()) {
    for (const input of requiredInputs) declare(input, { workflow, required: true });
    for (const input of optionalInputs) declare(input, { workflow, required: false });
  }
  return new Map(
    [...byPattern].map(([pattern, { input, declarations }]) => [
      pattern,
      { declarations, rarity: -Math.log(patterns.commonness(input)) },
    ]),
  );
}
