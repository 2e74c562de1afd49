/**
 * Which Secrets a Pod names, and which it may where its service account lists those it allows.
 * @see https://kubernetes.io/docs/concepts/security/service-accounts/#enforce-mountable-secrets
 */
import type { coreV1 } from "@coxswain/api";

type Spec = Readonly<coreV1.PodSpec>;
type Container = Pick<coreV1.Container, "name" | "env" | "envFrom">;
type Account = Readonly<coreV1.ServiceAccount>;

/** Kubernetes' sentence about the first that is not allowed. */
export function checkSecrets(spec: Spec, account: Account): string | undefined {
  const allowed = allowedBy(account);
  for (const { secret } of spec.volumes ?? []) {
    const name = secret?.secretName ?? "";
    if (secret !== undefined && !allowed.has(name)) return refusal(`volume with secret.secretName="${name}"`, account);
  }
  const ofContainers =
    checkContainers("init container", spec.initContainers ?? [], account) ?? checkContainers("container", spec.containers ?? [], account);
  if (ofContainers !== undefined) return ofContainers;
  const pullSecrets = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const at = (spec.imagePullSecrets ?? []).findIndex(({ name }) => !pullSecrets.has(name));
  if (at < 0) return undefined;
  const name = spec.imagePullSecrets?.[at]?.name ?? "";
  return `imagePullSecrets[${at}].name="${name}" is not allowed because service account ${account.metadata?.name} does not reference that imagePullSecret`;
}

export const checkEphemeralSecrets = ({ ephemeralContainers = [] }: Spec, account: Account): string | undefined =>
  checkContainers("ephemeral container", ephemeralContainers, account);

function checkContainers(what: string, containers: readonly Container[], account: Account): string | undefined {
  const allowed = allowedBy(account);
  for (const { name: container, env = [], envFrom = [] } of containers) {
    for (const { name: variable, valueFrom } of env) {
      const name = valueFrom?.secretKeyRef?.name ?? "";
      if (valueFrom?.secretKeyRef !== undefined && !allowed.has(name))
        return refusal(`${what} ${container} with envVar ${variable} referencing secret.secretName="${name}"`, account);
    }
    for (const { secretRef } of envFrom) {
      const name = secretRef?.name ?? "";
      if (secretRef !== undefined && !allowed.has(name))
        return refusal(`${what} ${container} with envFrom referencing secret.secretName="${name}"`, account);
    }
  }
  return undefined;
}

const allowedBy = ({ secrets = [] }: Account): ReadonlySet<string> => new Set(secrets.map(({ name = "" }) => name));

const refusal = (what: string, { metadata }: Account): string =>
  `${what} is not allowed because service account ${metadata?.name} does not reference that secret`;
