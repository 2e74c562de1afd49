import { controller, done, isObjectNotFound, jobs, type Outcome, type ReconcileContext, requeue } from "@coxswain/client";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { expiryOf, type Job, type ObservedJob, plan, type TtlPlan } from "./plan.ts";

/**
 * The ttl-after-finished-controller deletes finished Jobs, with their Pods, once their TTL is over.
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/
 */
export const ttlAfterFinishedController: BuiltInController = {
  name: "ttl-after-finished-controller",
  serviceAccount: "ttl-after-finished-controller",
  aliases: ["ttl-after-finished"],
  make: () => [
    controller<Job>({
      name: "ttl-after-finished-controller",
      component: "ttl-after-finished-controller",
      for: jobs,
      predicate: ({ object }) => expiryOf(object) !== undefined,
      concurrency: 5,
      reconcile: async (_ref, ctx): Promise<Outcome> => {
        const observed = observe(ctx);
        return observed === undefined ? done : await act(ctx, observed.job, plan(observed));
      },
    }),
  ],
};

const observe = ({ object: job, client }: ReconcileContext<Job>): ObservedJob | undefined => job && { job, nowMs: client.clock.now() };

async function act({ client, signal }: ReconcileContext<Job>, job: Job, planned: TtlPlan): Promise<Outcome> {
  if (planned.do === "nothing") return done;
  if (planned.do === "wait") return requeue(planned.afterMs);
  const resource = client.resource(jobs, job.metadata?.namespace);
  const name = job.metadata?.name ?? "";
  try {
    // The TTL may have been raised in the meantime.
    const fresh = await resource.get(name, { signal });
    const again = plan({ job: fresh, nowMs: client.clock.now() });
    if (again.do === "nothing") return done;
    if (again.do === "wait") return requeue(again.afterMs);
    const { uid } = fresh.metadata ?? {};
    await resource.delete(name, { propagationPolicy: "Foreground", signal, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  } catch (error) {
    if (!isObjectNotFound(error, jobs, name)) throw error;
  }
  return done;
}
