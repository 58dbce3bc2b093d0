import type { CommandSpec } from "./command-spec.js";
import { shellLine } from "./shell-line.js";

/** Where a command works: the project folder and the workspace, as far as the caller chose them. */
export interface CallerPlace {
  /** Folder of the project; "." when none was named. */
  readonly project: string;
  readonly workspace: string;
  /** Whether --workspace itself was given. */
  readonly workspaceGiven: boolean;
}

/** The flags that name a place again; empty where the caller named none. */
export function placeFlags({ project, workspace, workspaceGiven }: CallerPlace): readonly string[] {
  return [...(project === "." ? [] : ["-C", project]), ...(workspaceGiven ? ["--workspace", workspace] : [])];
}

/** A command line of ours inside a sentence: the program and the words behind it. */
const commandLine = /(?<![\w/.@-])sluice((?: [a-z][a-z-]*)+)/g;

/**
 * A sentence whose command lines work at the place of the caller: each one repeats -C and --workspace behind its name,
 * so that a hint can be typed where the failed command was typed.
 */
export function atPlace(text: string, place: CallerPlace, commands: readonly Pick<CommandSpec, "name">[]): string {
  const flags = placeFlags(place);
  if (flags.length === 0) return text;
  const names = new Set(commands.map(({ name }) => name.join(" ")));
  return text.replace(commandLine, (found, following: string) => {
    const words = following.trim().split(" ");
    const length = [2, 1].find((count) => names.has(words.slice(0, count).join(" ")) && words.length >= count);
    if (length === undefined) return found;
    const rest = words.slice(length).map((word) => ` ${word}`);
    return `sluice ${words.slice(0, length).join(" ")} ${shellLine(flags)}${rest.join("")}`;
  });
}
