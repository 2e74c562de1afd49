/**
 * Enforces NetworkPolicies on a node: keeps its nftables rules as the policies about its Pods want them.
 * @see https://kubernetes.io/docs/concepts/services-networking/network-policies/
 */
import { type Change, namespaces, networkPolicies, pods, type Subscriber, type Task, type TaskContext } from "@coxswain/client";
import { AsyncDisposableStack, type KubeObject } from "@coxswain/machinery";
import { nextStep } from "@coxswain/proxy";
import { policyMetrics } from "../metrics/policy-metrics.ts";
import { ObservedCluster } from "./observed-cluster.ts";
import { RulesWriter, type RulesWriterOptions } from "./rules-writer.ts";

const component = "network-policy";

/** A task that runs once in each `run` of a manager. Rules stay when it ends, so that nothing is let through that was not. */
export interface NetworkPolicyAgent extends Task {
  /** Resolves when the rules were first written; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Whether rules were written, and follow what happens in the cluster. */
  healthy(): boolean;
}

/** Creates an agent, which works once it runs in a manager. */
export function createNetworkPolicyAgent(options: RulesWriterOptions): NetworkPolicyAgent {
  const ready = Promise.withResolvers<void>();
  // Who does not wait for it need not handle that it never comes.
  ready.promise.catch(() => undefined);
  let current: RulesWriter | undefined;
  const onReady = (writer: RulesWriter): void => {
    current = writer;
    ready.resolve();
  };
  return {
    // One manager may have those of several nodes.
    name: `${component}-${options.nodeName}`,
    component,
    ready: ready.promise,
    healthy: () => current?.isHealthy === true,
    run: async (ctx, signal) => {
      try {
        await runAgent(options, { ctx, onReady }, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        current = undefined;
        ready.reject(new Error("the agent has ended"));
      }
    },
  };
}

interface Surroundings {
  readonly ctx: TaskContext;
  readonly onReady: (writer: RulesWriter) => void;
}

async function runAgent(options: RulesWriterOptions, { ctx, onReady }: Surroundings, signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { clock } = ctx.client;
  const { starting } = options;
  const cluster = new ObservedCluster(starting);
  const writer = new RulesWriter(options, { cluster, metrics: policyMetrics(ctx.metrics, options.nodeName), clock, log: ctx.log });
  const noteChange = (): void => writer.noteChange();
  follow(ctx, { cluster, noteChange, onChange: () => starting?.update() }, stack);
  await ctx.informers.synced({ signal });
  writer.noteChange();
  // Before, what is not known yet may be there.
  if (starting !== undefined) stack.use(starting.attach({ selectionOf: (pod) => cluster.selectionOf(pod), noteChange }));
  while (!signal.aborted) {
    const { step, at } = nextStep(writer.state, options);
    const waitMs = at - clock.monotonic();
    if (waitMs > 0) {
      await writer.changedOr(waitMs, signal);
      continue;
    }
    await writer.perform(step, signal);
    if (writer.isWritten) onReady(writer);
  }
}

interface Following {
  readonly cluster: ObservedCluster;
  readonly noteChange: () => void;
  /** Called after each change. */
  readonly onChange: () => void;
}

/** What comes is only noted; the loop writes it. */
function follow({ informers, log }: TaskContext, { cluster, noteChange, onChange }: Following, stack: AsyncDisposableStack): void {
  const noting =
    <T extends KubeObject>(note: (change: Change<T>) => boolean): Subscriber<T> =>
    (change) => {
      if (note(change)) noteChange();
      onChange();
    };
  const ofNamespaces = stack.use(informers.use(namespaces)).informer;
  stack.use(ofNamespaces.subscribe(noting((change) => cluster.onNamespace(change))));
  const ofPods = stack.use(informers.use(pods)).informer;
  stack.use(ofPods.subscribe(noting((change) => cluster.onPod(change))));
  const ofPolicies = stack.use(informers.use(networkPolicies)).informer;
  stack.use(
    ofPolicies.subscribe((change) => {
      try {
        if (cluster.onPolicy(change)) noteChange();
      } catch (error) {
        const { namespace, name } = change.object.metadata ?? {};
        log.error({ networkPolicy: `${namespace}/${name}`, error }, "failed to read a NetworkPolicy; it counts for nothing");
        noteChange();
      }
      onChange();
    }),
  );
}
