import { compileTypes, type TypeSet } from "@coxswain/machinery";
import { typeFiles } from "../types/all.ts";

/** The built-in types; each is compiled when it is first asked for. */
export const builtinTypes: TypeSet = compileTypes(typeFiles);
