import { optional, required } from "../../src/base/options.js";
import type { CommandSpec } from "../command-spec.js";
import { path } from "../../stages/options/kinds.js";
import { createTrustOptions, updateTrustOptions } from "../../stages/options/trust.js";
import { signingOptions } from "./signing-options.js";

export const trustCreateSpec = {
  name: ["trust", "create"],
  describe: "Create a version of the trust policy: who may sign what",
  positionals: {},
  options: createTrustOptions,
  examples: [
    [
      "sluice trust create --principal ann=ann.pub.pem --principal bo=bo.pub.pem --principal cy=cy.pub.pem --producer ann --approver bo --approver cy --expires 365d",
      "one producer, two approvers",
    ],
    [
      "sluice trust create --principal ann=ann.pub.pem --principal bo=bo.pub.pem --producer ann --approver bo --threshold 1 --expires 30d",
      "a trial",
    ],
  ],
} satisfies CommandSpec;

export const trustShowSpec = {
  name: ["trust", "show"],
  describe: "Show who may sign what, and the digest to pin in a deployment",
  positionals: {},
  options: { trust: optional(path, "trust policy; by default trust.json of the workspace") },
  examples: [
    ["sluice trust show", "the policy of the workspace"],
    ["sluice trust show --trust /etc/sluice/trust.json --json", "the policy of a server, as JSON"],
  ],
} satisfies CommandSpec;

export const trustSignSpec = {
  name: ["trust", "sign"],
  describe: "Sign the next version of a trust policy as one of its roots",
  positionals: { file: required(path, "trust policy, or its envelope with the signatures of other roots") },
  options: { out: optional(path, "envelope to write; by default FILE.dsse.json, or FILE itself if it is an envelope") },
  own: signingOptions,
  examples: [
    ["sluice trust sign trust-2.json --key bo", "the first root writes trust-2.json.dsse.json"],
    ["sluice trust sign trust-2.json.dsse.json --key cy", "the second root adds a signature to it"],
  ],
} satisfies CommandSpec;

const { file, ...updating } = updateTrustOptions;

export const trustUpdateSpec = {
  name: ["trust", "update"],
  describe: "Install the next version of the trust policy, signed by the roots of both versions",
  positionals: { file },
  options: updating,
  examples: [
    ["sluice trust update trust-2.json.dsse.json", "the policy of the workspace"],
    [
      "sluice trust update trust-2.json.dsse.json --trust /etc/sluice/trust.json",
      "the policy of a server; restart it afterwards",
    ],
  ],
} satisfies CommandSpec;
