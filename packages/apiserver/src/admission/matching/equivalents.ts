/** The same objects under other versions and groups: what the match policy Equivalent is about. */
import { builtinResources } from "@coxswain/api";
import type { AdmissionResource } from "../../contracts/admission.ts";
import type { ServedResource, ServedResources } from "../../contracts/served-resource.ts";

/** Every resource, but the given one, through which its objects are served and which has the subresource. */
export type Equivalents = (resource: AdmissionResource, subresource: string) => readonly ServedResource[];

export function createEquivalents(served: Pick<ServedResources, "find">): Equivalents {
  const builtIn = sharedPrefixes();
  return ({ definition }, subresource) => {
    const { custom, storagePrefix = "" } = definition;
    const others = custom === undefined ? builtIn.get(storagePrefix) : custom.versions.values();
    if (others === undefined) return none;
    const found: ServedResource[] = [];
    for (const { group, version, resource } of others) {
      if (version === definition.version && group === definition.group) continue;
      const other = served.find(group, version, resource);
      if (other !== undefined && (subresource === "" || other.definition.subresources.has(subresource))) found.push(other);
    }
    return found;
  };
}

const none: readonly ServedResource[] = [];

interface Name {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Only where several are stored as one: Events of both groups, autoscalers of both versions. */
function sharedPrefixes(): ReadonlyMap<string, readonly Name[]> {
  const byPrefix = new Map<string, Name[]>();
  for (const { storagePrefix, group, version, resource } of builtinResources()) {
    if (storagePrefix === undefined) continue;
    const known = byPrefix.get(storagePrefix);
    if (known === undefined) byPrefix.set(storagePrefix, [{ group, version, resource }]);
    else known.push({ group, version, resource });
  }
  return new Map([...byPrefix].filter(([, names]) => names.length > 1));
}
