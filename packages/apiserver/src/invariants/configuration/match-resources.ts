/** Which objects an invariant of a file is about. */
import { type KubeObject, type LabelSelector, labelSelectorFromObject, messageOf, type ObjectName } from "@coxswain/machinery";
import type { ListedObject, NamedResource, RelatedObjects, StateAt } from "../../contracts/invariant.ts";
import { DocumentProblem, type InvariantDocument, type Operation, type ResourceRule } from "./document.ts";

/** A resource with the version in which an invariant sees its objects. */
export interface MatchedResource {
  readonly version: string;
  readonly operations: ReadonlySet<Operation>;
}

export class ResourceMatcher {
  readonly #rules: readonly ResourceRule[];
  readonly #excluded: readonly ResourceRule[];
  readonly #namespaces: LabelSelector;
  readonly #objects: LabelSelector;

  /** @throws DocumentProblem for a selector that is none, at a path within the invariant */
  constructor({ resourceRules, excludeResourceRules, namespaceSelector, objectSelector }: InvariantDocument) {
    this.#rules = resourceRules;
    this.#excluded = excludeResourceRules;
    this.#namespaces = selectorOf(namespaceSelector, "namespaceSelector");
    this.#objects = selectorOf(objectSelector, "objectSelector");
  }

  /** By its names alone. */
  match(
    resource: Pick<NamedResource, "group" | "resource" | "version" | "namespaced">,
    name: string | undefined,
  ): MatchedResource | undefined {
    const isExcluded = this.#excluded.some((rule) => isFor(rule, resource) && (rule.resourceNames.length === 0 || isNamed(rule, name)));
    const rule = isExcluded ? undefined : this.#rules.find((one) => isFor(one, resource) && (name === undefined || isNamed(one, name)));
    if (rule === undefined) return undefined;
    const { apiVersions, operations } = rule;
    const preferred = apiVersions.includes("*") || apiVersions.includes(resource.version);
    return {
      version: preferred ? resource.version : (apiVersions[0] ?? resource.version),
      operations: new Set(operations),
    };
  }

  /** Whether the labels of one of these are as the object selector wants them. */
  matchesLabels(...objects: readonly (Readonly<KubeObject> | undefined)[]): boolean {
    return this.#objects.empty || objects.some((object) => object !== undefined && this.#objects.matches(object.metadata?.labels));
  }

  /** Whether labels of namespaces matter. */
  get selectsNamespaces(): boolean {
    return !this.#namespaces.empty;
  }

  /** By the labels that the namespace has in this state. */
  async matchesNamespace({ namespace }: Pick<ObjectName, "namespace">, state: StateAt): Promise<boolean> {
    if (this.#namespaces.empty || namespace === undefined) return true;
    const found = (await state.list(namespaces)).find(({ name }) => name.name === namespace);
    return found !== undefined && this.#namespaces.matches(found.object.metadata?.labels);
  }

  /** All that match, in a namespace or in all, and what was looked at. */
  async list(
    state: StateAt,
    namespace?: string,
  ): Promise<{ readonly objects: readonly ListedObject[]; readonly related: readonly RelatedObjects[] }> {
    const objects: ListedObject[] = [];
    const related: RelatedObjects[] = [];
    for (const resource of state.resources) {
      if (namespace !== undefined && !resource.namespaced) continue;
      const matched = this.match(resource, undefined);
      if (matched === undefined) continue;
      const of = { group: resource.group, version: matched.version, resource: resource.resource };
      related.push({ ...of, ...(namespace === undefined ? {} : { namespace }) });
      for (const one of await state.list(of, namespace)) {
        if (this.match(resource, one.name.name) === undefined || !this.matchesLabels(one.object)) continue;
        if (await this.matchesNamespace(one.name, state)) objects.push(one);
      }
    }
    return { objects, related };
  }
}

const namespaces = { group: "", version: "v1", resource: "namespaces" };

function isFor(
  { apiGroups, apiVersions, resources, scope }: ResourceRule,
  asked: Pick<NamedResource, "group" | "resource" | "namespaced">,
): boolean {
  const has = (items: readonly string[], text: string): boolean => items.includes("*") || items.includes(text);
  if (!has(apiGroups, asked.group) || !has(resources, asked.resource) || apiVersions.length === 0) return false;
  return scope === "*" || (scope === "Namespaced") === asked.namespaced;
}

const isNamed = ({ resourceNames }: ResourceRule, name: string | undefined): boolean =>
  name !== undefined && (resourceNames.length === 0 || resourceNames.includes(name));

function selectorOf(given: InvariantDocument["objectSelector"], name: string): LabelSelector {
  try {
    return labelSelectorFromObject(given ?? {});
  } catch (error) {
    throw new DocumentProblem(["matchResources", name], messageOf(error));
  }
}
