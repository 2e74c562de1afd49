/** Checks sizes, names and docs with one load of the program, as `npm run verify` does. */
import { openProgram } from "./checks/program.ts";
import { reportDocs, reportNames, reportSizes } from "./checks/program-checks.ts";
import { readTree } from "./checks/tree.ts";

using program = openProgram();
const tree = readTree();
reportSizes(program, tree);
reportNames(program, tree);
reportDocs(program, tree);
