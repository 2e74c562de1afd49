import { type Clock, deepEqual, type KubeObject, type RandomSource } from "@coxswain/machinery";
import type { ModifyOptions, ResourceClient, Target } from "../contracts/client.ts";
import { retryOnConflict } from "../retry/retry-on-conflict.ts";

export interface Modification<T extends KubeObject> {
  readonly target: Target;
  readonly change: (draft: T) => T | void | Promise<T> | Promise<void>;
  readonly opts: ModifyOptions;
}

/** Reads, changes and writes an object until no conflict comes in between: what `ResourceClient.modify` does. */
export function modifyObject<T extends KubeObject>(
  client: Pick<ResourceClient<T>, "get" | "update" | "updateStatus">,
  { clock, random }: { readonly clock: Clock; readonly random: RandomSource },
  { target, change, opts: { subresource, retry, ...opts } }: Modification<T>,
): Promise<T> {
  const { signal } = opts;
  const attempt = async (): Promise<T> => {
    const current = await client.get(target, { signal });
    const draft = structuredClone(current);
    const wanted = (await change(draft)) ?? draft;
    if (deepEqual(wanted, current)) return current;
    return subresource === "status" ? client.updateStatus(wanted, opts) : client.update(wanted, opts);
  };
  return retryOnConflict(attempt, { ...retry, clock, random, signal });
}
