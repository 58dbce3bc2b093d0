import { defineCommand } from "../command.js";
import { decisionOptions, signDecision } from "./approval/sign-decision.js";

export const reject = defineCommand({
  name: ["reject"],
  describe: "Read the summary of a bundle, then sign that it must not serve",
  positionals: {},
  options: decisionOptions,
  examples: [
    ["sluice reject --approver bo --key bo --reason unclear", "the latest bundle; asks for a confirmation"],
    ["sluice reject --bundle 3f9c01ab --approver bo --key bo --yes --passphrase-file bo.pass", "for scripts"],
  ],
  run: (context, args) => signDecision(context, args, "reject"),
});
