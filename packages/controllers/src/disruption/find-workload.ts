import {
  controllerOf,
  deployments,
  isNotFound,
  type ReconcileContext,
  type ResourceRef,
  replicaSets,
  replicationControllers,
  statefulSets,
} from "@coxswain/client";
import { type KubeObject, type OwnerReference, parseApiVersion, qualifiedResource } from "@coxswain/machinery";
import type { Budget, FindWorkload, Workload } from "./expected-pods.ts";

interface Scaled extends KubeObject {
  spec?: { replicas?: number };
}

const known: readonly ResourceRef<Scaled>[] = [replicationControllers, replicaSets, statefulSets];

/** What is well known from the cache; anything else, custom resources too, by its subresource `scale`. */
export const workloadFinder =
  ({ cache, client, signal }: ReconcileContext<Budget>, namespace: string): FindWorkload =>
  async (controller) => {
    const ref = known.find((one) => isOf(one, controller));
    const object = ref === undefined ? undefined : named(ref, controller);
    if (object === undefined) return await byScale(controller);
    const owner = controllerOf(object);
    if (owner === undefined || ref !== replicaSets || owner.kind !== deployments.kind) return workloadOf(object);
    const deployment = isOf(deployments, owner) ? named(deployments, owner) : undefined;
    return deployment === undefined ? await byScale(controller) : workloadOf(deployment);

    function named<T extends Scaled>(resource: ResourceRef<T>, { name, uid }: OwnerReference): T | undefined {
      const found = cache(resource).get({ namespace, name });
      return found?.metadata?.uid === uid ? found : undefined;
    }

    async function byScale({ apiVersion, kind, name, uid }: OwnerReference): Promise<Workload | undefined> {
      const resource = await client.refOf({ apiVersion, kind }, { signal });
      const target = client.resource(resource, namespace);
      try {
        const scale: Scaled = await target.subresource(name, "scale").get({ signal });
        return scale.metadata?.uid === uid ? workloadOf(scale) : undefined;
      } catch (error) {
        // A resource without the subresource answers that too.
        if (!isNotFound(error)) throw error;
      }
      // It may not read the object itself, only its scale: discovery says whether there can be one.
      const { resources } = await client.discover({ signal });
      const served = resources.find(
        (one) => one.group === resource.group && one.version === resource.version && one.resource === resource.resource,
      );
      if (served !== undefined && !served.subresources.some((one) => one.name === "scale"))
        throw new Error(`${qualifiedResource(resource)} does not implement the scale subresource`);
      return undefined;
    }
  };

const workloadOf = ({ metadata, spec }: Scaled): Workload => ({ uid: metadata?.uid ?? "", replicas: spec?.replicas ?? 0 });

const isOf = (ref: ResourceRef, { apiVersion, kind }: OwnerReference): boolean =>
  ref.kind === kind && parseApiVersion(apiVersion)?.group === ref.group;
