/** What an operation is, independent of the version of OpenAPI. */
import type { ResourceDefinition } from "@coxswain/api";
import type { GroupVersionKind } from "@coxswain/machinery";
import { isCustom, patch, typeNameOfResource } from "./names.ts";
import {
  nameParameter,
  namespaceParameter,
  type Parameter,
  patchParameters,
  pretty,
  resourceVersionParameter,
  writeParameters,
} from "./parameters.ts";

export type Method = "get" | "put" | "post" | "delete" | "options" | "head" | "patch";

/** `options`: DELETE's, which may be missing. */
export interface RequestBody {
  readonly kind: "object" | "options";
  readonly type: string;
}

export interface Operation {
  readonly method: Method;
  /** Without the group and version: `list`, `NamespacedPod`. */
  readonly verb: string;
  readonly object: string;
  readonly description: string;
  /** Undefined for discovery. */
  readonly action: string | undefined;
  readonly gvk: GroupVersionKind | undefined;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  /** The type of each answer's body; `string` for text. 401 goes without saying. */
  readonly answers: readonly { readonly code: 200 | 201 | 202; readonly type: string }[];
  readonly produces: readonly string[];
  readonly consumes: readonly string[];
}

export interface PathItem {
  readonly path: string;
  /** At most one for each method. */
  readonly operations: readonly Operation[];
}

export const objects = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const lists = [...objects, "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const customObjects = ["application/json", "application/yaml"];
const patches = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const anything = ["*/*"];
const customPatches = patches.filter((type) => !type.includes("strategic"));

/** What the operations of a resource have in common. */
export class Place {
  readonly definition: ResourceDefinition;
  readonly type: string;
  readonly everywhere: string;
  readonly collection: string;
  readonly objects: readonly string[];
  readonly lists: readonly string[];
  readonly patches: readonly string[];
  readonly consumes: readonly string[];
  readonly custom: boolean;
  /** The middle of operation ids: `NamespacedPod` or `Node`. */
  readonly object: string;
  readonly common: readonly Parameter[];
  readonly root: string;

  constructor(root: string, definition: ResourceDefinition) {
    const { resource, kind, namespaced } = definition;
    this.definition = definition;
    this.root = root;
    this.custom = isCustom(definition);
    this.type = typeNameOfResource(definition);
    this.everywhere = `${root}/${resource}`;
    this.collection = namespaced ? `${root}/namespaces/{namespace}/${resource}` : this.everywhere;
    this.object = namespaced ? `Namespaced${kind}` : kind;
    this.common = namespaced ? [namespaceParameter, pretty] : [pretty];
    this.objects = this.custom ? customObjects : objects;
    this.lists = this.custom ? customObjects : lists;
    this.patches = this.custom ? customPatches : patches;
    this.consumes = this.custom ? customObjects : anything;
  }

  operation(method: Method, verb: string, action: string, rest: Partial<Operation>): Operation {
    return {
      method,
      verb,
      object: this.object,
      description: "",
      action,
      gvk: this.definition,
      body: undefined,
      answers: [{ code: 200, type: this.type }],
      produces: this.objects,
      consumes: this.consumes,
      ...rest,
      parameters: [...this.common, ...(rest.parameters ?? [])],
    };
  }
}

interface ReadAndWrite {
  readonly verbs: { has(verb: string): boolean };
  /** Of what is read and written. */
  readonly type: string;
  /** The same in descriptions. */
  readonly what: string;
  /** What these operations have in common. */
  readonly rest?: Partial<Operation>;
}

/** GET, PATCH and PUT of an object or of its subresource, as far as `verbs` allow. */
export function readAndWrite(place: Place, { verbs, type, what, rest = {} }: ReadAndWrite): Operation[] {
  const operations: Operation[] = [];
  const add = (method: Method, verb: string, action: string, more: Partial<Operation>): void => {
    operations.push(place.operation(method, verb, action, { ...more, ...rest, parameters: [nameParameter, ...(more.parameters ?? [])] }));
  };
  if (verbs.has("get")) {
    const parameters = place.custom ? [resourceVersionParameter] : [];
    add("get", "read", "get", { description: `Read ${what}.`, answers: [{ code: 200, type }], parameters });
  }
  if (verbs.has("patch")) {
    add("patch", "patch", "patch", {
      ...writing(type, place.custom ? [200] : [200, 201]),
      parameters: patchParameters,
      body: { kind: "object", type: patch },
      consumes: place.patches,
      description: `Change ${what} in part.`,
    });
  }
  if (verbs.has("update")) add("put", "replace", "put", { ...writing(type, [200, 201]), description: `Replace ${what}.` });
  return operations;
}

/** What writes have in common. */
export const writing = (type: string, codes: readonly (200 | 201 | 202)[]): Partial<Operation> => ({
  parameters: writeParameters,
  body: { kind: "object", type },
  answers: codes.map((code) => ({ code, type })),
});
