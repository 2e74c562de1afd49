/** Fails with file, line and rule where a source breaks layers.json. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkLayers, type LayerRules } from "./checks/layers.ts";
import { readTree, root } from "./checks/tree.ts";

const rules = JSON.parse(readFileSync(join(root, "layers.json"), "utf8")) as LayerRules;
const violations = checkLayers(rules, readTree());
for (const { file, line, rule } of violations) console.error(`${file}:${line}: ${rule}`);
process.exitCode = violations.length === 0 ? 0 : 1;
