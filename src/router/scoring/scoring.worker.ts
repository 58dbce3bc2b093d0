/**
 * Program of a thread that scores texts with models, index, features and patterns, which keeps this work off the event
 * loop.
 */
import { createWorkerModel } from "../../inference/models/create-worker-model.js";
import { serveThread } from "../../inference/serve-thread.js";
import { ThreadScorer } from "./thread-scorer.js";

serveThread((spec, context) => (spec.kind === "scorer" ? ThreadScorer.create(spec, context) : createWorkerModel(spec)));
