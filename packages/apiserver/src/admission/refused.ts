import { forbidden, type StatusError } from "@coxswain/machinery";
import type { AdmissionRequest } from "../contracts/admission.ts";

/** Names the object as it was sent: one that is to get a name has only the beginning of it by now. */
export function refused({ resource, name, object }: Pick<AdmissionRequest, "resource" | "name" | "object">, why: string): StatusError {
  const { metadata } = object ?? {};
  return forbidden(resource.groupResource, name || metadata?.name || metadata?.generateName || "Unknown!", why);
}
