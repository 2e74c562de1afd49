/** Fails where a package exports something without a doc comment, and prints which share of each package's exports has one. */
import { openProgram } from "./checks/program.ts";
import { reportDocs } from "./checks/program-checks.ts";
import { readTree } from "./checks/tree.ts";

using program = openProgram();
reportDocs(program, readTree());
