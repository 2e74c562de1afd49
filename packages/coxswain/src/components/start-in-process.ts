/** A component beside the API server: in its process, over no network, with an identity that no other client can have. */
import type { ApiServer, Log } from "@coxswain/apiserver";
import { type Client, type ControllerManager, createClient, MetricsRegistry } from "@coxswain/client";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { InProcessCallers } from "../in-process/in-process-callers.ts";
import { inProcessTransport } from "../in-process/in-process-transport.ts";
import { restartOnFailure } from "./restart-on-failure.ts";

export interface Component {
  /** In logs. */
  readonly name: string;
  /** Who writes, in managed fields and User-Agent; `system:` and this is the user. */
  readonly agent: string;
  /** Called again at each restart. */
  manager(client: Client, metrics: MetricsRegistry): ControllerManager;
}

export interface ComponentDependencies {
  readonly callers: InProcessCallers;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

export interface InProcessComponent extends AsyncDisposable {
  /** Its figures, in Prometheus' text format. */
  metrics(): string;
  /** Whether it runs, and its copies of what it watches are up to date. */
  healthy(): boolean;
}

/** It runs until it is disposed; when it fails it is restarted, as a Pod of it would be. */
export function startInProcess(
  server: Pick<ApiServer, "handle">,
  { name, agent, manager: make }: Component,
  { callers, clock, random, log }: ComponentDependencies,
): InProcessComponent {
  const user = { name: `system:${agent}`, groups: ["system:masters"] };
  const transport = inProcessTransport(server, { user, callers });
  const client = createClient({ transport, clock, random, fieldManager: agent });
  const metrics = new MetricsRegistry();
  const stop = new AbortController();
  let current: ControllerManager | undefined;
  const run = async (signal: AbortSignal, onHealthy: () => void): Promise<void> => {
    const manager = make(client, metrics);
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
      await transport[Symbol.asyncDispose]();
    },
  };
}
