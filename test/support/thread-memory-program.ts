/**
 * A separate process: WORKERS SIZE. Loads a graph with a [SIZE, SIZE] matrix in each thread and prints the
 * resident bytes.
 */
import { InferencePool } from "../../src/inference/pool.js";
import { slowModel } from "./graphs.js";
import { loadGraph, runMatrix } from "./inference.js";

const [workers = 1, size = 1] = process.argv.slice(2).map(Number);
const pool = new InferencePool({ workers, queueLimit: 64 });
const model = await loadGraph(pool, slowModel(size, 1));
const input = { rows: 1, columns: size, values: new Float32Array(size) };
await Promise.all(Array.from({ length: 4 * workers }, () => runMatrix(model, input)));
process.stdout.write(`${process.memoryUsage().rss}\n`);
await pool.close();
