/**
 * What a claim is filled from: `dataSource` of old, `dataSourceRef` of late, which say the same.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#data-source-references
 */
import { field, validateDns1123Subdomain } from "@coxswain/machinery";
import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "../checks.ts";
import { ratchet } from "../ratcheting.ts";

type Spec = PersistentVolumeClaimSpec;

/** Changes `spec` in place. A reference across namespaces needs a feature that is off by default, and is dropped. */
export function normalizeDataSources(spec: Spec, prev: Readonly<Spec> | undefined): void {
  if (spec.dataSourceRef?.namespace && prev?.dataSourceRef === undefined) delete spec.dataSourceRef;
  const { dataSource, dataSourceRef } = spec;
  if (dataSourceRef !== undefined) {
    if (dataSource === undefined && !dataSourceRef.namespace) {
      const { namespace: _, ...local } = dataSourceRef;
      spec.dataSource = local;
    }
    return;
  }
  if (dataSource === undefined) return;
  if (prev?.dataSource === undefined && prev?.dataSourceRef === undefined && !isClaimOrSnapshot(dataSource)) delete spec.dataSource;
  else spec.dataSourceRef = { ...dataSource };
}

/** Other sources were silently ignored before dataSourceRef came, and still are. */
const isClaimOrSnapshot = ({ apiGroup, kind }: TypedLocalObjectReference): boolean =>
  (!apiGroup && kind === "PersistentVolumeClaim") || (apiGroup === "snapshot.storage.k8s.io" && kind === "VolumeSnapshot");

export function validateDataSources(out: Errors, path: string, { dataSource, dataSourceRef }: Readonly<Spec>): void {
  if (dataSource !== undefined) validateReference(out, `${path}.dataSource`, dataSource);
  if (dataSourceRef !== undefined) validateReference(out, `${path}.dataSourceRef`, dataSourceRef);
  if (dataSource === undefined || dataSourceRef === undefined) return;
  if (dataSourceRef.namespace) {
    out.push(field.invalid(path, `${path}.dataSource`, "may not be specified when dataSourceRef.namespace is specified"));
  } else if (
    (dataSource.apiGroup ?? "") !== (dataSourceRef.apiGroup ?? "") ||
    dataSource.kind !== dataSourceRef.kind ||
    dataSource.name !== dataSourceRef.name
  ) {
    out.push(field.invalid(path, `${path}.dataSource`, "must match dataSourceRef"));
  }
}

function validateReference(out: Errors, path: string, { apiGroup, kind, name }: TypedLocalObjectReference): void {
  if (!name) out.push(field.required(`${path}.name`));
  if (!kind) out.push(field.required(`${path}.kind`));
  if (apiGroup) ratchet(out, "data source group", () => addInvalid(out, `${path}.apiGroup`, apiGroup, validateDns1123Subdomain(apiGroup)));
  else if (kind !== "PersistentVolumeClaim") {
    out.push(field.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
}
