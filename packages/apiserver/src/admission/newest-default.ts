/** Of several classes that an annotation marks as the default, the one made last counts; of those of one second, the first by name. */
import type { KubeObject } from "@coxswain/machinery";

export function newestDefault<T extends KubeObject>(
  classes: readonly Readonly<T>[],
  annotations: readonly string[],
): Readonly<T> | undefined {
  const isDefault = ({ metadata }: Readonly<KubeObject>): boolean => annotations.some((key) => metadata?.annotations?.[key] === "true");
  return classes.filter(isDefault).sort(byAge)[0];
}

function byAge({ metadata: a = {} }: Readonly<KubeObject>, { metadata: b = {} }: Readonly<KubeObject>): number {
  const [made, other] = [Date.parse(a.creationTimestamp ?? ""), Date.parse(b.creationTimestamp ?? "")];
  if (made !== other) return other - made;
  return (a.name ?? "") < (b.name ?? "") ? -1 : 1;
}
