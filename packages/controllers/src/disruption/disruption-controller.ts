import {
  type Change,
  type Controller,
  controller,
  controllerOf,
  deployments,
  done,
  type KubeObject,
  type Lister,
  type ObjectRef,
  type Outcome,
  podDisruptionBudgets,
  pods,
  type ReconcileContext,
  replicaSets,
  replicationControllers,
  requeue,
  StatusError,
  statefulSets,
  watching,
} from "@coxswain/client";
import { deepEqual, type LabelSelector, labelSelectorFromObject } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { isPodReady, type Pod } from "../shared/pods/pod-state.ts";
import { type BudgetStatus, disruptedPods, failedStatus, nextStatus } from "./budget-status.ts";
import { type Budget, expectedPods } from "./expected-pods.ts";
import { workloadFinder } from "./find-workload.ts";
import { printSelector } from "./print-selector.ts";
import { staleDisruptionMs, withoutDisruption } from "./stale-disruption.ts";

/** Says how many Pods may be evicted, and takes back of Pods that they would be. */
export const disruptionController: BuiltInController = {
  name: "disruption-controller",
  aliases: ["disruption"],
  make: () => [countingDisruptions(new WeakSet()), takingBackDisruptions()],
};

const component = "controllermanager";

/** `told` are the Pods of which it was said that several budgets have them. */
const countingDisruptions = (told: WeakSet<Pod>): Controller =>
  controller<Budget>({
    name: "disruption-controller",
    component,
    for: podDisruptionBudgets,
    watches: [
      watching(pods, (pod, change, { main }) => (mattersTo(pod, change) ? budgetsOf(pod, main()) : [])),
      // Read, but no news: what they change shows in their Pods.
      ...[replicationControllers, replicaSets, deployments, statefulSets].map((ref) => watching<KubeObject>(ref, () => [])),
    ],
    reconcile: (ref, ctx) => reconcileBudget(ref, ctx, told),
  });

const takingBackDisruptions = (): Controller =>
  controller<Pod>({
    name: "disruption-controller-stale-pods",
    component,
    for: pods,
    predicate: ({ type, object }) => type !== "deleted" && staleDisruptionMs(object, 0) !== undefined,
    reconcile: async (_ref, { object, client, signal }) => {
      const nowMs = client.clock.now();
      const leftMs = object === undefined ? undefined : staleDisruptionMs(object, nowMs);
      if (object === undefined || leftMs === undefined) return done;
      if (leftMs > 0) return requeue(leftMs);
      await client.resource(pods, object.metadata?.namespace).updateStatus(withoutDisruption(object, nowMs), { signal });
      return done;
    },
  });

const selectorOf = ({ spec }: Budget): LabelSelector => labelSelectorFromObject(spec?.selector);

/** By name, so that all agree on which one is the first. */
const budgetsOf = (pod: Pod, budgets: Lister): readonly ObjectRef[] => {
  const { namespace, labels } = pod.metadata ?? {};
  return (budgets as Lister<KubeObject> as Lister<Budget>)
    .list({ namespace })
    .filter((budget) => matches(budget, labels))
    .map(({ metadata }) => ({ namespace, name: metadata?.name ?? "" }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
};

/** A selector that cannot be read chooses nothing. */
function matches(budget: Budget, labels: Record<string, string> | undefined): boolean {
  try {
    return selectorOf(budget).matches(labels);
  } catch {
    return false;
  }
}

function mattersTo(pod: Pod, change: Change<Pod>): boolean {
  if (change.type !== "updated") return true;
  const { previous, object } = change;
  const isMoved = !deepEqual(previous.metadata?.labels, object.metadata?.labels);
  if (pod !== object || isMoved) return isMoved;
  return (
    isPodReady(previous) !== isPodReady(object) ||
    previous.metadata?.deletionTimestamp !== object.metadata?.deletionTimestamp ||
    controllerOf(previous)?.uid !== controllerOf(object)?.uid
  );
}

async function reconcileBudget(ref: ObjectRef, ctx: ReconcileContext<Budget>, told: WeakSet<Pod>): Promise<Outcome> {
  const { object: budget, client } = ctx;
  if (budget === undefined) return done;
  const say = sayer(budget, ctx);
  try {
    const chosen = podsOf(budget, ctx, say);
    tellSeveral(ref, chosen, ctx, told);
    const expected = await expectedPods(budget, chosen, workloadFinder(ctx, ref.namespace ?? "")).catch((error: unknown) => {
      say("Warning", "CalculateExpectedPodCountFailed", `Failed to calculate the number of expected pods: ${messageOf(error)}`);
      throw new UncountableError(error);
    });
    if (expected.unmanaged.length > 0) say("Warning", "UnmanagedPods", unmanagedMessage(budget));
    const nowMs = client.clock.now();
    const disrupted = disruptedPods(chosen, budget.status?.disruptedPods, nowMs);
    for (const pod of disrupted.notDeleted) {
      const message = `Pod was expected by PDB ${ref.namespace}/${ref.namespace} to be deleted but it wasn't`;
      ctx.events.record(pod, { type: "Warning", reason: "NotDeleted", message }, pods);
    }
    await write(budget, nextStatus(budget, expected, { pods: chosen, disrupted: disrupted.pods, nowMs }), ctx);
    return disrupted.recheckAfterMs === undefined ? done : requeue(Math.max(1, disrupted.recheckAfterMs + 1));
  } catch (error) {
    if (!(error instanceof UncountableError)) throw error;
    await write(budget, failedStatus(budget, error.message, client.clock.now()), ctx);
    // What a server could not say now it may say later; all else changes with the objects.
    if (error.cause instanceof StatusError) throw error.cause;
    return done;
  }
}

class UncountableError extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = "UncountableError";
  }
}

type Say = (type: "Normal" | "Warning", reason: string, message: string) => void;

const sayer =
  (budget: Budget, { events }: ReconcileContext<Budget>): Say =>
  (type, reason, message) =>
    events.record(budget, { type, reason, message }, podDisruptionBudgets);

function podsOf(budget: Budget, { cache }: ReconcileContext<Budget>, say: Say): Pod[] {
  try {
    const selector = selectorOf(budget);
    const chosen = cache(pods)
      .list({ namespace: budget.metadata?.namespace })
      .filter(({ metadata }) => selector.matches(metadata?.labels));
    if (chosen.length === 0) say("Normal", "NoPods", "No matching pods found");
    return chosen;
  } catch (error) {
    say("Warning", "NoPods", `Failed to get pods: ${messageOf(error)}`);
    throw new UncountableError(error);
  }
}

/** Once for each state of a Pod, by the first of its budgets. */
function tellSeveral(
  { namespace, name }: ObjectRef,
  chosen: readonly Pod[],
  { cache, events }: ReconcileContext<Budget>,
  told: WeakSet<Pod>,
): void {
  if (cache(podDisruptionBudgets).list({ namespace }).length < 2) return;
  for (const pod of chosen) {
    const [first, second] = budgetsOf(pod, cache(podDisruptionBudgets) as Lister<Budget> as Lister<KubeObject>);
    if (second === undefined || first?.name !== name || told.has(pod)) continue;
    told.add(pod);
    const which = `Pod ${JSON.stringify(namespace)}/${JSON.stringify(pod.metadata?.name)}`;
    const message = `${which} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(name)} arbitrarily.`;
    events.record(pod, { type: "Warning", reason: "MultiplePodDisruptionBudgets", message }, pods);
  }
}

async function write(budget: Budget, status: BudgetStatus | undefined, { client, signal }: ReconcileContext<Budget>): Promise<void> {
  if (status === undefined) return;
  await client.resource(podDisruptionBudgets, budget.metadata?.namespace).updateStatus({ ...budget, status }, { signal });
}

const unmanagedMessage = ({ spec }: Budget): string =>
  [
    `Pods selected by this PodDisruptionBudget (selector: ${printSelector(spec?.selector)}) were found to be unmanaged.`,
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior.",
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
  ].join(" ");

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
