/**
 * Compiles the facts of the built-in types (one record of types per group and version, as scripts/generate-api-types.ts
 * writes them) into the form that everything walks. A type compiles when its fields are first asked for.
 */
import type { Field, Scalar, StructType, Type } from "./type.ts";

/** Types that refer to each other, by name and by kind. */
export interface TypeSet {
  /** By OpenAPI name; undefined for unknown names and for names of scalars such as Quantity. */
  get(name: string): StructType | undefined;
  byKind(group: string, version: string, kind: string): StructType | undefined;
  names(): Iterable<string>;
}

/**
 * Makes types of their facts, which are the content of the files in `packages/api/src/types`. What refers to a type is
 * resolved when it is first read.
 */
export function compileTypes(files: Readonly<Record<string, unknown>>): TypeSet {
  return new CompiledTypes(files);
}

interface FieldFacts {
  readonly type: string;
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: "atomic" | "set" | "map";
  readonly listMapKeys?: readonly string[];
  readonly mapType?: "atomic" | "granular";
  readonly proto?: number | readonly number[];
  readonly protoType?: string;
  readonly go?: "pointer" | "omit";
}

interface TypeFacts {
  readonly gvk?: readonly (readonly [group: string, version: string, kind: string])[];
  readonly fields?: Readonly<Record<string, FieldFacts>>;
  readonly mapType?: "atomic" | "granular";
}

const rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension";

const scalars: ReadonlyMap<string, Scalar> = new Map([
  ["string", "string"],
  ["boolean", "boolean"],
  ["integer:int32", "int32"],
  ["integer:int64", "int64"],
  ["number:double", "double"],
  ["string:byte", "bytes"],
  ["io.k8s.apimachinery.pkg.api.resource.Quantity", "quantity"],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1", "object"],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime", "microTime"],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.Time", "time"],
  [rawExtension, "any"],
  ["io.k8s.apimachinery.pkg.util.intstr.IntOrString", "intOrString"],
  ["io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", "any"],
]);

/** Kinds that every group takes, as the options of a DELETE. */
const everyGroup = "io.k8s.apimachinery.pkg.apis.meta.v1.";

class CompiledTypes implements TypeSet {
  readonly #facts = new Map<string, TypeFacts>();
  readonly #structs = new Map<string, StructType>();
  #kinds: ReadonlyMap<string, string> | undefined;

  constructor(files: Readonly<Record<string, unknown>>) {
    for (const file of Object.values(files)) {
      if (!isFacts(file)) continue;
      for (const name of Object.keys(file)) this.#facts.set(name, file[name] ?? {});
    }
  }

  get(name: string): StructType | undefined {
    const known = this.#structs.get(name);
    if (known !== undefined) return known;
    const facts = this.#facts.get(name);
    if (facts === undefined || scalars.has(name) || isUnion(name)) return undefined;
    const struct = new LazyStruct(name, facts, this);
    this.#structs.set(name, struct);
    return struct;
  }

  byKind(group: string, version: string, kind: string): StructType | undefined {
    this.#kinds ??= indexKinds(this.#facts);
    const name = this.#kinds.get(`${group}/${version}/${kind}`) ?? `${everyGroup}${kind}`;
    return this.#facts.get(name)?.gvk === undefined ? undefined : this.get(name);
  }

  names(): Iterable<string> {
    return this.#facts.keys();
  }
}

class LazyStruct implements StructType {
  readonly kind = "struct";
  readonly name: string;
  readonly shortName: string;
  readonly atomic: boolean;
  readonly #facts: TypeFacts;
  readonly #types: TypeSet;
  #fields: ReadonlyMap<string, Field> | undefined;

  constructor(name: string, facts: TypeFacts, types: TypeSet) {
    this.name = name;
    this.shortName = name.slice(name.lastIndexOf(".") + 1);
    this.atomic = facts.mapType === "atomic";
    this.#facts = facts;
    this.#types = types;
  }

  get fields(): ReadonlyMap<string, Field> {
    if (this.#fields === undefined) {
      const entries = Object.entries(this.#facts.fields ?? {});
      this.#fields = new Map(entries.map(([name, facts]) => [name, compileField(this, name, facts, this.#types)]));
    }
    return this.#fields;
  }
}

function compileField({ name: ownerName, shortName: owner }: StructType, name: string, facts: FieldFacts, types: TypeSet): Field {
  const strategy = (facts.patchStrategy ?? "").split(",");
  const type = compileType(facts.type, types);
  return {
    name,
    type,
    required: facts.required === true,
    presence: presenceOf(owner, name, facts, type),
    ...(type.kind === "list" && ownerName.startsWith(storedAsJson) ? { keepsEmpty: true as const } : {}),
    ...(shownAsNull.has(`${owner}.${name}`) ? { showsNull: true as const } : {}),
    enum: facts.enum,
    patch: {
      merge: strategy.includes("merge"),
      retainKeys: strategy.includes("retainKeys"),
      mergeKey: facts.patchMergeKey,
      replace: strategy.includes("replace"),
    },
    list: { type: facts.listType ?? "atomic", keys: facts.listMapKeys ?? [] },
    mapType: facts.mapType ?? (type.kind === "struct" && type.atomic ? "atomic" : "granular"),
    ...(facts.default === undefined ? {} : { default: facts.default }),
    proto: facts.proto === undefined ? [] : typeof facts.proto === "number" ? [facts.proto] : facts.proto,
    protoType: facts.protoType ?? "",
  };
}

/**
 * Go's omitempty has no effect on structs, and Time, Quantity and their like are structs to Go.
 * One field alone asks for more (omitzero): the creation time.
 */
function presenceOf(owner: string, name: string, { go }: FieldFacts, type: Type): Field["presence"] {
  if (go === "pointer") return "pointer";
  if (owner === "ObjectMeta" && name === "creationTimestamp") return "omit";
  return go === "omit" && !isGoStruct(type) ? "omit" : "value";
}

const storedAsJson = "io.k8s.apiextensions-apiserver.";

/** The pointers without omitempty. */
const shownAsNull: ReadonlySet<string> = new Set([
  "AzureFilePersistentVolumeSource.secretNamespace",
  "CapacityRequestPolicy.default",
  "DaemonSetSpec.selector",
  "DeploymentSpec.selector",
  "GRPCAction.service",
  "HTTPIngressPath.pathType",
  "IngressClassParametersReference.scope",
  "LimitedPriorityLevelConfiguration.nominalConcurrencyShares",
  "MutatingWebhook.sideEffects",
  "ReplicaSetSpec.selector",
  "ScaleIOPersistentVolumeSource.secretRef",
  "ScaleIOVolumeSource.secretRef",
  "StatefulSetSpec.selector",
  "TokenRequestSpec.boundObjectRef",
  "TokenRequestSpec.expirationSeconds",
  "TypedLocalObjectReference.apiGroup",
  "TypedObjectReference.apiGroup",
  "ValidatingWebhook.sideEffects",
]);

function isGoStruct(type: Type): boolean {
  if (type.kind !== "scalar") return type.kind === "struct";
  switch (type.scalar) {
    case "time":
    case "microTime":
    case "quantity":
    case "intOrString":
    case "object":
    case "any":
      return true;
    default:
      return false;
  }
}

function compileType(text: string, types: TypeSet): Type {
  if (text.startsWith("[")) return { kind: "list", item: compileType(text.slice(1, -1), types) };
  if (text.startsWith("{")) return { kind: "map", value: compileType(text.slice(1, -1), types) };
  const scalar = scalars.get(text);
  if (scalar !== undefined) return { kind: "scalar", scalar, ...(text === rawExtension ? { atomic: true as const } : {}) };
  if (isUnion(text)) return unionType(text, types);
  const struct = types.get(text);
  if (struct === undefined) throw new Error(`the facts name a type that they do not have: ${text}`);
  return struct;
}

const isUnion = (name: string): boolean => name.includes(".JSONSchemaPropsOr");

/** JSONSchemaPropsOrArray and its like hold JSONSchemaProps. */
function unionType(name: string, types: TypeSet): Type {
  const holds = types.get(name.slice(0, name.lastIndexOf("Or")));
  return { kind: "scalar", scalar: "any", ...(holds === undefined ? {} : { holds }) };
}

function indexKinds(facts: ReadonlyMap<string, TypeFacts>): ReadonlyMap<string, string> {
  const kinds = new Map<string, string>();
  for (const [name, { gvk }] of facts) for (const key of gvk ?? []) kinds.set(key.join("/"), name);
  return kinds;
}

const isFacts = (file: unknown): file is Readonly<Record<string, TypeFacts>> => typeof file === "object" && file !== null;
