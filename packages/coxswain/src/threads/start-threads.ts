/** Brings up the threads of components, and finds each component in its own. */
import { availableParallelism } from "node:os";
import type { ContentProvider, Metrics } from "@coxswain/apiserver";
import type { KeyPair, ServedNames } from "@coxswain/pki/node";
import type { LogOptions } from "../options/log-options.ts";
import { allowedFor } from "./allowed-users.ts";
import { ComponentThreadHandle, type ThreadOptions } from "./component-thread-handle.ts";
import { automaticThreads, planThreads } from "./plan-threads.ts";
import {
  type ControllersOfThread,
  type NodesOfThread,
  type SchedulerOfThread,
  type ThreadComponent,
  threadComponents,
} from "./thread-protocol.ts";

export interface ThreadsSettings extends Pick<ThreadOptions, "server" | "callers" | "clock" | "log"> {
  /** Beside the server's, which counts as one. */
  readonly threads: number | "auto";
  readonly logLevel: LogOptions["logLevel"];
  /** Those that are to run and can have a thread. */
  readonly controllers: Omit<ControllersOfThread, "rootCa"> | undefined;
  readonly scheduler: SchedulerOfThread | undefined;
  readonly nodes: Omit<NodesOfThread, "clientAuthority"> | undefined;
  /** In PEM, both. */
  readonly rootCa: ContentProvider<string>;
  readonly clientAuthority: ContentProvider<string>;
  readonly kubeletServing: (node: string, names: ServedNames) => ContentProvider<KeyPair>;
  /** Where their metrics are registered. */
  readonly metrics: Metrics;
}

export interface StartedThreads extends AsyncDisposable {
  /** Undefined: it has no thread of its own. */
  threadOf(component: ThreadComponent): ComponentThreadHandle | undefined;
}

export function startThreads(settings: ThreadsSettings): StartedThreads {
  const { threads, metrics, rootCa, clientAuthority } = settings;
  const present = threadComponents.filter((one) => settings[one] !== undefined);
  const plan = planThreads(threads === "auto" ? automaticThreads(availableParallelism()) : threads, present);
  const owned: Disposable[] = [];
  const started = plan.map((components) => {
    const handle = startThread(components, settings, owned);
    owned.push(metrics.include(() => handle.metrics()));
    return { components, handle };
  });
  const send = (...content: Parameters<ComponentThreadHandle["send"]>): void => {
    for (const { handle } of started) handle.send(...content);
  };
  if (started.length > 0) {
    owned.push(rootCa.subscribe((value) => send({ name: "rootCa", value })));
    owned.push(clientAuthority.subscribe((value) => send({ name: "clientAuthority", value })));
  }
  return {
    threadOf: (component) => started.find(({ components }) => components.includes(component))?.handle,
    [Symbol.asyncDispose]: async () => {
      for (const one of owned) one[Symbol.dispose]();
      await Promise.all(started.map(({ handle }) => handle[Symbol.asyncDispose]()));
    },
  };
}

function startThread(components: readonly ThreadComponent[], settings: ThreadsSettings, owned: Disposable[]): ComponentThreadHandle {
  const { server, callers, clock, log, logLevel, rootCa, clientAuthority, kubeletServing } = settings;
  const only = <T>(component: ThreadComponent, value: T | undefined): T | undefined => (components.includes(component) ? value : undefined);
  const { controllers, scheduler, nodes } = settings;
  /** One for all starts of the thread: each is renewed for as long as the server runs. */
  const pairs = new Map<string, ContentProvider<KeyPair>>();
  const pairOf = (node: string, names: ServedNames, handle: () => ComponentThreadHandle): ContentProvider<KeyPair> => {
    const key = JSON.stringify([node, names]);
    const known = pairs.get(key);
    if (known !== undefined) return known;
    const pair = kubeletServing(node, names);
    pairs.set(key, pair);
    owned.push(pair.subscribe((value) => handle().send({ name: "kubeletServing", value })));
    return pair;
  };
  const handle: ComponentThreadHandle = new ComponentThreadHandle({
    ...{ components, server, callers, clock, log, isAllowed: allowedFor(components) },
    settings: () => ({
      logLevel,
      controllers: only("controllers", controllers && { ...controllers, rootCa: rootCa.current }),
      scheduler: only("scheduler", scheduler),
      nodes: only("nodes", nodes && { ...nodes, clientAuthority: clientAuthority.current }),
    }),
    serveKubelet: (node, names, send) => send({ name: "kubeletServing", value: pairOf(node, names, () => handle).current }),
  });
  return handle;
}
