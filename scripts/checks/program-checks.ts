/** The checks that need the program, on one that is loaded already, so that several share it. */
import { relative } from "node:path";
import { checkDocs, documentedExports } from "./docs.ts";
import type { Tree } from "./layers.ts";
import { checkAmbiguousNames, checkDeniedNames, checkFileName, checkPredicates, declaredNames } from "./names.ts";
import type { Program } from "./program.ts";
import { report } from "./report.ts";
import { checkFileSize, checkFunctionSizes } from "./sizes.ts";
import { root } from "./tree.ts";

/** Reports files and functions that are too long and functions of too many parameters. */
export function reportSizes(program: Program, { files }: Tree): void {
  report(
    "sizes",
    [...files].flatMap(([file, text]) => {
      const source = program.sourceFile(file);
      return [...checkFileSize(file, text), ...(source === undefined ? [] : checkFunctionSizes(file, source))];
    }),
  );
}

/** Reports names that the field does not have, predicates that return no boolean, and names of two meanings. */
export function reportNames(program: Program, tree: Tree): void {
  const files = [...tree.files.keys()];
  const names = files.flatMap((file) => {
    const source = program.sourceFile(file);
    return source === undefined ? [] : declaredNames(file, source);
  });
  report("names", [
    ...files.flatMap(checkFileName),
    ...checkDeniedNames(names),
    ...checkPredicates(names, program.checker),
    ...checkAmbiguousNames(names),
  ]);
}

/** Reports exports of a package without a doc comment, and prints which share of each package's exports has one. */
export function reportDocs(program: Program, { files, manifests }: Tree): void {
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
}
