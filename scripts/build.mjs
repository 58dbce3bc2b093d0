// `npm run build`: compiles the whole tree into an empty dist.
import { compile } from "./compile.mjs";

try {
  compile();
} catch (error) {
  process.stderr.write(`build failed: ${error.message}\n`);
  process.exitCode = 1;
}
