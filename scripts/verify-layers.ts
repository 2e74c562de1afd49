/** Fails with file, line and rule where a source breaks layers.json. `--package NAME` shows all that concerns one package. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkLayers, isTest, type LayerRules } from "./checks/layers.ts";
import { checkPackageLayers } from "./checks/package-layers.ts";
import { showPackage } from "./checks/show-package.ts";
import { readTree, root } from "./checks/tree.ts";

const rules = JSON.parse(readFileSync(join(root, "layers.json"), "utf8")) as LayerRules;
const tree = readTree();
const { values } = parseArgs({ options: { package: { type: "string" } } });
const tables = new Map(
  Object.entries(rules.packages).flatMap(([name, { layers }]) => (layers === undefined ? [] : [[name, layers] as const])),
);
const entryPoints = new Set([...tree.manifests.values()].flatMap((manifest) => manifest.entryPoints));
const inside = checkPackageLayers({ tables, entryPoints, isTest: (file) => isTest(rules, file) }, tree.files);

if (values.package === undefined) {
  const findings = [...checkLayers(rules, tree), ...inside];
  for (const { file, line, rule } of findings) console.error(`${file}:${line}: ${rule}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
} else {
  const files = new Map([...tree.files].filter(([file]) => file.startsWith(`packages/${values.package}/src/`) && !isTest(rules, file)));
  console.log(showPackage(values.package, files, inside));
}
