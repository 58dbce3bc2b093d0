/** Client of the routing service for Node and browsers. It has no dependencies and uses no built-in module of Node. */
export { SluiceClient, type CallOptions, type ClientOptions } from "./client.js";
export type { ClientClock } from "./client.js";
export type {
  Answer,
  AskBetween,
  Candidate,
  Clarify,
  Declined,
  Lineage,
  ReasonCode,
  RiskTier,
  Routed,
  ShortlistedWorkflow,
} from "./answer.js";
export type { Fetch, FetchInit, FetchReply } from "./fetch.js";
export type { Health } from "./client.js";
export { NoAnswer, type NoAnswerReason } from "./problem.js";
export { type FieldFault, Problem, type ProblemCode } from "./problem.js";
export type { RouteRequest } from "./request.js";
export type { Shortlist } from "./shortlist.js";
