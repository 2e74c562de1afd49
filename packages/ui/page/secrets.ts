/** Values of Secrets are shown when they are asked for: until then they are masked, as `kubectl diff` masks them. */
import type { KubeObject, TimelineObject } from "@coxswain/machinery";

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

export const isSecret = ({ group, resource }: Pick<TimelineObject, "group" | "resource">): boolean =>
  group === "" && resource === "secrets";

/** Whether a field of a Secret, as it is written, has something secret in it. */
export const isSecretField = (field: string): boolean => /^\.(?:data|stringData)(?:[.[]|$)/.test(field) || field.includes(lastApplied);

/** Two states of one Secret: what differs is still seen to differ. Undefined: there is none. */
export const maskedPair = (
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): readonly [before: KubeObject | undefined, after: KubeObject | undefined] => [
  before && masked(before, after, "*** (before)"),
  after && masked(after, before, "*** (after)"),
];

export function masked(object: KubeObject, other?: KubeObject, differs = "***"): KubeObject {
  const copy: Record<string, unknown> = { ...object };
  const others = other as Readonly<Record<string, unknown>> | undefined;
  for (const field of ["data", "stringData"])
    if (copy[field] !== undefined) copy[field] = withoutValues(copy[field], others?.[field], differs);
  const { annotations } = object.metadata ?? {};
  if (annotations?.[lastApplied] === undefined) return copy as KubeObject;
  const shown = withoutValues({ [lastApplied]: annotations[lastApplied] }, other?.metadata?.annotations, differs) as object;
  return { ...copy, metadata: { ...object.metadata, annotations: { ...annotations, ...shown } } } as KubeObject;
}

function withoutValues(values: unknown, others: unknown, differs: string): unknown {
  if (typeof values !== "object" || values === null) return values;
  const known = others as Readonly<Record<string, unknown>> | undefined;
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, known?.[name] === undefined || known[name] === value ? "***" : differs]),
  );
}
