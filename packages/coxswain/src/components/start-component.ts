/** A component beside the API server, with identities that are given to it. */
import type { Log } from "@coxswain/apiserver";
import { type Client, createClient, type InformerSet, MetricsRegistry, type Transport } from "@coxswain/client";
import type { Clock, RandomSource } from "@coxswain/machinery";
import { type InProcessUser, systemServiceAccount } from "../in-process/in-process-callers.ts";
import { reportRefusals } from "./report-refusals.ts";
import { restartOnFailure } from "./restart-on-failure.ts";

export interface Component {
  /** In logs. */
  readonly name: string;
  /** Who writes, in managed fields and User-Agent; `system:` and this is the user, with the rights of Kubernetes' default roles. */
  readonly agent: string;
  /** Default: `system:` and the agent. */
  readonly user?: InProcessUser;
  /** Called again at each restart. */
  manager(client: Client, metrics: MetricsRegistry, clientFor: (serviceAccount: string) => Client): ComponentManager;
}

/** What runs a component, once; a ControllerManager is one. */
export interface ComponentManager {
  readonly ready: Promise<void>;
  healthy(): { readonly ok: boolean };
  run(signal: AbortSignal): Promise<void>;
}

/** A way to the server for whoever is named. */
export type Connect = (user: InProcessUser) => Transport;

export interface SystemDependencies {
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
  /** Copies that the components of a thread share. Default: each has its own. */
  readonly informers?: InformerSet | undefined;
}

export interface InProcessComponent extends AsyncDisposable {
  /** Its figures, in Prometheus' text format. */
  metrics(): string;
  /** Whether it runs, and its copies of what it watches are up to date. */
  healthy(): boolean;
}

/** It runs until it is disposed; when it fails it is restarted, as a Pod of it would be. */
export function startComponent(
  connect: Connect,
  { name, agent, user = { name: `system:${agent}` }, manager: make }: Component,
  { clock, random, log }: SystemDependencies,
): InProcessComponent {
  const transports: Transport[] = [];
  const clientAs = (user: InProcessUser): Client => {
    const direct = connect(user);
    transports.push(direct);
    const transport = reportRefusals(direct, { user: user.name, log });
    return createClient({ transport, clock, random, fieldManager: agent, omitsManagedFields: true });
  };
  const client = clientAs(user);
  const ofAccounts = new Map<string, Client>();
  const clientFor = (serviceAccount: string): Client => {
    const known = ofAccounts.get(serviceAccount) ?? clientAs(systemServiceAccount(serviceAccount));
    ofAccounts.set(serviceAccount, known);
    return known;
  };
  const metrics = new MetricsRegistry();
  const stop = new AbortController();
  let current: ComponentManager | undefined;
  const run = async (signal: AbortSignal, onHealthy: () => void): Promise<void> => {
    const manager = make(client, metrics, clientFor);
    current = manager;
    manager.ready.then(
      () => {
        onHealthy();
        log.info({ component: name }, "component ready");
      },
      () => undefined,
    );
    await manager.run(signal);
  };
  const running = restartOnFailure({ component: name, clock, log, run }, stop.signal);
  return {
    metrics: () => metrics.text(),
    healthy: () => current?.healthy().ok === true,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error("the server is stopped"));
      await running;
      await Promise.all(transports.map((transport) => transport[Symbol.asyncDispose]()));
    },
  };
}
