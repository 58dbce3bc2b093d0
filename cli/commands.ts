import type { Command } from "./command.js";
import { catalogCheck } from "./commands/catalog/check.js";
import { catalogShow } from "./commands/catalog/show.js";
import { doctor } from "./commands/doctor.js";

/** Every command, in the order of the help text. */
export const commands: readonly Command[] = [doctor, catalogCheck, catalogShow];
