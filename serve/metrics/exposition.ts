export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Suffix of the family's name, such as `_bucket`, `_sum` or `_count` of a histogram. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
}

export interface MetricFamily {
  /** Letters, digits and underscores; a counter ends in `_total`. */
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly Sample[];
}

export const expositionType = "text/plain; version=0.0.4; charset=utf-8";

/** Families in the text format 0.0.4 of Prometheus. */
export function expositionText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join("");
}

function familyText({ name, help, type, samples }: MetricFamily): string {
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  return (
    head +
    samples
      .map((sample) => `${name}${sample.suffix ?? ""}${labelsText(sample.labels)} ${valueText(sample.value)}\n`)
      .join("")
  );
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escapeHelp = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');

function valueText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
