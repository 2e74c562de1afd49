/** What answers about the past are made with. */
import type { ResourceRegistry } from "@coxswain/api";
import type { HistoryReader } from "@coxswain/history";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import type { Admission } from "../contracts/admission.ts";
import type { ServedResources } from "../contracts/served-resource.ts";
import type { EventLoop } from "../storage/event-loop.ts";
import type { ObjectCache } from "../storage/stored-object.ts";

export interface HistoryServices {
  readonly history: HistoryReader;
  readonly store: Store;
  readonly cache: ObjectCache;
  readonly registry: Pick<ResourceRegistry, "find" | "isBuiltIn">;
  readonly served: ServedResources;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly eventLoop: EventLoop;
  /** Of dry runs on what was. */
  readonly admission: Admission;
}
