import { bashScript } from "./bash-script.js";
import type { CompletionModel } from "./completion-model.js";

/** The completion of zsh: that of bash, through the loader that zsh has for it. */
export function zshScript(model: CompletionModel): string {
  const [, ...lines] = bashScript(model).split("\n");
  return [
    "#compdef sluice",
    '# Completion in zsh. Install: in ~/.zshrc: eval "$(sluice completion zsh)"',
    "autoload -U +X compinit && compinit -u",
    "autoload -U +X bashcompinit && bashcompinit",
    ...lines,
  ].join("\n");
}
