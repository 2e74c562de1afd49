/** The resource that a word means, as kubectl takes it. */
import type { DiscoveredResource } from "@coxswain/client";

/**
 * By its plural, singular or short name, whichever comes first in the server's order; with its group, or its version and group, behind
 * points. Undefined: the server has none.
 */
export function findResource(resources: readonly DiscoveredResource[], word: string): DiscoveredResource | undefined {
  const [name = "", ...rest] = word.toLowerCase().split(".");
  const suffix = rest.join(".");
  const served = resources.filter(({ verbs }) => verbs.includes("get"));
  const exact = served.filter(({ group, version }) => rest.length > 1 && suffix === (group === "" ? `${version}.` : `${version}.${group}`));
  const ofGroup = suffix === "" ? served : [...exact, ...served.filter(({ group }) => group === suffix)];
  const byName = (isNamed: (one: DiscoveredResource) => boolean): DiscoveredResource | undefined => {
    const found = ofGroup.filter(isNamed);
    return found.find((one) => exact.includes(one)) ?? found.find(({ preferred }) => preferred) ?? found[0];
  };
  return (
    byName(({ resource }) => resource === name) ??
    byName(({ singular, kind }) => singular === name || kind.toLowerCase() === name) ??
    byName(({ shortNames }) => shortNames.includes(name))
  );
}

/** As kubectl prints it: `deployment.apps/web`. */
export const shownName = ({ kind, group }: Pick<DiscoveredResource, "kind" | "group">, name: string): string =>
  `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
