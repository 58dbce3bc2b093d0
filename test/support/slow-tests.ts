/**
 * Test files that `npm test` leaves to `npm run test:slow`, by their path below test/ without `.test.ts`, or by their
 * folder with a slash; each with what makes it slow. Every other file is fast, so a new file runs in `npm test` until it
 * is named here, and `npm run test:all` runs all of them.
 */
export const slowTests: Readonly<Record<string, string>> = {
  "architecture/public-types": "compiles programs against the published declarations",
  "calibrate/claims": "repeats certification over simulated worlds",
  "calibrate/guarantee/": "repeats certification over simulated worlds",
  "calibrate/rising-risk": "repeats certification over simulated worlds",
  "cli/full-disk": "mounts file systems and fills them up",
  "cli/interruption": "interrupts whole programs",
  "cli/model-fit": "fits models",
  "cli/reproduce": "signs five bundles and scores a dataset twice",
  "client/docs": "compiles and runs the examples of the client",
  "deploy/": "renders the deployment files and runs external tools",
  "e2e/": "runs whole programs, as users would",
  "models/": "scores the shipped dataset with the shipped models",
  "reports/explorer/explorer-in-browser": "starts a browser",
  "reports/pages/pages-in-browser": "starts a browser",
  "reports/release/release-in-browser": "starts a browser",
  "reports/report-in-browser": "starts a browser",
  "serve/pages/pages-in-browser": "starts a browser",
  "src/trust/crash": "kills programs while they write",
  "src/inference/pool-close": "ends programs while models load and run",
  "src/inference/pool-deadline": "replaces inference threads that hang",
  "src/inference/pool-failure": "replaces inference threads that fail",
  "src/router/retrieval/clinc150": "ranks a published dataset",
  "cli/eval-shards": "runs and interrupts whole programs",
  "stages/history/exchange": "kills programs while they write",
  "store/history/kill": "kills programs while they write",
  "stages/score/queue/": "starts Redis, and kills it and workers",
};

/** Whether a test file, by its path below test/, is slow. */
export function isSlow(file: string): boolean {
  const name = file.replace(/\.test\.[jt]s$/, "");
  return Object.keys(slowTests).some((slow) => (slow.endsWith("/") ? name.startsWith(slow) : name === slow));
}
