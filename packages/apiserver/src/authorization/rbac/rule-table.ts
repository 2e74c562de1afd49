/** The rules of one subject in one place, arranged so that a decision is a few lookups, however many rules there are. */
import type { rbacV1 } from "@coxswain/api";
import type { AuthorizationAttributes } from "../../contracts/authorizer.ts";
import { withoutStars } from "../../contracts/non-resource-url.ts";

/** By verb, or `*`: which grant allows it, for every object or for those of a name. */
type Verbs = Map<string, Grants>;

interface Grants {
  every: string | undefined;
  byName: Map<string, string> | undefined;
}

export class RuleTable {
  /** By group, then by `resource`, `resource/subresource`, `*\/subresource` or `*`. */
  readonly #groups = new Map<string, Map<string, Verbs>>();
  readonly #paths = new Map<string, Verbs>();
  /** What paths begin with. */
  readonly #prefixes = new Map<string, Verbs>();

  /** @param grant by which binding the rule applies, for the reason of a decision */
  add(
    { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs }: Readonly<rbacV1.PolicyRule>,
    grant: string,
  ): void {
    for (const group of apiGroups) {
      const byResource = obtain(this.#groups, group, () => new Map<string, Verbs>());
      for (const resource of resources) allow(obtain(byResource, resource, newVerbs), { verbs, resourceNames, grant });
    }
    for (const url of nonResourceURLs) {
      const [paths, path] = url.endsWith("*") ? [this.#prefixes, withoutStars(url)] : [this.#paths, url];
      allow(obtain(paths, path, newVerbs), { verbs, resourceNames: [], grant });
    }
  }

  /** By which binding the request is allowed, or undefined. `combined`: the resource with its subresource. */
  find(attributes: AuthorizationAttributes, combined: string): string | undefined {
    if (attributes.kind === "path") return this.#findPath(attributes.path, attributes.verb);
    return this.#findResource(attributes.group, attributes, combined) ?? this.#findResource("*", attributes, combined);
  }

  #findResource(group: string, attributes: AuthorizationAttributes & { readonly kind: "resource" }, combined: string): string | undefined {
    const resources = this.#groups.get(group);
    if (resources === undefined) return undefined;
    const { verb, name, subresource } = attributes;
    return (
      grantOf(resources.get(combined), verb, name) ??
      grantOf(resources.get("*"), verb, name) ??
      (subresource === "" ? undefined : grantOf(resources.get(`*/${subresource}`), verb, name))
    );
  }

  #findPath(path: string, verb: string): string | undefined {
    const exact = grantOf(this.#paths.get(path), verb, "");
    if (exact !== undefined) return exact;
    for (const [prefix, verbs] of this.#prefixes) {
      if (!path.startsWith(prefix)) continue;
      const grant = grantOf(verbs, verb, "");
      if (grant !== undefined) return grant;
    }
    return undefined;
  }
}

const newVerbs = (): Verbs => new Map();

function allow(
  table: Verbs,
  { verbs, resourceNames, grant }: { readonly verbs: readonly string[]; readonly resourceNames: readonly string[]; readonly grant: string },
): void {
  for (const verb of verbs) {
    const grants = obtain(table, verb, (): Grants => ({ every: undefined, byName: undefined }));
    if (resourceNames.length === 0) grants.every ??= grant;
    for (const name of resourceNames) {
      grants.byName ??= new Map();
      if (!grants.byName.has(name)) grants.byName.set(name, grant);
    }
  }
}

function grantOf(verbs: Verbs | undefined, verb: string, name: string): string | undefined {
  if (verbs === undefined) return undefined;
  const own = verbs.get(verb);
  const any = verbs.get("*");
  return own?.every ?? any?.every ?? own?.byName?.get(name) ?? any?.byName?.get(name);
}

function obtain<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
