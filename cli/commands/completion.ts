import type { WorkOf } from "../command.js";
import type { completionShape } from "../shapes/project.js";
import { completionModel } from "../completion/completion-model.js";
import { bashScript } from "../completion/bash-script.js";
import { zshScript } from "../completion/zsh-script.js";
import { fishScript } from "../completion/fish-script.js";

export const completion: WorkOf<typeof completionShape> = async ({ commands }, { shell }) => {
  const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](completionModel(commands));
  return {
    result: { shell, script },
    lines: script.trimEnd().split("\n"),
    verbatim: true,
  };
};
