/** A writer that follows a plan, through a client with faults, and records the answers. */
import {
  type Client,
  ConnectionError,
  configMaps,
  createExpectations,
  type InformerSet,
  isConflict,
  isNotFound,
  retryOnConflict,
  StatusError,
  sleep,
} from "@coxswain/client";
import fc from "fast-check";
import { type ConfigMap, type Delivered, versionOf } from "./history.ts";

export type Act = { readonly name: string } & (
  | { readonly do: "create" | "modify" | "retry" | "update" | "patch" | "get" | "cached" | "delete" }
  /** In seconds. */
  | { readonly do: "wait"; readonly s: number }
);

const names = fc.constantFrom("a", "b", "c");
export const acts = fc.array(
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({ name: names, do: fc.constantFrom("create", "modify", "retry", "update", "patch", "patch", "get", "cached") }),
    },
    { weight: 1, arbitrary: fc.record({ name: names, do: fc.constant("delete" as const) }) },
    { weight: 1, arbitrary: fc.record({ name: names, do: fc.constant("wait" as const), s: fc.integer({ min: 1, max: 700 }) }) },
  ),
  { minLength: 1, maxLength: 12, size: "max" },
) as fc.Arbitrary<readonly Act[]>;

export interface Setting {
  readonly by: string;
  readonly client: Client;
  readonly informers: InformerSet;
  /** Counts whatever happens in the test. */
  readonly next: () => number;
  readonly delivered: Delivered[];
}

/** With every other write it is one of those that some watch. */
const withToken = (object: ConfigMap, token: string): ConfigMap => {
  const data = { ...object.data, [token]: "" };
  const labels = { odd: String(Object.keys(data).length % 2 === 1) };
  return { ...object, metadata: { ...object.metadata, labels }, data };
};

export async function write(plan: readonly Act[], { by, client, informers, next, delivered }: Setting): Promise<void> {
  const writes = createExpectations(client, informers);
  const owner = { namespace: "default", name: by };
  const maps = writes.clientFor(owner).resource(configMaps, "default");
  const [informer] = informers.covering(configMaps, "default");
  let last: ConfigMap | undefined;
  for (const [i, act] of plan.entries()) {
    const { name } = act;
    const token = `${by}-${i}`;
    const begun = next();
    const note = (result: Delivered["result"]): void => void delivered.push({ by, begun, ended: next(), name, result });
    const noteWritten = (object: ConfigMap): void => {
      last = object;
      note({ kind: "written", version: versionOf(object), token });
    };
    try {
      switch (act.do) {
        case "create":
          noteWritten(await maps.create(withToken({ metadata: { name } }, token)));
          break;
        case "modify":
          noteWritten(await maps.modify(name, (draft) => withToken(draft, token)));
          break;
        case "retry":
          noteWritten(await retryOnConflict(async () => maps.update(withToken(await maps.get(name), token)), client));
          break;
        case "update":
          // As a client that has not read again.
          if (last?.metadata?.name === name) noteWritten(await maps.update(withToken(last, token)));
          break;
        case "patch":
          noteWritten(await maps.patch(name, { type: "merge", patch: { data: { [token]: "" } } }));
          break;
        case "get":
          note({ kind: "read", version: versionOf(await maps.get(name)) });
          break;
        case "cached": {
          await informers.synced({ timeoutMs: 1_800_000 });
          await writes.untilSatisfied(owner, { timeoutMs: 1_800_000 });
          const here = informer?.lister.get({ namespace: "default", name });
          // Answers are taken ahead of the watch: of other objects it may show what was before.
          const own = delivered.flatMap((one) =>
            one.by === by && one.name === name && one.result.kind === "written" ? one.result.version : [],
          );
          note({ kind: "read", version: here && Number(here.metadata?.resourceVersion), after: Math.max(0, ...own) });
          break;
        }
        case "delete":
          await maps.delete(name);
          note({ kind: "deleted" });
          break;
        case "wait":
          await sleep(client.clock, act.s * 1000);
      }
    } catch (error) {
      if (act.do === "get" && isNotFound(error)) note({ kind: "read", version: undefined });
      else if (error instanceof ConnectionError || (error instanceof StatusError && error.code >= 500)) note({ kind: "unknown" });
      else if (error instanceof StatusError) note({ kind: "refused", ...(isConflict(error) || isNotFound(error) ? { token } : {}) });
      else throw error;
    }
  }
}
