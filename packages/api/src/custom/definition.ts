/**
 * A CustomResourceDefinition as the resources it defines: the same form as built-in ones, so that everything else takes the
 * same path. What is costly is made when it is first asked for: most definitions of a cluster are never used.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
import { apiVersionOf, deepEqual, type KubeObject } from "@coxswain/machinery";
import type { CustomSchema, JsonSchema, ValidationBudget } from "@coxswain/schema";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionVersion,
} from "@coxswain/types/apiextensions-v1";
import { lazyModule } from "../dynamic/lazy-module.ts";
import { metaRules } from "../kinds/apiextensions/custom-resource-definition/embedded-metadata.ts";
import type {
  CustomFacts,
  CustomResourceStats,
  ObjectConverter,
  ResourceDefinition,
  ScalePaths,
  SubresourceDefinition,
} from "../registry/resource-definition.ts";
import { compareVersions } from "../registry/version-order.ts";
import type { Strategy } from "../strategy/strategy.ts";
import { customColumns } from "./columns.ts";
import { publishedName, publishedSchema } from "./published-schema.ts";
import { fieldPathOf } from "./scale.ts";
import { customStrategy } from "./strategy.ts";

const schemas = lazyModule(() => import("@coxswain/schema"));

export interface DefinitionOptions {
  /** For those whose versions a webhook converts. */
  readonly conversion?: ObjectConverter | undefined;
  /** With which their objects are checked; without end where it is absent. */
  readonly validationBudget?: (() => ValidationBudget) | undefined;
}

/**
 * The definitions of all versions under the names that were accepted, by version; which of them are served is for the
 * caller to see. They share `stats` with those that were made of earlier states.
 */
export function customDefinitions(
  crd: CustomResourceDefinition,
  stats: CustomResourceStats,
  { conversion, validationBudget }: DefinitionOptions = {},
): ReadonlyMap<string, ResourceDefinition> {
  const names = crd.status?.acceptedNames ?? crd.spec.names;
  const definitions = new Map<string, ResourceDefinition>();
  for (const version of crd.spec.versions)
    definitions.set(version.name, new CustomResource(crd, names, version, { stats, definitions, conversion, validationBudget }));
  return definitions;
}

const verbs: ReadonlySet<string> = new Set(["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]);

/** What the definitions of one CustomResourceDefinition have in common. */
interface Shared {
  readonly stats: CustomResourceStats;
  readonly definitions: ReadonlyMap<string, ResourceDefinition>;
  readonly conversion: ObjectConverter | undefined;
  readonly validationBudget: (() => ValidationBudget) | undefined;
}

class CustomResource implements ResourceDefinition, CustomFacts {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs = verbs;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly storagePrefix: string;
  readonly storageVersion: string;
  readonly hasStatus: boolean;
  readonly stats: CustomResourceStats;
  readonly conversion: ObjectConverter | undefined;
  readonly versions: ReadonlyMap<string, ResourceDefinition>;
  readonly #validationBudget: (() => ValidationBudget) | undefined;
  readonly #facts: CustomResourceDefinitionVersion;
  readonly #versions: readonly CustomResourceDefinitionVersion[];
  #subresources: ReadonlyMap<string, SubresourceDefinition> | undefined;
  #compiled: CustomSchema | undefined;
  #strategy: Strategy | undefined;
  #scale: ScalePaths | undefined;

  constructor(
    { spec }: CustomResourceDefinition,
    names: CustomResourceDefinitionNames,
    facts: CustomResourceDefinitionVersion,
    { stats, definitions, conversion, validationBudget }: Shared,
  ) {
    this.group = spec.group;
    this.version = facts.name;
    this.resource = names.plural;
    this.singular = names.singular ?? names.kind.toLowerCase();
    this.kind = names.kind;
    this.listKind = names.listKind ?? `${names.kind}List`;
    this.namespaced = spec.scope === "Namespaced";
    this.shortNames = names.shortNames ?? [];
    this.categories = names.categories ?? [];
    this.storagePrefix = `/registry/${spec.group}/${names.plural}/`;
    this.storageVersion = spec.versions.find(({ storage }) => storage)?.name ?? facts.name;
    this.hasStatus = facts.subresources?.status !== undefined;
    this.stats = stats;
    this.versions = definitions;
    this.conversion = conversion;
    this.#validationBudget = validationBudget;
    this.#facts = facts;
    this.#versions = spec.versions;
  }

  get custom(): CustomFacts {
    return this;
  }

  get storedAs(): ResourceDefinition {
    return this.versions.get(this.storageVersion) ?? this;
  }

  get subresources(): ReadonlyMap<string, SubresourceDefinition> {
    this.#subresources ??= subresourcesOf(this, this.#facts);
    return this.#subresources;
  }

  get type() {
    return this.#schema.type;
  }

  get strategy(): Strategy {
    this.#strategy ??= customStrategy(this.#schema, {
      hasStatus: this.hasStatus,
      scale: this.#facts.subresources?.scale,
      selectableFields: this.#facts.selectableFields,
      columns: customColumns(this.#facts.additionalPrinterColumns),
      rules: schemas().compileRules(schemaOf(this.#facts), { resource: true, validationBudget: this.#validationBudget }),
    });
    return this.#strategy;
  }

  get schema(): Readonly<Record<string, unknown>> {
    return publishedSchema(schemaOf(this.#facts), this, this.#facts.selectableFields);
  }

  get scale(): ScalePaths | undefined {
    const paths = this.#facts.subresources?.scale;
    if (paths === undefined) return undefined;
    this.#scale ??= {
      specReplicas: fieldPathOf(paths.specReplicasPath),
      statusReplicas: fieldPathOf(paths.statusReplicasPath),
      ...(paths.labelSelectorPath === undefined ? {} : { labelSelector: fieldPathOf(paths.labelSelectorPath) }),
    };
    return this.#scale;
  }

  get deprecation(): string | undefined {
    const { deprecated, deprecationWarning } = this.#facts;
    if (deprecated !== true) return undefined;
    const name = (version: string): string => `${apiVersionOf({ group: this.group, version })} ${this.kind}`;
    const successor = successorOf(this.version, this.#versions);
    return deprecationWarning ?? `${name(this.version)} is deprecated${successor === undefined ? "" : `; use ${name(successor)}`}`;
  }

  decode(...[object, report]: Parameters<CustomFacts["decode"]>): void {
    this.#schema.decode(object, report);
  }

  settle(object: KubeObject): void {
    this.#schema.settle(object);
  }

  normalize(object: KubeObject): void {
    this.#schema.normalize(object);
  }

  prune(object: KubeObject): void {
    this.#schema.prune(object);
  }

  get #schema(): CustomSchema {
    this.#compiled ??= schemas().compileCustomSchema(schemaOf(this.#facts), {
      name: publishedName(this),
      ...metaRules(),
      validationBudget: this.#validationBudget,
    });
    return this.#compiled;
  }
}

/** Whether two states of a CustomResourceDefinition define the same, but for what their status says. */
export const definesTheSame = (a: CustomResourceDefinition, b: CustomResourceDefinition): boolean =>
  deepEqual(a.spec, b.spec) && deepEqual(a.status?.acceptedNames, b.status?.acceptedNames);

const schemaOf = ({ schema }: CustomResourceDefinitionVersion): JsonSchema =>
  (schema?.openAPIV3Schema ?? { type: "object", "x-kubernetes-preserve-unknown-fields": true }) as JsonSchema;

/** The most preferred of the versions that clients of a deprecated one should move to. */
function successorOf(deprecated: string, versions: readonly CustomResourceDefinitionVersion[]): string | undefined {
  const better = versions.filter(({ name, served, deprecated: too }) => served && too !== true && compareVersions(name, deprecated) < 0);
  return better.map(({ name }) => name).sort(compareVersions)[0];
}

const partVerbs = ["get", "patch", "update"];

function subresourcesOf(
  { group, version, kind }: ResourceDefinition,
  { subresources }: CustomResourceDefinitionVersion,
): ReadonlyMap<string, SubresourceDefinition> {
  const found: SubresourceDefinition[] = [];
  if (subresources?.status !== undefined) found.push({ name: "status", group, version, kind, verbs: partVerbs });
  if (subresources?.scale !== undefined)
    found.push({ name: "scale", group: "autoscaling", version: "v1", kind: "Scale", verbs: partVerbs });
  return new Map(found.map((subresource) => [subresource.name, subresource]));
}
