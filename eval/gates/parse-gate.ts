import { command, say, SluiceError } from "../../src/base/error.js";
import { namedGates } from "../../src/documents/choices.js";
import { comparesRuns, gateMetrics, hasNoInterval } from "./gate-metrics.js";

/** A number against a bar, e.g. `selective_risk.upper<=0.05` or `coverage>=A-0.02`. */
export interface BarRule {
  readonly kind: "bar";
  readonly text: string;
  readonly metric: string;
  /** Which part is compared: the number itself or an end of its interval. */
  readonly part: "value" | "lower" | "upper";
  readonly operator: "<=" | ">=" | "<" | ">";
  /** The bar is `factor * A + offset`, where A is the same number of the first run. Factor 0: a plain number. */
  readonly factor: number;
  readonly offset: number;
}

type NamedGate = keyof typeof namedGates;

/** A condition that a run must meet. */
export type GateRule = BarRule | { readonly kind: NamedGate; readonly text: string };

const isNamed = (text: string): text is NamedGate => Object.hasOwn(namedGates, text);

export const needsBaseline = (rule: GateRule): boolean =>
  rule.kind === "no_regression" || (rule.kind === "bar" && (rule.factor !== 0 || comparesRuns(rule.metric)));

const number = String.raw`\d+(?:\.\d+)?(?:e-?\d+)?`;
const form = new RegExp(
  `^(?<name>[a-z0-9_]+(?:\\.[a-z_]+)*?)(?:\\.(?<part>lower|upper))?(?<operator><=|>=|<|>)(?:(?<plain>-?${number})|A(?:(?<sign>[+*-])(?<by>${number}))?)$`,
);

/**
 * Parses a gate: `certified`, `no_regression`, or a metric of the run (optionally with `.lower` or `.upper`), an
 * operator, and a bar. The bar is a number, or `A`, `A+x`, `A-x`, `A*x` where A is the same number of the first run or
 * baseline. White space is ignored.
 * @throws {SluiceError} USAGE
 */
export function parseGate(text: string): GateRule {
  const compact = text.replace(/\s/g, "");
  if (isNamed(compact)) return { kind: compact, text };
  const groups = form.exec(compact)?.groups;
  if (groups === undefined) {
    throw new SluiceError(
      "USAGE",
      `--gate: found "${text}", expected METRIC>=NUMBER, METRIC<=NUMBER, METRIC>=A-NUMBER with A for the value of the baseline, ${Object.keys(namedGates).join(" or ")}`,
      {
        hint: "Examples: --gate 'coverage>=0.4', --gate 'selective_risk.upper<=0.05', --gate 'coverage>=A-0.02'",
      },
    );
  }
  const { name = "", part = "value", operator, plain, sign, by } = groups;
  requireBar({ name, part, plain });
  return {
    kind: "bar",
    text,
    metric: name,
    part: part as BarRule["part"],
    operator: operator as BarRule["operator"],
    ...barOf(plain, sign, Number(by ?? 0)),
  };
}

function requireBar({
  name,
  part,
  plain,
}: {
  readonly name: string;
  readonly part: string;
  readonly plain?: string | undefined;
}): void {
  if (!gateMetrics.includes(name)) {
    throw new SluiceError("USAGE", `--gate: found no metric "${name}"`, {
      hint: `Use one of ${gateMetrics.join(", ")}.`,
    });
  }
  const mayBeNegative = comparesRuns(name) && !hasNoInterval(name);
  if (plain?.startsWith("-") === true && !mayBeNegative) {
    throw new SluiceError("USAGE", `--gate: "${name}" is never below 0, expected a value of at least 0`, {
      hint: `Example: --gate '${name}>=0'`,
    });
  }
  if (comparesRuns(name) && (plain === undefined || (part !== "value" && hasNoInterval(name)))) {
    throw new SluiceError("USAGE", `--gate: "${name}" already compares both runs, expected a plain number`, {
      hint: say`Example: ${command`sluice eval compare A B --gate ${`${name}<=10`}`}`,
    });
  }
}

function barOf(plain: string | undefined, sign: string | undefined, by: number): Pick<BarRule, "factor" | "offset"> {
  if (plain !== undefined) return { factor: 0, offset: Number(plain) };
  if (sign === "*") return { factor: by, offset: 0 };
  return { factor: 1, offset: sign === "-" ? -by : by };
}
