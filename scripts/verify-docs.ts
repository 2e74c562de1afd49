/** Fails where a package exports something without a doc comment, and prints which share of each package's exports has one. */
import { relative } from "node:path";
import { checkDocs, documentedExports } from "./checks/docs.ts";
import { openProgram } from "./checks/program.ts";
import { report } from "./checks/report.ts";
import { readTree, root } from "./checks/tree.ts";

using program = openProgram();
const { files, manifests } = readTree();

const all = [...manifests].flatMap(([name, { entryPoints }]) => {
  const pathOf = (fileName: string): string | undefined => {
    const path = relative(root, fileName);
    // Types that a script writes are no files of the tree; what another package declares counts there.
    return files.has(path) && path.startsWith(`packages/${name}/`) ? path : undefined;
  };
  const exported = entryPoints.flatMap((entry) => {
    const source = program.sourceFile(entry);
    return source === undefined ? [] : documentedExports(source, { checker: program.checker, pathOf });
  });
  return [...new Map(exported.map((one) => [`${one.file}:${one.line} ${one.name}`, one])).values()];
});

for (const [place, list] of Map.groupBy(all, ({ file }) => file.split("/")[1] ?? file)) {
  const documented = list.filter((one) => one.documented).length;
  console.log(`${place}: ${documented} of ${list.length} exports (${Math.floor((100 * documented) / list.length)} %)`);
}
report("docs", checkDocs(all));
