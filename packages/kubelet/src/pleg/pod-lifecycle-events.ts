/** Reports the Pods to sync: by the runtime's events, or by relisting each second where there are none. */
import { sleep } from "@coxswain/machinery";
import type { KubeletLog } from "../pod/log.ts";
import { callRuntime, type RuntimeCaller } from "../runtime/call-runtime.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";

const relistPeriodMs = 1_000;
/** Beside its events, which a runtime drops when they are not read in time. */
const relistBesideEventsMs = 60_000;
/** So often in a row everything is looked at before events are asked for again. */
const relistsBetweenEvents = 30;

/** Until the signal is aborted. Never rejects. */
export async function watchPodLifecycle(
  ctx: RuntimeCaller & { readonly log: KubeletLog },
  changed: (podUid: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { runtime } = ctx.dependencies;
  const watch = new RelistWatch(changed);
  while (!signal.aborted) {
    if (runtime.events !== undefined) {
      const ended = new AbortController();
      const following = followEvents(ctx, runtime, changed, signal).finally(() => ended.abort());
      await relistRepeatedly(relistBesideEventsMs, AbortSignal.any([signal, ended.signal]));
      await following;
    }
    await relistRepeatedly(relistPeriodMs, signal, relistsBetweenEvents);
  }

  async function relistRepeatedly(pauseMs: number, until: AbortSignal, times = Number.POSITIVE_INFINITY): Promise<void> {
    for (let i = 0; i < times && !until.aborted; i++) {
      await watch.relist(ctx, until);
      await sleep(ctx.clock, pauseMs, until).catch(() => undefined);
    }
  }
}

async function followEvents(
  { log }: { readonly log: KubeletLog },
  runtime: PodRuntime,
  changed: (podUid: string) => void,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { podUid } of runtime.events?.(signal) ?? []) changed(podUid);
  } catch (error) {
    if (!signal.aborted) log.debug({ error }, "failed to follow the runtime's events: it is relisted instead");
  }
}

/** Compares what the runtime has with what it had. */
class RelistWatch {
  readonly #changed: (podUid: string) => void;
  #before = new Map<string, string>();
  #isDown = false;

  constructor(changed: (podUid: string) => void) {
    this.#changed = changed;
  }

  async relist(ctx: RuntimeCaller & { readonly log: KubeletLog }, signal: AbortSignal): Promise<void> {
    try {
      const now = await callRuntime(ctx, signal, fingerprints);
      for (const [uid, print] of now) if (this.#before.get(uid) !== print) this.#changed(uid);
      for (const uid of this.#before.keys()) if (!now.has(uid)) this.#changed(uid);
      this.#before = now;
      this.#isDown = false;
    } catch (error) {
      if (signal.aborted || this.#isDown) return;
      this.#isDown = true;
      ctx.log.warn({ error }, "failed to list what the runtime has");
    }
  }
}

async function fingerprints(runtime: PodRuntime, signal: AbortSignal): Promise<Map<string, string>> {
  const [sandboxes, containers] = await Promise.all([runtime.listPodSandboxes(signal), runtime.listContainers(signal)]);
  const prints = new Map<string, string>();
  const add = (uid: string, text: string) => prints.set(uid, `${prints.get(uid) ?? ""}${text};`);
  for (const { pod, id, ready } of sandboxes.toSorted(byId)) add(pod.uid, `${id} ${ready}`);
  for (const { pod, id, state } of containers.toSorted(byId)) add(pod.uid, `${id} ${state}`);
  return prints;
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);
