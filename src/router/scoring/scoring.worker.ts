/** A thread that scores texts: models, index, evidence and patterns, so that the event loop does none of this work. */
import { createWorkerModel } from "../../inference/models/create-worker-model.js";
import { serveThread } from "../../inference/serve-thread.js";
import { ThreadScorer } from "./thread-scorer.js";

serveThread((spec, context) => (spec.kind === "scorer" ? ThreadScorer.create(spec, context) : createWorkerModel(spec)));
