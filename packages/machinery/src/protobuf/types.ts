/** The messages that clients speak of without a built-in type: metadata alone, lists of anything, options. */
import type { TypeSet } from "../types/compile.ts";
import type { Field, Scalar, StructType, Type } from "../types/type.ts";

type WireFacts = Readonly<Record<string, readonly [number: number, protoType: string]>>;

const scalars: ReadonlyMap<string, Scalar> = new Map([
  ["string", "string"],
  ["bool", "boolean"],
  ["int32", "int32"],
  ["int64", "int64"],
  ["bytes", "bytes"],
  [".k8s.io.apimachinery.pkg.runtime.RawExtension", "any"],
]);

/** By kind: PartialObjectMetadata, PartialObjectMetadataList, List, CreateOptions, ListOptions and so on. */
export function compileWireTypes(wire: unknown, types: TypeSet): ReadonlyMap<string, StructType> {
  const facts = new Map(isRecord(wire) ? Object.entries(wire) : []);
  const structs = new Map<string, StructType>();
  const typeOf = (protoName: string): Type | undefined => structs.get(protoName) ?? types.get(openApiName(protoName));
  for (const [name, fields] of facts) {
    if (!isWireFacts(fields) || types.get(openApiName(name)) !== undefined) continue;
    const pkg = name.slice(0, name.lastIndexOf("."));
    const compiled = new Map<string, Field>();
    structs.set(name, { kind: "struct", name: openApiName(name), shortName: shortName(name), fields: compiled, atomic: false });
    for (const [field, [number, protoType]] of Object.entries(fields)) {
      const item = protoType.replace("repeated ", "");
      const scalar = scalars.get(item);
      const single: Type | undefined =
        scalar === undefined ? typeOf(item.startsWith(".") ? item.slice(1) : `${pkg}.${item}`) : { kind: "scalar", scalar };
      if (single !== undefined)
        compiled.set(field, wireField(field, item === protoType ? single : { kind: "list", item: single }, number, protoType));
    }
  }
  return new Map([...structs].map(([name, type]) => [shortName(name), type]));
}

const openApiName = (protoName: string): string => protoName.replace(/^k8s\.io\./, "io.k8s.");

const shortName = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

const wireField = (name: string, type: Type, number: number, protoType: string): Field => ({
  name,
  type,
  required: false,
  presence: type.kind === "struct" || name === "items" ? "value" : "omit",
  enum: undefined,
  patch: { merge: false, retainKeys: false, mergeKey: undefined },
  list: { type: "atomic", keys: [] },
  mapType: "granular",
  proto: [number],
  protoType,
});

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === "object" && value !== null;

const isWireFacts = (value: unknown): value is WireFacts =>
  isRecord(value) && Object.values(value).every((f) => Array.isArray(f) && typeof f[0] === "number" && typeof f[1] === "string");
