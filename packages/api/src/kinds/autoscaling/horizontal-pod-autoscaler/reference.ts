import { field, validatePathSegmentName } from "@coxswain/machinery";
import type { CrossVersionObjectReference } from "@coxswain/types/autoscaling-v2";
import { addInvalid, type Errors } from "../../../validation/checks.ts";

/** What an autoscaler points at; its apiVersion is checked elsewhere. */
export function validateReference(out: Errors, path: string, reference: Readonly<CrossVersionObjectReference> | undefined): void {
  for (const part of ["kind", "name"] as const) {
    const value = reference?.[part];
    if (!value) out.push(field.required(`${path}.${part}`));
    else addInvalid(out, `${path}.${part}`, value, validatePathSegmentName(value));
  }
}
