import type { ServiceAccount } from "@coxswain/types/core-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { nameAndAge } from "../../../table/columns.ts";

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets";

export const serviceAccount = defineKind<ServiceAccount>({
  type: "io.k8s.api.core.v1.ServiceAccount",
  metadataPasses: ["changes", "whole"],
  returnDeletedObject: true,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
  warnings: (next, prev) =>
    hasAnnotation(next) && !(prev && hasAnnotation(prev))
      ? [`metadata.annotations[${mountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`]
      : [],
  columns: nameAndAge,
});

const hasAnnotation = ({ metadata }: Readonly<ServiceAccount>): boolean =>
  metadata?.annotations !== undefined && Object.hasOwn(metadata.annotations, mountableSecrets);

/** Of the references only the names count. */
function keepSecretNames(obj: ServiceAccount): void {
  if (obj.secrets !== undefined) obj.secrets = obj.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}
