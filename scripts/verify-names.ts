/** Fails on names that the field does not have, on predicates that return no boolean, and on names of two meanings. */
import { checkAmbiguousNames, checkDeniedNames, checkFileName, checkPredicates, declaredNames } from "./checks/names.ts";
import { openProgram } from "./checks/program.ts";
import { report } from "./checks/report.ts";
import { readTree } from "./checks/tree.ts";

using program = openProgram();
const files = [...readTree().files.keys()];
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
