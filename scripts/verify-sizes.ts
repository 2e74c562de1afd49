/** Fails on files and functions that are too long and on functions of too many parameters. */
import { openProgram } from "./checks/program.ts";
import { report } from "./checks/report.ts";
import { checkFileSize, checkFunctionSizes } from "./checks/sizes.ts";
import { readTree } from "./checks/tree.ts";

using program = openProgram();
const { files } = readTree();
report(
  "sizes",
  [...files].flatMap(([file, text]) => {
    const source = program.sourceFile(file);
    return [...checkFileSize(file, text), ...(source === undefined ? [] : checkFunctionSizes(file, source))];
  }),
);
