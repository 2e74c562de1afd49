/** The end of a stored object, and of what was reserved for it. */
import type { Entry, WriteResult } from "@coxswain/store";
import type { Admission, AdmissionRequest } from "../contracts/admission.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { namespacedName } from "./namespaced-name.ts";
import type { ObjectWriter } from "./object-writer.ts";

interface RemovalServices {
  readonly cache: ObjectCache;
  readonly admission: Admission;
  readonly writer: ObjectWriter;
}

/** Removes what is still as `entry` has it. @param readAt the resourceVersion that the writer had read */
export async function removeEntry(
  { cache, admission, writer }: RemovalServices,
  ctx: RequestContext,
  entry: Entry,
  readAt: string | undefined,
): Promise<WriteResult> {
  const { resource, user, warnings } = ctx;
  const request: AdmissionRequest = {
    ...{ operation: "delete", resource, subresource: "", ...namespacedName(resource, entry), user, dryRun: false },
    ...{ object: undefined, previous: undefined, warnings },
  };
  if (!admission.reserves(request)) return await writer.remove(ctx, entry, { readAt });
  const removal = { ...request, previous: cache.objectOf(entry) };
  using _reserved = await admission.reserve(removal);
  return await writer.remove(ctx, entry, { readAt, also: admission.chargesOf(removal) });
}
