import { defineCommand } from "../command.js";
import { required } from "../options.js";
import { choice } from "../parsers.js";
import { commandResult } from "../result.js";

const shells = ["bash", "zsh", "fish"] as const;

export const completion = defineCommand({
  name: ["completion"],
  describe: "Print the completion script of a shell",
  positionals: { shell: required(choice(...shells), "bash, zsh or fish") },
  options: {},
  examples: [
    ["sluice completion bash", "the script says at its top where to put it"],
    ["sluice completion fish", "with what each word does"],
  ],
  run: async ({ commands }, { shell }) => {
    const { completionModel } = await import("../completion/completion-model.js");
    const { bashScript } = await import("../completion/bash-script.js");
    const { zshScript } = await import("../completion/zsh-script.js");
    const { fishScript } = await import("../completion/fish-script.js");
    const script = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](completionModel(commands));
    return commandResult({
      schema: "completion@1",
      result: { shell, script },
      lines: script.trimEnd().split("\n"),
      verbatim: true,
    });
  },
});
