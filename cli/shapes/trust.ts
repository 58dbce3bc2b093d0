import type { CommandShape } from "../command-shape.js";
import { optional, preset, repeated, required } from "../options.js";
import { choice, count, duration, name, namedPath, path } from "../parsers.js";
import { signingOptions } from "./signing-options.js";

export const trustCreateShape = {
  name: ["trust", "create"],
  describe: "Write down who may sign what: a version of the trust policy",
  positionals: {},
  options: {
    principal: repeated(namedPath, "a person and a public key; repeat it for every person and key"),
    producer: repeated(name, "a person who may sign manifests"),
    approver: repeated(name, "a person who may approve bundles"),
    threshold: preset(count, "2", "distinct people who must approve, none of them the producer"),
    "require-reproduction": preset(count, "0", "approvals that must state an equal reproduction of the claim"),
    root: repeated(name, "a person who signs the next version of the policy; the approvers when absent"),
    revoker: repeated(name, "a person who may revoke alone; the approvers when absent"),
    "revocation-list": preset(
      choice("optional", "required"),
      "optional",
      "whether nothing verifies without a fresh revocation list",
    ),
    "policy-version": preset(
      count,
      "1",
      "version of the policy; a later one must be signed by the roots of the one before",
    ),
    environment: preset(name, "production", "environment of the approvals"),
    expires: required(duration, "life of the policy and of its keys"),
    "max-approval-days": preset(count, "90", "longest accepted life of an approval"),
    out: optional(path, "file to write; trust.json of the workspace when absent"),
  },
  examples: [
    [
      "sluice trust create --principal ann=ann.pub.pem --principal bo=bo.pub.pem --principal cy=cy.pub.pem --producer ann --approver bo --approver cy --expires 365d",
      "one producer, two approvers",
    ],
    [
      "sluice trust create --principal ann=ann.pub.pem --producer ann --approver ann --threshold 1 --expires 30d",
      "a trial",
    ],
  ],
} satisfies CommandShape;

export const trustShowShape = {
  name: ["trust", "show"],
  describe: "Show who may sign what, and the digest that a deployment pins",
  positionals: {},
  options: { trust: optional(path, "trust policy; trust.json of the workspace when absent") },
  examples: [
    ["sluice trust show", "the policy of the workspace"],
    ["sluice trust show --trust /etc/sluice/trust.json --json", "that of a server, as data"],
  ],
} satisfies CommandShape;

export const trustSignShape = {
  name: ["trust", "sign"],
  describe: "Sign the next version of a trust policy as one of its roots",
  positionals: { file: required(path, "trust policy, or the envelope that other roots signed already") },
  options: {
    ...signingOptions,
    out: optional(path, "envelope to write; FILE.dsse.json, or FILE itself when it is one"),
  },
  examples: [
    ["sluice trust sign trust-2.json --key bo", "the first root writes trust-2.json.dsse.json"],
    ["sluice trust sign trust-2.json.dsse.json --key cy", "the second root adds a signature to it"],
  ],
} satisfies CommandShape;

export const trustUpdateShape = {
  name: ["trust", "update"],
  describe: "Put the next version of the trust policy in force, signed by the roots of the old and of the new one",
  positionals: { file: required(path, "envelope of the next version") },
  options: { trust: optional(path, "trust policy in force; trust.json of the workspace when absent") },
  examples: [
    ["sluice trust update trust-2.json.dsse.json", "the policy of the workspace"],
    [
      "sluice trust update trust-2.json.dsse.json --trust /etc/sluice/trust.json",
      "that of a server, which then restarts",
    ],
  ],
} satisfies CommandShape;
