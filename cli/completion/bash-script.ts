import { type CompletedCommand, type CompletionModel, program } from "./completion-model.js";

/**
 * The completion of bash: verbs, flags, the words that a flag takes, else files. It is one function without a program
 * call, so that a key press costs nothing.
 */
export function bashScript({ first, commands, valued }: CompletionModel): string {
  const verbs = groupVerbs(commands);
  return [
    '# Completion in bash. Install: in ~/.bashrc: eval "$(sluice completion bash)"',
    "_sluice() {",
    '  local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" first="" second="" word skip=""',
    '  for word in "${COMP_WORDS[@]:1:$((COMP_CWORD-1))}"; do',
    '    if [ -n "$skip" ]; then skip=""; continue; fi',
    '    case "$word" in',
    `      ${valued.join("|")}) skip=yes; continue ;;`,
    "      -*) continue ;;",
    "    esac",
    '    if [ -z "$first" ]; then first="$word"; elif [ -z "$second" ]; then second="$word"; fi',
    "  done",
    "  COMPREPLY=()",
    '  local flags="" words=""',
    '  case "$first $second" in',
    ...commands.map(commandCase),
    "  esac",
    '  if [ -z "$first" ]; then',
    `    words="${first.map(({ word }) => word).join(" ")}"`,
    '  elif [ -z "$second" ]; then',
    '    case "$first" in',
    ...[...verbs].map(([noun, own]) => `      ${noun}) words="${own.join(" ")}" ;;`),
    "    esac",
    "  fi",
    '  case "$current" in',
    '    -*) COMPREPLY=($(compgen -W "$flags" -- "$current")); return ;;',
    "  esac",
    '  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$current")); return; fi',
    '  COMPREPLY=($(compgen -f -- "$current"))',
    "}",
    `complete -o filenames -F _${program} ${program}`,
    "",
  ].join("\n");
}

/** Verbs by their noun. */
function groupVerbs(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly string[]> {
  const verbs = new Map<string, readonly string[]>();
  for (const { words } of commands) {
    const [noun = "", verb] = words;
    if (verb !== undefined) verbs.set(noun, [...(verbs.get(noun) ?? []), verb]);
  }
  return verbs;
}

function commandCase({ words, flags, argument }: CompletedCommand): string {
  const pattern = words.length === 1 ? `"${words[0] ?? ""} "*` : `"${words.join(" ")}"`;
  const choices = flags.flatMap(({ name, value }) =>
    value.kind === "words" ? [`        --${name}) words="${value.words.join(" ")}" ;;`] : [],
  );
  return [
    `    ${pattern})`,
    `      flags="${flags.map(({ name }) => `--${name}`).join(" ")}"`,
    ...(argument.length === 0 ? [] : [`      words="${argument.join(" ")}"`]),
    ...(choices.length === 0 ? [] : ['      case "$before" in', ...choices, "      esac"]),
    "      ;;",
  ].join("\n");
}
