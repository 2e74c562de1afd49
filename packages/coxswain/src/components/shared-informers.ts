/** Copies that the components of one thread share: whatever several of them follow is read, parsed and kept once. */
import { countRequests, createClient, createInformerSet, type InformerSet, MetricsRegistry } from "@coxswain/client";
import type { InProcessUser } from "../in-process/in-process-callers.ts";
import { reportRefusals } from "./report-refusals.ts";
import type { Connect, SystemDependencies } from "./start-component.ts";

/** What can share copies: real nodes follow what is theirs alone. */
export type SharingComponent = "controllers" | "scheduler" | "nodes";

export interface SharedInformers extends AsyncDisposable {
  readonly informers: InformerSet;
  /** Of the requests for the copies, in Prometheus' text format. */
  metrics(): string;
}

/** Who may read what all of them do. */
const readers: Readonly<Record<Exclude<SharingComponent, "nodes">, InProcessUser>> = {
  controllers: { name: "system:kube-controller-manager" },
  scheduler: { name: "system:kube-scheduler" },
};

/** Undefined: there is nobody to share with. They are to be disposed of after all who use them. */
export function startSharedInformers(
  connect: Connect,
  components: readonly SharingComponent[],
  { clock, random, log }: Omit<SystemDependencies, "informers">,
): SharedInformers | undefined {
  const reader = (["controllers", "scheduler"] as const).find((one) => components.includes(one));
  if (reader === undefined || components.length < 2) return undefined;
  const user = readers[reader];
  const direct = connect(user);
  const registry = new MetricsRegistry();
  const transport = countRequests(reportRefusals(direct, { user: user.name, log }), registry);
  const informers = createInformerSet(createClient({ transport, clock, random }), { log });
  const stop = new AbortController();
  const running = informers.run(stop.signal).catch((error: unknown) => {
    log.error({ components, error }, "failed to follow what the components share");
  });
  return {
    informers,
    metrics: () => registry.text(),
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the server is stopped"));
      await running;
      await direct[Symbol.asyncDispose]();
    },
  };
}
