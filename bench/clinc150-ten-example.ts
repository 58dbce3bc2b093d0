/**
 * Lexical retrieval on CLINC150 with ten examples per workflow and the five published seeds.
 * usage: npx tsc -b bench && node dist/bench/clinc150-ten-example.js   (needs ../shared; about 20 seconds)
 */
import {
  deviation,
  mean,
  publishedSeeds,
  type RetrievalResult,
  tenExampleRetrieval,
} from "../test/support/clinc150.js";

const percent = (share: number): string => (100 * share).toFixed(2).padStart(6);
const line = (name: string, ...cells: readonly string[]): string => [name.padEnd(10), ...cells].join("  ");
const print = (text: string): unknown => process.stdout.write(`${text}\n`);

const results: RetrievalResult[] = [];
print(line("seed", " top-1", "recall@5"));
for (const seed of publishedSeeds) {
  const result = await tenExampleRetrieval(seed);
  results.push(result);
  print(line(String(seed), percent(result.top1), percent(result.recallAt5)));
}
const top1 = results.map((result) => result.top1);
const recallAt5 = results.map((result) => result.recallAt5);
print(line("mean", percent(mean(top1)), percent(mean(recallAt5))));
print(line("sd", percent(deviation(top1)), percent(deviation(recallAt5))));
print(`${results[0]?.requests ?? 0} test requests of 150 workflows per seed`);
