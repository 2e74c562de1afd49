/** For the JSON patches of mutating admission policies; not in other environments. */
import type { CelLibrary } from "../library.ts";
import { stringType } from "../type.ts";
import { stringAt } from "./argument.ts";
import { traversesFirst } from "./cost.ts";
import { functionsOf, plain } from "./declare.ts";

export const jsonPatch: CelLibrary = {
  name: "kubernetes.jsonpatch",
  functions: functionsOf({
    "jsonpatch.escapeKey": [
      plain("string_jsonpatch_escapeKey_string", [stringType], stringType, (args) => escapeKey(stringAt(args, 0)), traversesFirst(1, true)),
    ],
  }),
};

/** So that it can stand in a JSON pointer. */
const escapeKey = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
