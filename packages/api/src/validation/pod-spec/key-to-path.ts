import type { KeyToPath } from "@coxswain/types/core-v1";
import { type Errors, requiredText } from "../checks.ts";
import { fileMode, nonReservedPath } from "../paths.ts";

/** Which keys of a ConfigMap or Secret become files, and where. */
export function validateItems(out: Errors, path: string, items: readonly KeyToPath[] | undefined): void {
  items?.forEach((item, i) => {
    requiredText(out, `${path}[${i}].key`, item.key);
    requiredText(out, `${path}[${i}].path`, item.path);
    nonReservedPath(out, `${path}[${i}].path`, item.path ?? "");
    fileMode(out, `${path}[${i}].mode`, item.mode);
  });
}
