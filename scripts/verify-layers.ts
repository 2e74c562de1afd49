/** Fails with file, line and rule where a source breaks layers.json. `--package NAME` shows all that concerns one package. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareKnown, countBy } from "./checks/findings.ts";
import { checkLayers, isTest, type LayerRules } from "./checks/layers.ts";
import { checkPackageLayers, type LayerFinding } from "./checks/package-layers.ts";
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
  for (const { file, line, rule } of [...checkLayers(rules, tree), ...inside.filter(({ kind }) => kind === "place")]) {
    fail(`${file}:${line}: ${rule}`);
  }
  compare("circle", rules.known?.circles ?? {});
  compare("arrow", rules.known?.arrows ?? {});
} else {
  const files = new Map([...tree.files].filter(([file]) => file.startsWith(`packages/${values.package}/src/`) && !isTest(rules, file)));
  console.log(showPackage(values.package, files, inside));
}

function compare(kind: LayerFinding["kind"], known: Readonly<Record<string, number>>): void {
  const findings = inside.filter((finding) => finding.kind === kind);
  const { more, fewer } = compareKnown(
    known,
    countBy(findings, (finding) => finding.package),
  );
  for (const { place, known, found } of more) {
    for (const { package: name, file, line, rule } of findings) if (name === place) console.error(`${file}:${line}: ${rule}`);
    fail(
      `${place}: ${found} imports with the finding "${kind}", layers.json knows ${known}; --package ${place} shows the circles in groups`,
    );
  }
  for (const { place, known, found } of fewer) console.log(`${place}: lower known.${kind}s in layers.json from ${known} to ${found}`);
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
