/** The controllers beside the API server: in its process, over no network, with an identity that nobody else can have. */
import type { ApiServer, Log } from "@coxswain/apiserver";
import { type ControllerManager, createClient, MetricsRegistry } from "@coxswain/client";
import { type BuiltInController, type ControllerSettings, manageControllers, managerName } from "@coxswain/controllers";
import { type Clock, type RandomSource, sleep } from "@coxswain/machinery";
import type { InProcessCallers } from "../in-process-callers.ts";
import { inProcessTransport } from "../in-process-transport.ts";

export interface InProcessControllersOptions {
  readonly chosen: readonly BuiltInController[];
  readonly settings: ControllerSettings;
  readonly callers: InProcessCallers;
  readonly clock: Clock;
  readonly random: RandomSource;
  readonly log: Log;
}

export interface InProcessControllers extends AsyncDisposable {
  /** Their figures, in Prometheus' text format. */
  metrics(): string;
  /** Whether they run, and their copies of what they watch are up to date. */
  healthy(): boolean;
}

const user = { name: `system:${managerName}`, groups: ["system:masters"] };

/** Milliseconds from one failure to the next attempt. */
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** They run until they are disposed; when they fail they begin anew, as a Pod of them would. */
export function startInProcess(server: Pick<ApiServer, "handle">, options: InProcessControllersOptions): InProcessControllers {
  const { chosen, settings, callers, clock, random, log } = options;
  const transport = inProcessTransport(server, { user, callers });
  const client = createClient({ transport, clock, random, fieldManager: managerName });
  const metrics = new MetricsRegistry();
  const stop = new AbortController();
  const { signal } = stop;

  let current: ControllerManager | undefined;
  const run = async (): Promise<void> => {
    let pauseMs = firstPauseMs;
    while (!signal.aborted) {
      const manager = manageControllers(chosen, { client, settings, log, metrics });
      current = manager;
      manager.ready.then(
        () => {
          pauseMs = firstPauseMs;
          log.info({ controllers: chosen.length }, "the controllers run");
        },
        () => undefined,
      );
      try {
        await manager.run(signal);
      } catch (error) {
        if (signal.aborted) return log.error({ error }, "the controllers did not end in order");
        log.error({ error, againInMs: pauseMs }, "the controllers failed and begin anew");
        await sleep(clock, pauseMs, signal).catch(() => undefined);
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
      }
    }
  };
  const running = run();
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
