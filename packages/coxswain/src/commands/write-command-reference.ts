/** Writes docs/reference/command.md anew. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { commandReference, referenceFile } from "./command-reference.ts";

mkdirSync(dirname(referenceFile), { recursive: true });
writeFileSync(referenceFile, commandReference());
