/** Fails on names that the field does not have, on predicates that return no boolean, and on names of two meanings. */
import { openProgram } from "./checks/program.ts";
import { reportNames } from "./checks/program-checks.ts";
import { readTree } from "./checks/tree.ts";

using program = openProgram();
reportNames(program, readTree());
