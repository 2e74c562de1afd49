/**
 * Fields of features that Kubernetes 1.36 leaves off: they are dropped, unless the object had the field before.
 * @see https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
 */
import type { PodSpec, PodStatus, PodTemplateSpec, VolumeProjection } from "@coxswain/types/core-v1";
import { visitContainers } from "./visit-containers.ts";

/** In place. */
export function dropDisabledFields(spec: PodSpec | undefined, prev: Readonly<PodSpec> | undefined): void {
  if (!spec) return;
  if (usesStopSignals(spec) && !usesStopSignals(prev)) dropStopSignals(spec);
  for (const name of ["clusterTrustBundle", "podCertificate"] as const) {
    if (!usesProjection(spec, name) || usesProjection(prev, name)) continue;
    for (const source of projectionsOf(spec)) delete source[name];
  }
  if (spec.schedulingGroup && !prev?.schedulingGroup) delete spec.schedulingGroup;
}

export const dropDisabledTemplateFields = (template: PodTemplateSpec | undefined, prev: Readonly<PodTemplateSpec> | undefined): void =>
  dropDisabledFields(template?.spec, prev?.spec);

export function dropDisabledStatusFields(status: PodStatus, prev: Readonly<PodStatus> | undefined): void {
  if (!prev?.nodeAllocatableResourceClaimStatuses?.length) delete status.nodeAllocatableResourceClaimStatuses;
  if (mountsOf(prev).some((mount) => mount.volumeStatus)) return;
  for (const mount of mountsOf(status)) if (mount.volumeStatus) delete mount.volumeStatus;
}

const mountsOf = (status: Readonly<PodStatus> | undefined) =>
  (["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"] as const)
    .flatMap((name) => status?.[name] ?? [])
    .flatMap((container) => container.volumeMounts ?? []);

function usesStopSignals(spec: Readonly<PodSpec> | undefined): boolean {
  let uses = false;
  if (spec) {
    visitContainers(spec, "", ({ lifecycle }) => {
      uses ||= lifecycle?.stopSignal !== undefined;
    });
  }
  return uses;
}

function dropStopSignals(spec: PodSpec): void {
  visitContainers(spec, "", (container) => {
    const { lifecycle } = container;
    if (lifecycle?.stopSignal === undefined) return;
    delete lifecycle.stopSignal;
    if (Object.keys(lifecycle).length === 0) delete container.lifecycle;
  });
}

const projectionsOf = (spec: Readonly<PodSpec> | undefined): VolumeProjection[] =>
  (spec?.volumes ?? []).flatMap((volume) => volume.projected?.sources ?? []);

const usesProjection = (spec: Readonly<PodSpec> | undefined, name: "clusterTrustBundle" | "podCertificate"): boolean =>
  projectionsOf(spec).some((source) => source[name]);
