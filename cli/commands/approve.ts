import { defineCommand } from "../command.js";
import { decisionOptions, signDecision } from "./approval/sign-decision.js";

export const approve = defineCommand({
  name: ["approve"],
  describe: "Read the summary of a bundle, then sign that it may serve",
  positionals: {},
  options: decisionOptions,
  examples: [
    ["sluice approve --approver bo --key bo", "the latest bundle; asks for a confirmation"],
    ["sluice approve --bundle 3f9c01ab --approver bo --key bo --yes --passphrase-file bo.pass", "for scripts"],
  ],
  run: (context, args) => signDecision(context, args, "approve"),
});
