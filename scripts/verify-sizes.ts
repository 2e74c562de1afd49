/** Fails on files and functions that are too long and on functions of too many parameters. */
import { openProgram } from "./checks/program.ts";
import { reportSizes } from "./checks/program-checks.ts";
import { readTree } from "./checks/tree.ts";

using program = openProgram();
reportSizes(program, readTree());
