import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { command, say, SluiceError } from "../../src/base/error.js";
import type { ControlOrder } from "./control-client.js";

export interface ControlCommand {
  readonly kind: "control";
  /** Path of the control socket. */
  readonly socket: string;
  readonly order: ControlOrder;
}

const flags = { control: { type: "string" }, "expected-generation": { type: "string" } } as const;
const hint = say`Run ${command`sluice-serve control --help`} for the three commands.`;

/**
 * Parses `sluice-serve control status|replace DIR|rollback`.
 * @param argv  arguments after `control`
 * @param directory  base of relative paths, because the server may run in another folder
 * @throws {SluiceError} USAGE
 */
export function parseControlArguments(
  argv: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
  directory: string,
): ControlCommand {
  const { values, positionals } = parse(argv);
  const socket = values.control ?? env["SLUICE_SERVE_CONTROL"] ?? "";
  if (socket === "") throw usage("--control is missing");
  const [verb = "", bundle, ...rest] = positionals;
  if (!isVerb(verb)) throw usage(`control: found ${verb}, expected status, replace or rollback`);
  const wantsBundle = verb === "replace";
  if (rest.length > 0 || (bundle !== undefined) !== wantsBundle) {
    throw usage(wantsBundle ? "control replace takes one bundle folder" : `control ${verb} takes no further argument`);
  }
  const generation = values["expected-generation"];
  return { kind: "control", socket, order: orderOf(verb, generation, resolve(directory, bundle ?? "")) };
}

const isVerb = (word: string): word is ControlOrder["kind"] => ["status", "replace", "rollback"].includes(word);

function orderOf(verb: ControlOrder["kind"], generation: string | undefined, bundle: string): ControlOrder {
  switch (verb) {
    case "status":
      return { kind: "status" };
    case "replace":
      return { kind: "replace", bundle, expectedGeneration: generationOf(generation) };
    case "rollback":
      return { kind: "rollback", expectedGeneration: generationOf(generation) };
  }
}

function generationOf(text: string | undefined): number {
  if (text === undefined) throw usage("--expected-generation is missing; control status shows the active generation");
  if (/^[1-9]\d{0,14}$/u.test(text)) return Number(text);
  throw usage(`--expected-generation: found ${text}, expected a whole number of at least 1`);
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: flags, strict: true, allowPositionals: true });
  } catch (cause) {
    throw usage(cause instanceof Error ? cause.message : "the options are not valid");
  }
}

function usage(message: string): SluiceError {
  return new SluiceError("USAGE", message, { hint });
}
