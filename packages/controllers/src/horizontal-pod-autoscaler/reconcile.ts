/** One look at an autoscaler: what its metrics propose, what may be done of that, and what it says of itself. */
import { done, loggedError, type Outcome, pods, type ReconcileContext, requeue } from "@coxswain/client";
import { type LabelSelector, parseLabelSelector } from "@coxswain/machinery";
import type { Pod } from "../shared/pods/pod-state.ts";
import type { HpaKey, HpaMemory } from "./hpa-memory.ts";
import { HpaReport } from "./hpa-report.ts";
import { defaults, type Hpa, type MetricStatus, tolerancesOf } from "./hpa-types.ts";
import { MetricError, measureMetric, type Proposal } from "./measure-metric.ts";
import { metricsApi } from "./metrics-api.ts";
import { normalizeReplicas } from "./normalize-replicas.ts";
import { readTarget, rescale, type Scale, type ScaleTarget } from "./scale-target.ts";
import { remember } from "./scaling-history.ts";

export async function reconcileHpa(key: HpaKey, ctx: ReconcileContext<Hpa>, memory: HpaMemory): Promise<Outcome> {
  const { object: hpa, client, log } = ctx;
  if (hpa === undefined) {
    memory.forget(key);
    return done;
  }
  const pauseMs = memory.pauseBefore(key, client.clock.monotonic());
  if (pauseMs > 0) return requeue(pauseMs);
  try {
    await new Look(key, ctx, hpa, memory).run();
    memory.isNews(key, undefined);
  } catch (error) {
    ctx.signal.throwIfAborted();
    // What cannot be measured or scaled now is looked at again as often as what can. Its conditions and Events say so too.
    const fields = { error: loggedError(error) };
    log[memory.isNews(key, messageOf(error)) ? "warn" : "debug"](fields, "an autoscaler could not do its work");
  } finally {
    memory.looked(key, client.clock.monotonic());
  }
  return requeue(defaults.syncPeriodMs);
}

interface Decision {
  readonly replicas: number;
  /** Why, when it is to be done. */
  readonly reason: string;
  readonly isRescale: boolean;
}

/** Of one autoscaler, at one moment. */
class Look {
  readonly #key: HpaKey;
  readonly #ctx: ReconcileContext<Hpa>;
  readonly #hpa: Hpa;
  readonly #memory: HpaMemory;
  readonly #report: HpaReport;
  readonly #nowMs: number;
  /** The same moment by the monotonic clock: a calendar that is set changes nothing in the history. */
  readonly #at: number;

  constructor(key: HpaKey, ctx: ReconcileContext<Hpa>, hpa: Hpa, memory: HpaMemory) {
    this.#key = key;
    this.#ctx = ctx;
    this.#hpa = hpa;
    this.#memory = memory;
    this.#nowMs = ctx.client.clock.now();
    this.#at = ctx.client.clock.monotonic();
    this.#report = new HpaReport(ctx, hpa, this.#nowMs);
  }

  async run(): Promise<void> {
    const target = await this.#target();
    const current = target.scale.spec?.replicas ?? 0;
    const history = this.#memory.historyOf(this.#key);
    if (history.recommendations.length === 0)
      this.#memory.keepHistory(this.#key, { ...history, recommendations: [{ replicas: current, at: this.#at }] });
    const decision = await this.#decide(target.scale, current);
    if (decision.isRescale) await this.#rescale(target, current, decision);
    await this.#report.write(current, decision.replicas, decision.isRescale);
  }

  async #target(): Promise<ScaleTarget> {
    const { client, signal } = this.#ctx;
    try {
      const target = await readTarget(client, this.#hpa, signal);
      this.#report.say("AbleToScale", true, "SucceededGetScale", "the HPA controller was able to get the target's current scale");
      return target;
    } catch (error) {
      signal.throwIfAborted();
      const message = messageOf(error);
      this.#report.warn("FailedGetScale", message);
      this.#report.say(
        "AbleToScale",
        false,
        "FailedGetScale",
        `the HPA controller was unable to get the target's current scale: ${message}`,
      );
      await this.#report.writeConditions();
      throw error;
    }
  }

  async #decide(scale: Scale, current: number): Promise<Decision> {
    const { minReplicas = 1, maxReplicas } = this.#hpa.spec;
    if (current === 0) {
      this.#report.say("ScalingActive", false, "ScalingDisabled", "scaling is disabled since the replica count of the target is zero");
      return { replicas: 0, reason: "", isRescale: false };
    }
    if (current > maxReplicas)
      return { replicas: maxReplicas, reason: "Current number of replicas above Spec.MaxReplicas", isRescale: true };
    if (current < minReplicas)
      return { replicas: minReplicas, reason: "Current number of replicas below Spec.MinReplicas", isRescale: true };
    const proposal = await this.#propose(scale, current);
    const reason = proposal.replicas > current ? `${proposal.name} above target` : "All metrics below target";
    const replicas = this.#normalize(proposal.replicas, current, minReplicas);
    return { replicas, reason, isRescale: replicas !== current };
  }

  #normalize(proposed: number, current: number, min: number): number {
    const history = this.#memory.historyOf(this.#key);
    const normalized = normalizeReplicas(proposed, { hpa: this.#hpa, current, min, history, nowMs: this.#at });
    this.#memory.keepHistory(this.#key, normalized.history);
    this.#report.say("AbleToScale", true, normalized.able.reason, normalized.able.message);
    this.#report.say("ScalingLimited", normalized.limited.isLimited, normalized.limited.reason, normalized.limited.message);
    return normalized.replicas;
  }

  /** The highest of all. Where some could not be measured the others may ask for more, but not for less. */
  async #propose(scale: Scale, current: number): Promise<Proposal> {
    const problems: Error[] = [];
    const proposals: Proposal[] = [];
    const specs = this.#hpa.spec.metrics ?? [];
    try {
      const scaled = this.#scaled(scale, current);
      const statuses: MetricStatus[] = [];
      for (const spec of specs) {
        const proposal = await measureMetric(spec, scaled).catch((error: unknown) => this.#failed(error));
        if (proposal instanceof Error) problems.push(proposal);
        else proposals.push(proposal);
        statuses.push(proposal instanceof Error ? { type: "" } : proposal.status);
      }
      this.#report.metrics = statuses;
    } catch (error) {
      return this.#giveUp(current, error);
    }
    const highest = proposals.reduce<Proposal | undefined>(
      (best, one) => (best === undefined || one.replicas > best.replicas ? one : best),
      undefined,
    );
    const [first] = problems;
    if (highest === undefined || (first !== undefined && highest.replicas < current)) {
      if (first instanceof MetricError)
        this.#report.say("ScalingActive", false, first.reason, `the HPA was unable to compute the replica count: ${first.problem}`);
      const total = `invalid metrics (${problems.length} invalid out of ${specs.length}), first error is: ${first?.message}`;
      return this.#giveUp(current, new Error(total));
    }
    const found = `the HPA was able to successfully calculate a replica count from ${highest.name}`;
    this.#report.say("ScalingActive", true, "ValidMetricFound", found);
    return highest;
  }

  #failed(error: unknown): MetricError {
    this.#ctx.signal.throwIfAborted();
    if (!(error instanceof MetricError)) throw error;
    this.#report.warn(error.reason, error.problem);
    return error;
  }

  async #giveUp(current: number, error: unknown): Promise<never> {
    await this.#report.write(current, this.#report.desiredReplicas, false);
    this.#report.warn("FailedComputeMetricsReplicas", messageOf(error));
    throw error;
  }

  /** @throws Error when the target's Pods cannot be told, or are not this autoscaler's alone */
  #scaled(scale: Scale, current: number) {
    const { client, cache, signal } = this.#ctx;
    const { namespace } = this.#key;
    const text = scale.status?.selector ?? "";
    if (text === "") {
      this.#report.warn("SelectorRequired", "selector is required");
      this.#report.say("ScalingActive", false, "InvalidSelector", "the HPA target's scale is missing a selector");
      throw new Error("selector is required");
    }
    const selector = this.#parse(text);
    this.#memory.keepSelector(this.#key, text);
    const chosen = cache(pods).list({ namespace, labelSelector: selector });
    this.#checkAlone(text, chosen);
    return {
      specReplicas: current,
      statusReplicas: scale.status?.replicas ?? 0,
      namespace,
      selector,
      pods: chosen,
      metrics: metricsApi(client, namespace, signal),
      tolerances: tolerancesOf(this.#hpa),
      nowMs: this.#nowMs,
    };
  }

  #parse(text: string): LabelSelector {
    try {
      return parseLabelSelector(text);
    } catch (error) {
      return this.#unusable(
        "InvalidSelector",
        `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`,
      );
    }
  }

  #checkAlone(text: string, chosen: readonly Pod[]): void {
    const claimants = this.#memory.claimants(this.#key.namespace, chosen);
    if (claimants.length < 2) return;
    const names = claimants.map(({ name, namespace }) => `${namespace}/${name}`).sort();
    this.#unusable("AmbiguousSelector", `pods by selector ${text} are controlled by multiple HPAs: [${names.join(" ")}]`);
  }

  #unusable(reason: string, message: string): never {
    this.#report.warn(reason, message);
    this.#report.say("ScalingActive", false, reason, message);
    throw new Error(message);
  }

  async #rescale(target: ScaleTarget, current: number, { replicas, reason }: Decision): Promise<void> {
    const { client, signal } = this.#ctx;
    try {
      await rescale(client, target, replicas, signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = messageOf(error);
      this.#report.warn("FailedRescale", `New size: ${replicas}; reason: ${reason}; error: ${message}`);
      this.#report.say("AbleToScale", false, "FailedUpdateScale", `the HPA controller was unable to update the target scale: ${message}`);
      await this.#report.write(current, this.#report.desiredReplicas, false);
      throw error;
    }
    this.#report.say("AbleToScale", true, "SucceededRescale", `the HPA controller was able to update the target scale to ${replicas}`);
    this.#report.tell({ type: "Normal", reason: "SuccessfulRescale", message: `New size: ${replicas}; reason: ${reason}` });
    this.#keepEvent(replicas - current);
  }

  /** Only those that policies of its own speak of matter. */
  #keepEvent(change: number): void {
    const { behavior } = this.#hpa.spec;
    if (behavior === undefined) return;
    const [direction, rules] = change > 0 ? (["up", behavior.scaleUp] as const) : (["down", behavior.scaleDown] as const);
    const longest = Math.max(0, ...(rules?.policies ?? []).map(({ periodSeconds }) => periodSeconds));
    const history = this.#memory.historyOf(this.#key);
    const kept = remember(history[direction], { change: Math.abs(change), at: this.#at }, longest * 1000);
    this.#memory.keepHistory(this.#key, { ...history, [direction]: kept });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
