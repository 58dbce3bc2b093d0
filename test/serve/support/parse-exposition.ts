/** One sample line of the Prometheus text format. */
export interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ParsedSample[];
}

const samplePattern = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/u;
const labelPattern = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/gu;

interface OpenFamily {
  readonly name: string;
  readonly help: string;
  type: string;
  readonly samples: ParsedSample[];
}

/** Reads the text format 0.0.4 strictly: every sample stands under the HELP and TYPE of its family. */
export function parseExposition(text: string): readonly ParsedFamily[] {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const families: OpenFamily[] = [];
  for (const line of text.slice(0, -1).split("\n")) {
    const help = /^# HELP (\S+) (.*)$/u.exec(line);
    if (help === null) readLine(line, families.at(-1));
    else families.push({ name: help[1] ?? "", help: help[2] ?? "", type: "", samples: [] });
  }
  const names = families.map(({ name }) => name);
  if (new Set(names).size < names.length) throw new Error("a family comes twice");
  return families;
}

/** A line that belongs to the family before it: its type, then its samples. */
function readLine(line: string, family: OpenFamily | undefined): void {
  if (family === undefined) throw new Error(`a line before every family: ${line}`);
  if (family.type !== "") family.samples.push(sampleOf(line, family.name));
  else if (line.startsWith(`# TYPE ${family.name} `)) family.type = line.split(" ").at(-1) ?? "";
  else throw new Error(`the type of ${family.name} was expected: ${line}`);
}

function sampleOf(line: string, family: string): ParsedSample {
  const [, name = "", labels = "", value = ""] = samplePattern.exec(line) ?? [];
  if (!name.startsWith(family)) throw new Error(`not a sample of ${family}: ${line}`);
  const pairs = [...labels.matchAll(labelPattern)];
  if (pairs.map(([whole]) => whole).join("") !== labels) throw new Error(`bad labels: ${line}`);
  const number = value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value);
  if (Number.isNaN(number)) throw new Error(`bad value: ${line}`);
  return { name, labels: Object.fromEntries(pairs.map(([, key = "", text = ""]) => [key, text])), value: number };
}

/** Value of one sample; undefined when there is none. */
export function sampleValue(
  families: readonly ParsedFamily[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = families.flatMap((family) => family.samples);
  const wanted = Object.entries(labels);
  return samples.find((sample) => sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value))
    ?.value;
}
