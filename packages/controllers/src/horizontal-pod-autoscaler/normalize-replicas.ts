/**
 * What becomes of the number that the metrics propose: it neither follows each of their moves, nor leaves its limits, nor
 * moves faster than it may. @see https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/#configurable-scaling-behavior
 */
import { defaults, type Hpa, type ScalingRules } from "./hpa-types.ts";
import { changeWithin, type Recommendation, remember, type ScalingHistory } from "./scaling-history.ts";

export interface Normalized {
  readonly replicas: number;
  /** Of the conditions AbleToScale and ScalingLimited. */
  readonly able: Reason;
  readonly limited: Reason & { readonly isLimited: boolean };
  readonly history: ScalingHistory;
}

interface Reason {
  readonly reason: string;
  readonly message: string;
}

interface Setting {
  readonly hpa: Hpa;
  readonly current: number;
  readonly min: number;
  readonly history: ScalingHistory;
  readonly nowMs: number;
}

export function normalizeReplicas(proposed: number, setting: Setting): Normalized {
  const { hpa, history, nowMs } = setting;
  const { behavior } = hpa.spec;
  const stabilized = behavior === undefined ? stabilizeDown(proposed, setting) : withinRecent(proposed, setting);
  const wanted = stabilized.replicas;
  const limited = behavior === undefined ? withinRules(wanted, setting) : withinRates(wanted, setting);
  const maxWindowMs = Math.max(windowMs(behavior?.scaleUp, 0), windowMs(behavior?.scaleDown, defaults.downscaleStabilizationMs));
  const keepMs = behavior === undefined ? defaults.downscaleStabilizationMs : maxWindowMs;
  return {
    replicas: limited.replicas,
    able: wanted === proposed ? { reason: "ReadyForNewScale", message: "recommended size matches current size" } : stabilized,
    limited: { reason: limited.reason, message: limited.message, isLimited: limited.replicas !== wanted },
    history: { ...history, recommendations: remember(history.recommendations, { replicas: proposed, at: nowMs }, keepMs) },
  };
}

interface Decided extends Reason {
  readonly replicas: number;
}

const windowMs = (rules: ScalingRules | undefined, otherwise: number): number =>
  rules?.stabilizationWindowSeconds === undefined ? otherwise : rules.stabilizationWindowSeconds * 1000;

const scaleDownStabilized: Reason = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
};
const scaleUpStabilized: Reason = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
};

const replicasOf = (list: readonly Recommendation[]): number[] => list.map(({ replicas }) => replicas);

function stabilizeDown(proposed: number, { history, nowMs }: Setting): Decided {
  const recent = history.recommendations.filter(({ at }) => at >= nowMs - defaults.downscaleStabilizationMs);
  return { replicas: Math.max(proposed, ...replicasOf(recent)), ...scaleDownStabilized };
}

/** Up only as far as all have wanted lately, and down only as far as none has objected. */
function withinRecent(proposed: number, { hpa, current, history, nowMs }: Setting): Decided {
  const { scaleUp, scaleDown } = hpa.spec.behavior ?? {};
  const since = (ms: number) => replicasOf(history.recommendations.filter(({ at }) => at > nowMs - ms));
  const lowest = Math.min(proposed, ...since(windowMs(scaleUp, 0)));
  const highest = Math.max(proposed, ...since(windowMs(scaleDown, defaults.downscaleStabilizationMs)));
  const replicas = Math.min(Math.max(current, lowest), highest);
  return { replicas, ...(proposed >= current ? scaleUpStabilized : scaleDownStabilized) };
}

const inRange: Reason = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" };
const tooFew: Reason = { reason: "TooFewReplicas", message: "the desired replica count is less than the minimum replica count" };
const tooMany: Reason = { reason: "TooManyReplicas", message: "the desired replica count is more than the maximum replica count" };
const tooFastUp: Reason = {
  reason: "ScaleUpLimit",
  message: "the desired replica count is increasing faster than the maximum scale rate",
};
const tooFastDown: Reason = {
  reason: "ScaleDownLimit",
  message: "the desired replica count is decreasing faster than the maximum scale rate",
};

/** Without a behavior of its own: no more than twice as many at once, but four in any case. */
function withinRules(wanted: number, { hpa, current, min }: Setting): Decided {
  const { maxReplicas } = hpa.spec;
  const limit = Math.max(2 * current, 4);
  if (wanted < min) return { replicas: min, ...tooFew };
  if (wanted > Math.min(maxReplicas, limit))
    return maxReplicas > limit ? { replicas: limit, ...tooFastUp } : { replicas: maxReplicas, ...tooMany };
  return { replicas: wanted, ...inRange };
}

function withinRates(wanted: number, setting: Setting): Decided {
  const { hpa, current, min } = setting;
  const { maxReplicas, behavior } = hpa.spec;
  if (wanted > current) {
    const limit = Math.max(current, rateLimit("up", behavior?.scaleUp, setting));
    if (wanted > Math.min(maxReplicas, limit))
      return maxReplicas > limit ? { replicas: limit, ...tooFastUp } : { replicas: maxReplicas, ...tooMany };
  } else if (wanted < current) {
    const limit = Math.min(current, rateLimit("down", behavior?.scaleDown, setting));
    if (wanted < Math.max(min, limit)) return min < limit ? { replicas: limit, ...tooFastDown } : { replicas: min, ...tooFew };
  }
  return { replicas: wanted, ...inRange };
}

/** The farthest that the policies allow, counted from how many there were when each of their periods began. */
function rateLimit(direction: "up" | "down", rules: ScalingRules | undefined, { current, history, nowMs }: Setting): number {
  const { policies = [], selectPolicy = "Max" } = rules ?? {};
  if (selectPolicy === "Disabled") return current;
  const limits = policies.map(({ type, value, periodSeconds }) => {
    const start = current - changeWithin(history.up, periodSeconds, nowMs) + changeWithin(history.down, periodSeconds, nowMs);
    if (direction === "up") return type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100));
    return type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100));
  });
  // The greatest change upwards is the highest number, downwards the lowest.
  const isHighest = (selectPolicy === "Min") === (direction === "down");
  return isHighest ? Math.max(...limits) : Math.min(...limits);
}
