import { controller, done, isObjectNotFound, jobs, type Outcome, type ReconcileContext, requeue } from "@coxswain/client";
import type { BuiltInController } from "../built-in-controller.ts";
import type { Job } from "../job/job-settings.ts";
import { expiryOf } from "./expiry.ts";

/** Deletes Jobs some time after they have finished, with all that is theirs. */
export const ttlAfterFinishedController: BuiltInController = {
  name: "ttl-after-finished-controller",
  aliases: ["ttl-after-finished"],
  make: () => [
    controller<Job>({
      name: "ttl-after-finished-controller",
      component: "ttl-after-finished-controller",
      for: jobs,
      predicate: ({ object }) => expiryOf(object) !== undefined,
      concurrency: 5,
      reconcile: (_ref, ctx) => reconcile(ctx),
    }),
  ],
};

async function reconcile({ object, client, signal }: ReconcileContext<Job>): Promise<Outcome> {
  const afterMs = object === undefined ? undefined : remaining(object, client.clock.now());
  if (object === undefined || afterMs === undefined) return done;
  if (afterMs > 0) return requeue(afterMs);
  const resource = client.resource(jobs, object.metadata?.namespace);
  const name = object.metadata?.name ?? "";
  try {
    // Somebody may have given it more time.
    const fresh = await resource.get(name, { signal });
    const left = remaining(fresh, client.clock.now());
    if (left === undefined) return done;
    if (left > 0) return requeue(left);
    const { uid } = fresh.metadata ?? {};
    await resource.delete(name, { propagationPolicy: "Foreground", signal, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  } catch (error) {
    if (!isObjectNotFound(error, jobs, name)) throw error;
  }
  return done;
}

const remaining = (job: Job, nowMs: number): number | undefined => {
  const at = expiryOf(job);
  return at === undefined ? undefined : Math.max(0, at - nowMs);
};
