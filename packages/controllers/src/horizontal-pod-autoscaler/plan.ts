/** What becomes of an autoscaler's target and of its own status, given what was observed. Texts are Kubernetes' own. */
import type { RecordedEvent } from "@coxswain/client";
import { messageOf, wireTime } from "@coxswain/machinery";
import { type ConditionChange, withCondition } from "./hpa-status.ts";
import type { HpaStatus, MetricStatus } from "./hpa-types.ts";
import { MetricError } from "./metric-error.ts";
import { normalizeReplicas } from "./normalize-replicas.ts";
import type { ObservedHpa, ObservedMetrics, ObservedTarget } from "./observe.ts";
import { type Proposal, proposeForMetric } from "./propose-for-metric.ts";
import { remember, type ScalingHistory } from "./scaling-history.ts";

export interface HpaPlan {
  readonly history: ScalingHistory;
  /** Recorded before anything is written. */
  readonly events: readonly RecordedEvent[];
  readonly rescale: Rescale | undefined;
  /** Written as it is where nothing is rescaled; otherwise `statusAfterRescale` has the status. */
  readonly status: HpaStatus;
  readonly failure: Failure | undefined;
}

export interface Rescale {
  readonly from: number;
  readonly to: number;
  /** Why, in Events. */
  readonly reason: string;
  readonly currentMetrics: readonly MetricStatus[];
}

/** What the autoscaler could not do. */
export interface Failure {
  /** Thrown once the status is written. */
  readonly error: unknown;
  /** Recorded once the status is written. */
  readonly event?: RecordedEvent;
}

type FoundTarget = Extract<ObservedTarget, { kind: "found" }>;

export function plan(observed: ObservedHpa): HpaPlan {
  const { hpa, history, target, nowMs, monotonicMs } = observed;
  const before = hpa.status ?? { desiredReplicas: 0 };
  if (target.kind === "unknown") {
    const message = messageOf(target.error);
    const condition = failing(
      "AbleToScale",
      "FailedGetScale",
      `the HPA controller was unable to get the target's current scale: ${message}`,
    );
    const events = [warning("FailedGetScale", message)];
    const status = withCondition(before, condition, nowMs);
    return { history, events, rescale: undefined, status, failure: { error: target.error } };
  }
  const able: ConditionChange = {
    type: "AbleToScale",
    holds: true,
    reason: "SucceededGetScale",
    message: "the HPA controller was able to get the target's current scale",
  };
  const first = [{ replicas: target.replicas, at: monotonicMs }];
  const known = history.recommendations.length === 0 ? { ...history, recommendations: first } : history;
  return planReplicas({ ...observed, history: known }, target, withCondition(before, able, nowMs));
}

function planReplicas(observed: ObservedHpa, target: FoundTarget, status: HpaStatus): HpaPlan {
  const { hpa, history, nowMs } = observed;
  const { replicas: current, metrics } = target;
  const { minReplicas = 1, maxReplicas } = hpa.spec;
  if (current === 0) {
    const disabled = failing("ScalingActive", "ScalingDisabled", "scaling is disabled since the replica count of the target is zero");
    const next = statusWith(withCondition(status, disabled, nowMs), { current, desired: 0, metrics: [] });
    return { history, events: [], rescale: undefined, status: next, failure: undefined };
  }
  if (current > maxReplicas || current < minReplicas) {
    const isAbove = current > maxReplicas;
    const reason = `Current number of replicas ${isAbove ? "above Spec.MaxReplicas" : "below Spec.MinReplicas"}`;
    const rescale = { from: current, to: isAbove ? maxReplicas : minReplicas, reason, currentMetrics: [] };
    return { history, events: [], rescale, status, failure: undefined };
  }
  const outcome = planProposal(observed, metrics, current, status);
  if (outcome.kind === "failed") return { ...outcome.plan, history };
  return planNormalized(observed, current, outcome);
}

interface Proposing {
  readonly kind: "proposed";
  readonly proposal: Proposal;
  readonly metrics: readonly MetricStatus[];
  readonly events: readonly RecordedEvent[];
  readonly status: HpaStatus;
}

type ProposalOutcome = Proposing | { readonly kind: "failed"; readonly plan: Omit<HpaPlan, "history"> };

/** The highest of all. Where some metrics failed the others may ask for more replicas, but not for fewer. */
function planProposal(observed: ObservedHpa, observedMetrics: ObservedMetrics, current: number, status: HpaStatus): ProposalOutcome {
  const { hpa, nowMs } = observed;
  if (observedMetrics.kind !== "read") {
    if (observedMetrics.kind === "notNeeded") throw new TypeError("metrics are needed within the limits");
    const { condition, event } = observedMetrics;
    const inactive = withCondition(status, failing("ScalingActive", condition.reason, condition.message), nowMs);
    return giveUp({ current, metrics: [], events: [warning(event.reason, event.message)] }, inactive, event.message);
  }
  const specs = hpa.spec.metrics ?? [];
  const proposals: Proposal[] = [];
  const problems: MetricError[] = [];
  const metrics: MetricStatus[] = [];
  for (const [i, spec] of specs.entries()) {
    try {
      const proposal = proposeForMetric(spec, observedMetrics.readings[i] ?? { kind: "invalid" }, observedMetrics.scaled);
      proposals.push(proposal);
      metrics.push(proposal.status);
    } catch (error) {
      if (!(error instanceof MetricError)) throw error;
      problems.push(error);
      metrics.push({ type: "" });
    }
  }
  const events = problems.map(({ reason, problem }) => warning(reason, problem));
  const [first] = problems;
  const highest = proposals.reduce<Proposal | undefined>(
    (best, one) => (best === undefined || one.replicas > best.replicas ? one : best),
    undefined,
  );
  if (highest === undefined || (first !== undefined && highest.replicas < current)) {
    const message = `the HPA was unable to compute the replica count: ${first?.problem}`;
    const inactive = first === undefined ? status : withCondition(status, failing("ScalingActive", first.reason, message), nowMs);
    const total = `invalid metrics (${problems.length} invalid out of ${specs.length}), first error is: ${first?.message}`;
    return giveUp({ current, metrics, events }, inactive, total);
  }
  const message = `the HPA was able to successfully calculate a replica count from ${highest.name}`;
  const active: ConditionChange = { type: "ScalingActive", holds: true, reason: "ValidMetricFound", message };
  return { kind: "proposed", proposal: highest, metrics, events, status: withCondition(status, active, nowMs) };
}

function giveUp(
  { current, metrics, events }: { readonly current: number; readonly metrics: readonly MetricStatus[]; readonly events: RecordedEvent[] },
  status: HpaStatus,
  message: string,
): ProposalOutcome {
  const next = statusWith(status, { current, desired: status.desiredReplicas, metrics });
  const failure = { error: new Error(message), event: warning("FailedComputeMetricsReplicas", message) };
  return { kind: "failed", plan: { events, rescale: undefined, status: next, failure } };
}

function planNormalized({ hpa, history, nowMs, monotonicMs }: ObservedHpa, current: number, proposing: Proposing): HpaPlan {
  const { proposal, metrics, events } = proposing;
  const min = hpa.spec.minReplicas ?? 1;
  const {
    replicas,
    able,
    limited,
    history: next,
  } = normalizeReplicas(proposal.replicas, { hpa, current, min, history, nowMs: monotonicMs });
  let status = withCondition(proposing.status, { type: "AbleToScale", holds: true, reason: able.reason, message: able.message }, nowMs);
  const { isLimited: holds, reason, message } = limited;
  status = withCondition(status, { type: "ScalingLimited", holds, reason, message }, nowMs);
  if (replicas === current)
    return {
      history: next,
      events,
      rescale: undefined,
      status: statusWith(status, { current, desired: replicas, metrics }),
      failure: undefined,
    };
  const why = proposal.replicas > current ? `${proposal.name} above target` : "All metrics below target";
  return {
    history: next,
    events,
    rescale: { from: current, to: replicas, reason: why, currentMetrics: metrics },
    status,
    failure: undefined,
  };
}

export interface RescaleOutcome {
  readonly status: HpaStatus;
  readonly event: RecordedEvent;
  readonly history: ScalingHistory;
}

/** The status and the Event once the target has been rescaled, or, with `error`, could not be. */
export function planAfterRescale(observed: ObservedHpa, { history, status }: HpaPlan, rescale: Rescale, error?: string): RescaleOutcome {
  const { nowMs } = observed;
  const { from: current, to, reason, currentMetrics: metrics } = rescale;
  if (error !== undefined) {
    const message = `the HPA controller was unable to update the target scale: ${error}`;
    const unable = withCondition(status, failing("AbleToScale", "FailedUpdateScale", message), nowMs);
    return {
      status: statusWith(unable, { current, desired: status.desiredReplicas, metrics }),
      event: warning("FailedRescale", `New size: ${to}; reason: ${reason}; error: ${error}`),
      history,
    };
  }
  const message = `the HPA controller was able to update the target scale to ${to}`;
  const able = withCondition(status, { type: "AbleToScale", holds: true, reason: "SucceededRescale", message }, nowMs);
  return {
    status: statusWith({ ...able, lastScaleTime: wireTime(nowMs) }, { current, desired: to, metrics }),
    event: { type: "Normal", reason: "SuccessfulRescale", message: `New size: ${to}; reason: ${reason}` },
    history: withScaleEvent(observed, history, to - current),
  };
}

/** Only changes within the periods of the autoscaler's own policies matter later. */
function withScaleEvent({ hpa, monotonicMs }: ObservedHpa, history: ScalingHistory, change: number): ScalingHistory {
  const { behavior } = hpa.spec;
  if (behavior === undefined) return history;
  const [direction, rules] = change > 0 ? (["up", behavior.scaleUp] as const) : (["down", behavior.scaleDown] as const);
  const maxSeconds = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
  const kept = remember(history[direction], { change: Math.abs(change), at: monotonicMs }, maxSeconds * 1000);
  return { ...history, [direction]: kept };
}

interface Counts {
  readonly current: number;
  readonly desired: number;
  readonly metrics: readonly MetricStatus[];
}

function statusWith({ lastScaleTime, conditions }: HpaStatus, { current, desired, metrics }: Counts): HpaStatus {
  return {
    ...(current === 0 ? {} : { currentReplicas: current }),
    desiredReplicas: desired,
    ...(metrics.length === 0 ? {} : { currentMetrics: [...metrics] }),
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

const failing = (type: ConditionChange["type"], reason: string, message: string): ConditionChange => ({
  type,
  holds: false,
  reason,
  message,
});

const warning = (reason: string, message: string): RecordedEvent => ({ type: "Warning", reason, message });
