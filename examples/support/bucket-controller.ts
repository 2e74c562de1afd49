/** Keeps buckets in an S3-like cloud in line with Bucket objects: made, tagged, repaired, adopted, and deleted with them. */

import { isDeepStrictEqual } from "node:util";
import {
  type Condition,
  type Controller,
  controller,
  defineResource,
  done,
  ensureFinalizer,
  generationChanged,
  hasFinalizer,
  isBeingDeleted,
  type KubeObject,
  type ReconcileContext,
  releaseFinalizer,
  requeue,
  withCondition,
} from "@coxswain/client";
import { type S3, S3Error, type Tags } from "./s3.ts";

export interface Bucket extends KubeObject {
  spec: { bucketName: string; tags?: Record<string, string>; adopt?: boolean };
  status?: { claimed?: boolean; observedGeneration?: number; conditions?: Condition[] };
}

export const buckets = defineResource<Bucket>({
  group: "cloud.example",
  version: "v1",
  resource: "buckets",
  kind: "Bucket",
  namespaced: true,
});

const finalizer = "cloud.example/bucket";
/** On the bucket: the uid of the object that it belongs to. */
export const ownerTag = "kubernetes-owner";

/** The cloud sends no events, so every bucket is read again after `lookAgainMs`. */
export const bucketController = (s3: S3, { resyncMs = 60_000 } = {}): Controller =>
  controller<Bucket>({
    name: "buckets",
    for: buckets,
    predicate: generationChanged, // not woken by what it says in the status itself
    reconcile: async (_ref, ctx) => {
      const { object, signal } = ctx;
      if (object === undefined) return done;
      const cloud = s3.until(signal); // who no longer leads does nothing there either
      try {
        if (!isBeingDeleted(object)) await bringInLine(cloud, object, ctx);
        else if (hasFinalizer(object, finalizer)) await cleanUp(cloud, object, ctx);
        else return done;
      } catch (error) {
        if (error instanceof S3Error) await report(object, ctx, { status: "False", reason: error.code, message: error.message });
        throw error; // it comes again, later each time
      }
      return requeue(resyncMs);
    },
  });

type Context = ReconcileContext<Bucket>;

async function bringInLine(s3: S3, bucket: Bucket, ctx: Context): Promise<void> {
  const { bucketName, tags, adopt = false } = bucket.spec;
  const resource = ctx.client.resource(buckets);
  await ensureFinalizer(resource, bucket, finalizer, ctx); // before there is anything to clean up
  const found = await s3.tagsOf(bucketName);
  const isFree = found === undefined || (adopt && found[ownerTag] === undefined);
  if (!isFree && !isOurs(found, bucket))
    return await report(bucket, ctx, { status: "False", reason: "NotOurs", message: `the bucket ${bucketName} is there already` });
  if (!bucket.status?.claimed) await setStatus(bucket, ctx, () => ({ claimed: true })); // before there is something to claim
  if (found === undefined) await s3.createBucket(bucketName);
  const wanted = { ...tags, [ownerTag]: bucket.metadata?.uid ?? "" };
  if (!isDeepStrictEqual(found, wanted)) await s3.setTags(bucketName, wanted);
  await report(bucket, ctx, { status: "True", reason: "InLine" });
}

/** In this order: while the finalizer is there, the controller knows that there is something to clean up. */
async function cleanUp(s3: S3, bucket: Bucket, ctx: Context): Promise<void> {
  const found = await s3.tagsOf(bucket.spec.bucketName);
  if (found !== undefined && isOurs(found, bucket)) await s3.deleteBucket(bucket.spec.bucketName);
  await releaseFinalizer(ctx.client.resource(buckets), bucket, finalizer, ctx);
}

const isOurs = (found: Tags, { metadata, status }: Bucket): boolean =>
  found[ownerTag] === metadata?.uid || (found[ownerTag] === undefined && status?.claimed === true);

interface Readiness {
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message?: string;
}

/** Of the generation that was observed; `modify` writes only what is new, and no other writer's part of the status. */
const report = (bucket: Bucket, ctx: Context, { status, reason, message = "" }: Readiness): Promise<void> => {
  const observedGeneration = bucket.metadata?.generation ?? 0;
  const ready = { type: "Ready", status, reason, message, observedGeneration };
  return setStatus(bucket, ctx, (before) => ({
    observedGeneration,
    conditions: withCondition(before?.conditions, ready, ctx.client.clock),
  }));
};

const setStatus = async ({ metadata }: Bucket, { client, signal }: Context, change: (before: Bucket["status"]) => Bucket["status"]) => {
  const target = { namespace: metadata?.namespace, name: metadata?.name ?? "" };
  const opts = { subresource: "status", signal } as const;
  await client.resource(buckets).modify(target, (draft) => ({ ...draft, status: { ...draft.status, ...change(draft.status) } }), opts);
};
