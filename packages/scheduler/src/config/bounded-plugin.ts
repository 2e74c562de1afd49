/** Keeps a plugin that hangs from holding up its Pod for ever. */
import { goQuote } from "@coxswain/machinery";
import type { PluginFactory, SchedulerPlugin } from "../framework/plugin.ts";
import { errorStatus, type Status } from "../framework/status.ts";

/** What it does asynchronously ends after this time: its signal is aborted, and whether it heeds that or not, the attempt has failed. */
export const bounded =
  (factory: PluginFactory, timeoutMs: number): PluginFactory =>
  (args, handle) => {
    const plugin = factory(args, handle);
    const { clock } = handle.client;
    const within = async <T>(point: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T | Status> => {
      const late = new AbortController();
      const { promise, resolve } = Promise.withResolvers<Status>();
      using _ = clock.schedule(timeoutMs, () => {
        const reason = `${point} of plugin ${goQuote(plugin.name)} did not end within ${timeoutMs / 1000} s`;
        resolve(errorStatus(reason));
        late.abort(new Error(reason));
      });
      const running = run(AbortSignal.any([signal, late.signal]));
      // Its result is ignored once it is late.
      running.catch(() => undefined);
      return await Promise.race([running, promise]);
    };
    const { postFilter, preBind, bind } = plugin;
    return {
      ...own(plugin),
      ...(postFilter && {
        postFilter: ((state, pod, statuses, signal) =>
          within("postFilter", signal, (bound) =>
            postFilter.call(plugin, state, pod, statuses, bound),
          )) satisfies SchedulerPlugin["postFilter"],
      }),
      ...(preBind && {
        preBind: ((state, pod, node, signal) =>
          within("preBind", signal, (bound) => preBind.call(plugin, state, pod, node, bound))) satisfies SchedulerPlugin["preBind"],
      }),
      ...(bind && {
        bind: ((state, pod, node, signal) =>
          within("bind", signal, (bound) => bind.call(plugin, state, pod, node, bound))) satisfies SchedulerPlugin["bind"],
      }),
    };
  };

/** None is forgotten: the compiler counts them. */
const methods: Readonly<Record<Exclude<keyof SchedulerPlugin, "name" | "events" | "postFilter" | "preBind" | "bind">, true>> = {
  preEnqueue: true,
  less: true,
  preFilter: true,
  addPod: true,
  removePod: true,
  filter: true,
  preScore: true,
  score: true,
  normalizeScore: true,
  reserve: true,
  unreserve: true,
  permit: true,
  willPreBind: true,
  postBind: true,
};

/** All that it does at once; it may be the instance of a class. */
function own(plugin: SchedulerPlugin): SchedulerPlugin {
  const bound = Object.keys(methods).flatMap((name) => {
    const method: unknown = plugin[name as keyof typeof methods];
    return typeof method === "function" ? [[name, method.bind(plugin)] as const] : [];
  });
  return { name: plugin.name, ...(plugin.events === undefined ? {} : { events: plugin.events }), ...Object.fromEntries(bound) };
}
