import { fuzzedForms, fuzzOne } from "../test/support/fuzzed-sources.js";

/**
 * Reads many intact and damaged files of each format and counts failures: a row that is neither read nor reported, a
 * crash, or a file that takes longer than two seconds for each megabyte.
 *
 *   node dist/bench/fuzz-sources.js [FILES]   (of all formats together)
 */
const files = Math.ceil(Number(process.argv[2] ?? 20_000) / fuzzedForms.length);

for (const form of fuzzedForms) {
  const started = performance.now();
  const faults = [];
  let slowest = 0;
  for (let seed = 1; seed <= files; seed += 1) {
    const before = performance.now();
    const fault = await fuzzOne(form, seed, () => process.cpuUsage().user / 1000);
    slowest = Math.max(slowest, performance.now() - before);
    if (fault !== null) faults.push(fault);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const memory = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(
    `${form.padEnd(14)} ${files} files, ${faults.length} faults, ${seconds} s, slowest ${Math.round(slowest)} ms, ${memory} MiB\n`,
  );
  for (const { seed, fault } of faults.slice(0, 5)) process.stdout.write(`  seed ${seed}: ${fault}\n`);
}
