import { createWorkerModel } from "./models/create-worker-model.js";
import { serveThread } from "./serve-thread.js";

serveThread((spec) => createWorkerModel(spec));
