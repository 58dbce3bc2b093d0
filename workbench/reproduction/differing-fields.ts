/** A field of a signed document whose derived value differs. */
export interface DifferingField {
  /** Names and positions from the root, joined by dots, e.g. "tiers.low.confidence". */
  readonly path: string;
  /** The text "(absent)" where the document lacks the field. */
  readonly signed: unknown;
  readonly derived: unknown;
}

const absent = "(absent)";

type Branch = Readonly<Record<string, unknown>>;

const isBranch = (value: unknown): value is Branch => typeof value === "object" && value !== null;

/** Every leaf in which two JSON documents differ, in the order of the signed document. */
export function differingFields(signed: unknown, derived: unknown, path = ""): readonly DifferingField[] {
  if (isBranch(signed) && isBranch(derived) && Array.isArray(signed) === Array.isArray(derived)) {
    const names = new Set([...Object.keys(signed), ...Object.keys(derived)]);
    return [...names].flatMap((name) =>
      differingFields(valueOf(signed, name), valueOf(derived, name), path === "" ? name : `${path}.${name}`),
    );
  }
  return Object.is(signed, derived) ? [] : [{ path, signed, derived }];
}

const valueOf = (branch: Branch, name: string): unknown => (Object.hasOwn(branch, name) ? branch[name] : absent);
