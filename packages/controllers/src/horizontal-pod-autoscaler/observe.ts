/** What an autoscaler's decision is made of: its target, the target's Pods, and what its metrics are at. */
import { pods, type ReconcileContext } from "@coxswain/client";
import { type LabelSelector, messageOf, parseLabelSelector } from "@coxswain/machinery";
import type { HpaKey, HpaMemory } from "./hpa-memory.ts";
import { type Hpa, tolerancesOf } from "./hpa-types.ts";
import { metricsApi } from "./metrics-api.ts";
import type { ScaledPods } from "./propose-for-metric.ts";
import { type MetricReading, readMetric } from "./read-metric.ts";
import { readTarget, type ScaleTarget } from "./scale-target.ts";
import type { ScalingHistory } from "./scaling-history.ts";

export interface ObservedHpa {
  readonly hpa: Hpa;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** The same moment by the monotonic clock, which the history is kept by: setting the clock changes nothing in it. */
  readonly monotonicMs: number;
  readonly history: ScalingHistory;
  readonly target: ObservedTarget;
}

export type ObservedTarget =
  | { readonly kind: "unknown"; readonly error: unknown }
  | { readonly kind: "found"; readonly ref: ScaleTarget; readonly replicas: number; readonly metrics: ObservedMetrics };

export type ObservedMetrics =
  /** Nothing but the number of replicas counts: it is 0, or outside the limits. */
  | { readonly kind: "notNeeded" }
  /** Which Pods the target has is unknown, or not certain. The texts are those of the condition ScalingActive and of the Event. */
  | { readonly kind: "noPods"; readonly condition: Problem; readonly event: Problem }
  /** A reading for each metric of the spec. */
  | { readonly kind: "read"; readonly scaled: ScaledPods; readonly readings: readonly MetricReading[] };

export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export async function observe(key: HpaKey, ctx: ReconcileContext<Hpa>, hpa: Hpa, memory: HpaMemory): Promise<ObservedHpa> {
  const { client, signal } = ctx;
  const [nowMs, monotonicMs] = [client.clock.now(), client.clock.monotonic()];
  const base = { hpa, nowMs, monotonicMs, history: memory.historyOf(key) };
  let ref: ScaleTarget;
  try {
    ref = await readTarget(client, hpa, signal);
  } catch (error) {
    signal.throwIfAborted();
    return { ...base, target: { kind: "unknown", error } };
  }
  const replicas = ref.scale.spec?.replicas ?? 0;
  const { minReplicas = 1, maxReplicas } = hpa.spec;
  const isFixed = replicas === 0 || replicas > maxReplicas || replicas < minReplicas;
  const metrics = isFixed ? notNeeded : await observeMetrics({ key, ctx, hpa, memory }, ref, nowMs);
  return { ...base, target: { kind: "found", ref, replicas, metrics } };
}

const notNeeded: ObservedMetrics = { kind: "notNeeded" };

interface Subject {
  readonly key: HpaKey;
  readonly ctx: ReconcileContext<Hpa>;
  readonly hpa: Hpa;
  readonly memory: HpaMemory;
}

async function observeMetrics({ key, ctx, hpa, memory }: Subject, { scale }: ScaleTarget, nowMs: number): Promise<ObservedMetrics> {
  const { client, cache, signal } = ctx;
  const { namespace } = key;
  const text = scale.status?.selector ?? "";
  if (text === "")
    return {
      kind: "noPods",
      condition: { reason: "InvalidSelector", message: "the HPA target's scale is missing a selector" },
      event: { reason: "SelectorRequired", message: "selector is required" },
    };
  let selector: LabelSelector;
  try {
    selector = parseLabelSelector(text);
  } catch (error) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`;
    return noPods({ reason: "InvalidSelector", message });
  }
  memory.keepSelector(key, text);
  const selected = cache(pods).list({ namespace, labelSelector: selector });
  const claimants = memory.claimants(namespace, selected);
  if (claimants.length > 1) {
    const names = claimants.map((one) => `${one.namespace}/${one.name}`).sort();
    return noPods({
      reason: "AmbiguousSelector",
      message: `pods by selector ${text} are controlled by multiple HPAs: [${names.join(" ")}]`,
    });
  }
  const scaled = {
    specReplicas: scale.spec?.replicas ?? 0,
    statusReplicas: scale.status?.replicas ?? 0,
    pods: selected,
    tolerances: tolerancesOf(hpa),
    nowMs,
  };
  const source = { metrics: metricsApi(client, namespace, signal), namespace, selector };
  const readings: MetricReading[] = [];
  for (const spec of hpa.spec.metrics ?? []) readings.push(await readMetric(spec, source, signal));
  return { kind: "read", scaled, readings };
}

const noPods = (problem: Problem): ObservedMetrics => ({ kind: "noPods", condition: problem, event: problem });
