import type { CommandSpec } from "./command-spec.js";
import { shellLine } from "./shell-line.js";

export interface CallerPlace {
  /** Folder of the project. Default ".". */
  readonly project: string;
  readonly workspace: string;
  readonly workspaceGiven: boolean;
}

/** The flags that select the same place; empty if the caller chose none. */
export function placeFlags({ project, workspace, workspaceGiven }: CallerPlace): readonly string[] {
  return [...(project === "." ? [] : ["-C", project]), ...(workspaceGiven ? ["--workspace", workspace] : [])];
}

/** A `sluice` command line in a sentence: the program and the words that follow. */
const commandLine = /(?<![\w/.@-])sluice((?: [a-z][a-z-]*)+)/g;

/**
 * Adds -C and --workspace to the command lines in a sentence, unless they have them, so that a hint can be run in the
 * same folder as the failed command.
 */
export function atPlace(text: string, caller: CallerPlace, commands: readonly Pick<CommandSpec, "name">[]): string {
  const flags = placeFlags(caller);
  if (flags.length === 0) return text;
  const names = new Set(commands.map(({ name }) => name.join(" ")));
  const place = shellLine(flags);
  return text.replace(commandLine, (found, following: string, at: number) => {
    const [own = ""] = text.slice(at + found.length).split(/\bsluice /);
    if (own.includes(place)) return found;
    const words = following.trim().split(" ");
    const length = [2, 1].find((count) => names.has(words.slice(0, count).join(" ")) && words.length >= count);
    if (length === undefined) return found;
    // A new project has a folder of its own.
    if (words[0] === "init" && own.includes(" --into ")) return found;
    const rest = words.slice(length).map((word) => ` ${word}`);
    return `sluice ${words.slice(0, length).join(" ")} ${place}${rest.join("")}`;
  });
}

/** The command line of a hint of `init`, with a placeholder for the source, and the options that it adds. */
const initLine = /sluice init FILE ((?:--[a-z-]+(?: "[^"]*")?(?: (?=--))?)+)/g;

/** An option whose values add up, so that those of the caller stay. */
const additive = "--out-of-scope-label";

/**
 * Replaces the command lines in a hint of `init` by the caller's own command line and the added options, which replace
 * the same options of the caller.
 * @param argv  the words after `sluice`
 */
export function asGiven(text: string, argv: readonly string[]): string {
  return text.replace(initLine, (_, added: string) => {
    const options = (added.match(/(?<!\S)--[a-z-]+/g) ?? []).filter((option) => option !== additive);
    const kept = argv.filter(
      (word, index) =>
        !options.some((option) => word === option || word.startsWith(`${option}=`) || argv[index - 1] === option),
    );
    return `${shellLine(["sluice", ...kept])} ${added}`;
  });
}
