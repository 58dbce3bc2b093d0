import { type Invocation, lineOf, shellLine, type Text, textOf } from "../src/base/invocation.js";

/** How the running command was called, which the commands printed for its caller repeat. */
export interface Caller {
  /** Folder of the project. Default ".". */
  readonly project: string;
  readonly workspace: string;
  readonly workspaceGiven: boolean;
  /** The words after `sluice` if the command is `init`, else null. */
  readonly initWords: readonly string[] | null;
}

/** An option whose values add up, so that those of the caller stay. */
const additive = "--out-of-scope-label";

/**
 * A command as the caller can run it: in the same folder and workspace. `init FILE` within `init` becomes the caller's
 * own command line with the added options, which replace the same options of the caller.
 */
export function asCalled({ command, args }: Invocation, caller: Caller): Invocation {
  const [name, source, ...added] = args;
  if (caller.initWords !== null && name === "init" && source === "FILE") {
    const options = added.filter((word) => word.startsWith("--") && word !== additive);
    const kept = caller.initWords.filter(
      (word, index, words) =>
        !options.some((option) => word === option || word.startsWith(`${option}=`) || words[index - 1] === option),
    );
    return { command, args: [...kept, ...added] };
  }
  // A new project has a folder of its own.
  const isElsewhere = command !== "sluice" || args.includes("--into") || args.includes("--help");
  const project = caller.project === "." || args.includes("-C") ? [] : ["-C", caller.project];
  const workspace = caller.workspaceGiven ? ["--workspace", caller.workspace] : [];
  return { command, args: isElsewhere ? args : [...args, ...project, ...workspace] };
}

/** The text with each command as its caller can run it. */
export const toCaller = (text: Text, caller: Caller): Text =>
  [text].flat().map((part) => (typeof part === "string" ? part : asCalled(part, caller)));

/**
 * Prints a text, in a process started by npm with the prefix npx for each command, because programs of a locally
 * installed package are not on the path.
 * @param env  npm sets `npm_command` for what it starts
 */
export function printed(text: Text, env: Readonly<Record<string, string | undefined>>): string {
  const prefix = env["npm_command"] === undefined ? "" : "npx ";
  return textOf(text, (invocation) => `${prefix}${lineOf(invocation)}`);
}

/**
 * A curl command that sends a route request to a running server.
 * @param data  the body, or `@` followed by a file name
 */
export function curlLine(address: string, data: string): string {
  return shellLine(["curl", "-s", `${address}/v1/route`, "-H", "content-type: application/json", "-d", data]);
}
