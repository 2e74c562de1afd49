import { cloneJson, type FieldError, type OwnerReference } from "@coxswain/machinery";
import type { Container, Pod, PodCondition, PodStatus } from "@coxswain/types/core-v1";
import { dropDisabledStatusFields } from "../../../pod-spec/disabled-fields.ts";
import type { Subresources } from "../../../strategy/strategy.ts";
import { dropToleratedErrors } from "../../../validation/ratcheting.ts";
import { validatePodResize } from "./resize.ts";
import { validatePodStatusUpdate } from "./status-validation.ts";
import { validateEphemeralContainersUpdate } from "./update-validation.ts";
import { validatePod } from "./validation.ts";

export const podSubresources: Subresources<Pod> = {
  status: {
    resetFields: [
      ["metadata", "deletionTimestamp"],
      ["metadata", "ownerReferences"],
    ],
    prepareForUpdate: prepareForStatusUpdate,
    validateUpdate: validatePodStatusUpdate,
  },
  ephemeralcontainers: {
    prepareForUpdate(next, prev) {
      const wanted = next.spec?.ephemeralContainers;
      restore(next, prev);
      if (next.spec === undefined) return;
      // What is left out is for the rules to refuse.
      if (wanted === undefined) delete next.spec.ephemeralContainers;
      else next.spec.ephemeralContainers = wanted;
    },
    validateUpdate: (next, prev) => [...validateSame(next, prev), ...validateEphemeralContainersUpdate(next, prev)],
  },
  /** @see https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ */
  resize: {
    prepareForUpdate(next, prev) {
      const asked = next.spec;
      restore(next, prev);
      const { spec } = next;
      if (spec === undefined || asked === undefined) return;
      spec.containers = resized(spec.containers, asked.containers ?? []);
      if (spec.initContainers !== undefined || asked.initContainers !== undefined) {
        spec.initContainers = resized(spec.initContainers ?? [], asked.initContainers ?? []);
      }
      if (asked.resources === undefined) delete spec.resources;
      else spec.resources = asked.resources;
    },
    validateUpdate: (next, prev) => [...validateSame(next, prev), ...validatePodResize(next, prev)],
  },
};

const validateSame = (next: Readonly<Pod>, prev: Readonly<Pod>): readonly FieldError[] =>
  dropToleratedErrors(validatePod(next), () => validatePod(prev));

/** Makes of the wanted Pod the stored one, but for the preconditions of its writer: its uid and its resourceVersion. In place. */
function restore(next: Pod, prev: Readonly<Pod>): void {
  const { uid, resourceVersion } = next.metadata ?? {};
  for (const key of Object.keys(next)) delete next[key];
  Object.assign(next, cloneJson(prev));
  const { resourceVersion: _, ...meta } = next.metadata ?? {};
  next.metadata = { ...meta, ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
}

/** Containers that come, go or change places are left to the rules to refuse. */
function resized(containers: readonly Container[], asked: readonly Container[]): Container[] {
  if (containers.length !== asked.length || containers.some(({ name }, i) => name !== asked[i]?.name)) return [...asked];
  return containers.map(({ resources: _, resizePolicy: __, ...container }, i) => {
    const { resources, resizePolicy } = asked[i] ?? {};
    return { ...container, ...(resources ? { resources } : {}), ...(resizePolicy ? { resizePolicy } : {}) };
  });
}

function keepOwners(meta: Pod["metadata"], owners: readonly OwnerReference[] | undefined): void {
  if (meta === undefined) return;
  if (owners === undefined) delete meta.ownerReferences;
  else meta.ownerReferences = [...owners];
}

/**
 * Old kubelets wrote owners that they had misread: whoever writes status does not change them. They also left out fields
 * that they did not know; that does not clear them.
 */
function prepareForStatusUpdate({ metadata, status }: Pod, prev: Readonly<Pod>): void {
  keepOwners(metadata, prev.metadata?.ownerReferences);
  if (!status) return;
  keep(status, prev.status, "qosClass");
  keep(status, prev.status, "observedGeneration");
  keepConditionGenerations(status.conditions ?? [], prev.status?.conditions ?? []);
  dropDisabledStatusFields(status, prev.status);
}

/** Nothing forbids two conditions of one type: the first is the first's successor. */
function keepConditionGenerations(next: readonly PodCondition[], prev: readonly PodCondition[]): void {
  const before = Map.groupBy(prev, ({ type }) => type);
  for (const condition of next) {
    const generation = before.get(condition.type)?.shift()?.observedGeneration;
    if (!condition.observedGeneration && generation) condition.observedGeneration = generation;
  }
}

function keep<K extends "qosClass" | "observedGeneration">(status: PodStatus, prev: Readonly<PodStatus> | undefined, name: K): void {
  const value = prev?.[name];
  if (!status[name] && value !== undefined) status[name] = value;
}
