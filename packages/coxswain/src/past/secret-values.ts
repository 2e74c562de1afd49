/** Values of Secrets are not for screens and logs: they are masked as kubectl diff masks them. */
import type { KubeObject } from "@coxswain/client";

const secretFields = ["data", "stringData"] as const;
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export const isSecret = ({ kind, apiVersion }: Pick<KubeObject, "kind" | "apiVersion">): boolean =>
  kind === "Secret" && apiVersion === "v1";

/** Whether a field of a Secret, as it is written, has something secret in it. */
export const isSecretField = (field: string): boolean => /^\.(?:data|stringData)(?:[.[]|$)/.test(field) || field.includes(lastApplied);

/** Two states of one Secret: what differs is still seen to differ. */
export function masked(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): readonly [before: KubeObject | undefined, after: KubeObject | undefined] {
  return [maskedIn(before, after, "*** (before)"), maskedIn(after, before, "*** (after)")];
}

function maskedIn(object: KubeObject | undefined, other: KubeObject | undefined, differs: string): KubeObject | undefined {
  if (object === undefined || !isSecret(object)) return object;
  const mask = (values: unknown, others: unknown): unknown =>
    typeof values !== "object" || values === null
      ? values
      : Object.fromEntries(
          Object.entries(values).map(([name, value]) => {
            const else_ = (others as Readonly<Record<string, unknown>> | undefined)?.[name];
            return [name, else_ === undefined || else_ === value ? "***" : differs];
          }),
        );
  const copy: Record<string, unknown> = { ...object };
  for (const field of secretFields) if (copy[field] !== undefined) copy[field] = mask(copy[field], other?.[field]);
  const annotations = object.metadata?.annotations;
  if (annotations?.[lastApplied] !== undefined) {
    const shown = mask({ [lastApplied]: annotations[lastApplied] }, other?.metadata?.annotations) as object;
    copy.metadata = { ...object.metadata, annotations: { ...annotations, ...shown } };
  }
  return copy as KubeObject;
}
