/** What an update, a patch or an apply would have made of the version that its writer had read. */
import type { KubeObject } from "@coxswain/machinery";
import type { RequestContext } from "../context.ts";
import { filterOf } from "../registry/field-management.ts";
import type { Change } from "../registry/update.ts";
import type { Intent } from "./stale-write.ts";

/** `next`: what `change` made of `current`. */
export function updateIntent(
  { info, resource }: RequestContext,
  change: Change,
  next: Readonly<KubeObject>,
  current: Readonly<KubeObject>,
): Intent {
  const saysAll = info.verb === "update" && (change.part === "main" || change.part === "status");
  return {
    filter: filterOf(resource, info.subresource),
    async compare(read, managed) {
      if (saysAll) return [read, next];
      try {
        return [read, await change.next(read, managed())];
      } catch {
        // A patch that only suits what is there now, as one with a test.
        return [current, next];
      }
    },
  };
}
