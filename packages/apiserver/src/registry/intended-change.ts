/** What an update, a patch or an apply would have made of the version that its writer had read. */
import type { KubeObject } from "@coxswain/machinery";
import type { RequestContext } from "../contracts/request-context.ts";
import type { Change } from "./change.ts";
import { filterOf } from "./field-management.ts";
import type { Comparands, IntendedChange } from "./stale-write.ts";

/** `next`: what `change` made of `current`. */
export function intendedChange(
  { info, resource }: RequestContext,
  change: Change,
  next: Readonly<KubeObject>,
  current: Readonly<KubeObject>,
): IntendedChange {
  const saysAll = info.verb === "update" && (change.part === "main" || change.part === "status");
  const onCurrent: Comparands = [current, next];
  return {
    filter: filterOf(resource, info.subresource),
    onCurrent,
    compare(read, managed) {
      if (saysAll) return [read, next];
      // A patch may suit only what is there now, as one with a test does.
      return new Promise<Comparands[1]>((resolve) => resolve(change.next(read, managed()))).then(
        (made): Comparands => [read, made],
        () => onCurrent,
      );
    },
  };
}
