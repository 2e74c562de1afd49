/** What can be done on each path, independent of the version of OpenAPI. */
import type { ResourceDefinition, SubresourceDefinition } from "@coxswain/api";
import type { GroupVersionKind } from "@coxswain/machinery";
import { deleteOptions, status, typeNameOf, watchEvent } from "./names.ts";
import {
  connectParameters,
  createParameters,
  deleteCollectionParameters,
  deleteParameters,
  listParameters,
  logParameters,
  nameParameter,
  namespaceParameter,
  type Parameter,
  patchParameters,
  pathBehindProxy,
  pretty,
  updateParameters,
} from "./parameters.ts";

export type Method = "get" | "put" | "post" | "delete" | "options" | "head" | "patch";

/** `patch`: the media types tell what kind of patch. `options`: DELETE's, which may be missing. */
export type RequestBody =
  | { readonly kind: "object" | "options"; readonly type: string }
  | { readonly kind: "patch"; readonly mediaTypes: readonly string[] };

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
}

export interface PathItem {
  readonly path: string;
  /** At most one for each method. */
  readonly operations: readonly Operation[];
}

const objects = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const lists = [...objects, "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
const customObjects = ["application/json", "application/yaml"];
const patches = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const customPatches = patches.filter((type) => !type.includes("strategic"));

/** @param root `/api/v1` or `/apis/GROUP/VERSION` */
export function pathsOf(root: string, definition: ResourceDefinition): PathItem[] {
  const place = new Place(root, definition);
  const items: PathItem[] = [
    { path: place.collection, operations: collectionOperations(place) },
    { path: `${place.collection}/{name}`, operations: objectOperations(place) },
  ];
  if (definition.namespaced && definition.verbs.has("list"))
    items.push({ path: place.everywhere, operations: [listOperation(place, true)] });
  for (const subresource of definition.subresources.values()) items.push(...subresourcePaths(place, subresource));
  if (definition.verbs.has("watch") && definition.schema === undefined) items.push(...watchPaths(place));
  return items.filter((item) => item.operations.length > 0);
}

/** What the operations of a resource have in common. */
class Place {
  readonly definition: ResourceDefinition;
  readonly type: string;
  readonly everywhere: string;
  readonly collection: string;
  readonly objects: readonly string[];
  readonly lists: readonly string[];
  readonly patches: readonly string[];
  /** The middle of operation ids: `NamespacedPod` or `Node`. */
  readonly object: string;
  readonly common: readonly Parameter[];
  readonly root: string;

  constructor(root: string, definition: ResourceDefinition) {
    const { resource, kind, namespaced, schema } = definition;
    this.definition = definition;
    this.root = root;
    this.type = definition.type.name;
    this.everywhere = `${root}/${resource}`;
    this.collection = namespaced ? `${root}/namespaces/{namespace}/${resource}` : this.everywhere;
    this.object = namespaced ? `Namespaced${kind}` : kind;
    this.common = namespaced ? [namespaceParameter, pretty] : [pretty];
    this.objects = schema === undefined ? objects : customObjects;
    this.lists = schema === undefined ? lists : customObjects;
    this.patches = schema === undefined ? patches : customPatches;
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
      ...rest,
      parameters: [...this.common, ...(rest.parameters ?? [])],
    };
  }
}

function collectionOperations(place: Place): Operation[] {
  const { kind, verbs } = place.definition;
  const operations: Operation[] = [];
  if (verbs.has("deletecollection")) {
    operations.push(
      place.operation("delete", "delete", "deletecollection", {
        object: `Collection${place.object}`,
        description: `Delete all selected objects of kind ${kind}.`,
        parameters: deleteCollectionParameters,
        body: { kind: "options", type: deleteOptions },
        answers: [{ code: 200, type: status }],
      }),
    );
  }
  if (verbs.has("list")) operations.push(listOperation(place, false));
  if (verbs.has("create")) {
    operations.push(
      place.operation("post", "create", "post", {
        ...writing(place.type, [200, 201, 202]),
        description: `Create an object of kind ${kind}.`,
      }),
    );
  }
  return operations;
}

function listOperation(place: Place, everywhere: boolean): Operation {
  const { kind, listKind, verbs } = place.definition;
  const operation = place.operation("get", "list", "list", {
    description: `${verbs.has("watch") ? "List or watch" : "List"} objects of kind ${kind}.`,
    answers: [{ code: 200, type: place.type.replace(/[^.]*$/, listKind) }],
    produces: place.lists,
  });
  return everywhere
    ? { ...operation, object: `${kind}ForAllNamespaces`, parameters: [pretty, ...listParameters] }
    : { ...operation, parameters: [...place.common, ...listParameters] };
}

function objectOperations(place: Place): Operation[] {
  const { kind, verbs, behaviour } = place.definition;
  const operations: Operation[] = [];
  if (verbs.has("delete")) {
    const answer = behaviour.deleteReturns === "object" ? place.type : status;
    operations.push(
      place.operation("delete", "delete", "delete", {
        description: `Delete an object of kind ${kind}.`,
        parameters: [nameParameter, ...deleteParameters],
        body: { kind: "options", type: deleteOptions },
        answers: [200 as const, 202 as const].map((code) => ({ code, type: answer })),
      }),
    );
  }
  return [...operations, ...readAndWrite(place, verbs, place.type, `an object of kind ${kind}`, {})];
}

/** GET, PATCH and PUT of an object or of its subresource, as far as `verbs` allow. */
function readAndWrite(
  place: Place,
  verbs: { has(verb: string): boolean },
  type: string,
  what: string,
  rest: Partial<Operation>,
): Operation[] {
  const operations: Operation[] = [];
  const add = (method: Method, verb: string, action: string, more: Partial<Operation>): void => {
    operations.push(place.operation(method, verb, action, { ...more, ...rest, parameters: [nameParameter, ...(more.parameters ?? [])] }));
  };
  if (verbs.has("get")) add("get", "read", "get", { description: `Read ${what}.`, answers: [{ code: 200, type }] });
  if (verbs.has("patch")) {
    const body: RequestBody = { kind: "patch", mediaTypes: place.patches };
    add("patch", "patch", "patch", {
      ...writing(type, [200, 201]),
      parameters: patchParameters,
      body,
      description: `Change ${what} in part.`,
    });
  }
  if (verbs.has("update")) add("put", "replace", "put", { ...writing(type, [200, 201]), description: `Replace ${what}.` });
  return operations;
}

const writing = (type: string, codes: readonly (200 | 201 | 202)[]): Partial<Operation> => ({
  parameters: codes.length === 3 ? createParameters : updateParameters,
  body: { kind: "object", type },
  answers: codes.map((code) => ({ code, type })),
});

function subresourcePaths(place: Place, subresource: SubresourceDefinition): PathItem[] {
  const { name, kind } = subresource;
  const path = `${place.collection}/{name}/${name}`;
  const object = `${place.object}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const rest = { object, gvk: subresource };
  const options = connectParameters[kind];
  if (options !== undefined) return connectPaths(place, subresource, path, rest, options);
  if (name === "log") {
    const read = { ...rest, description: "Read the log of a Pod's container.", parameters: [nameParameter, ...logParameters] };
    const answer = { answers: [{ code: 200 as const, type: "string" }], produces: ["text/plain", ...objects] };
    return [{ path, operations: [place.operation("get", "read", "get", { ...read, ...answer })] }];
  }
  const type = kind === place.definition.kind ? place.type : typeNameOf(subresource);
  const what = `${name} of an object of kind ${place.definition.kind}`;
  const verbs = new Set(subresource.verbs);
  const operations = readAndWrite(place, verbs, type, what, rest);
  if (verbs.has("create")) {
    const post = writing(type, [200, 201, 202]);
    const parameters = [nameParameter, ...createParameters];
    operations.push(place.operation("post", "create", "post", { ...post, ...rest, parameters, description: `Create ${what}.` }));
  }
  return [{ path, operations }];
}

/** Subresources that hand the connection over: exec, attach, portforward, proxy. */
function connectPaths(
  place: Place,
  { name, verbs }: SubresourceDefinition,
  path: string,
  rest: { readonly object: string; readonly gvk: GroupVersionKind },
  options: readonly Parameter[],
): PathItem[] {
  const methods: Method[] = verbs.includes("update") ? ["delete", "get", "head", "options", "patch", "post", "put"] : ["get", "post"];
  const item = (path: string, suffix: string, more: readonly Parameter[]): PathItem => ({
    path,
    operations: methods.map((method) => ({
      ...place.operation(method, `connect`, "connect", {}),
      object: `${method.charAt(0).toUpperCase()}${method.slice(1)}${rest.object}${suffix}`,
      gvk: rest.gvk,
      description: `Connect a ${method.toUpperCase()} request to ${name} of an object of kind ${place.definition.kind}.`,
      parameters: [nameParameter, ...place.common.filter((parameter) => parameter !== pretty), ...options, ...more],
      answers: [{ code: 200, type: "string" }],
      produces: ["*/*"],
    })),
  });
  return name === "proxy" ? [item(path, "", []), item(`${path}/{path}`, "WithPath", [pathBehindProxy])] : [item(path, "", [])];
}

/** The old way to watch, by a path of its own. */
function watchPaths(place: Place): PathItem[] {
  const { kind, resource, namespaced } = place.definition;
  const item = (path: string, action: string, object: string, parameters: readonly Parameter[]): PathItem => ({
    path: `${place.root}/watch${path.slice(place.root.length)}`,
    operations: [
      {
        ...place.operation("get", "watch", action, {}),
        object,
        description: `Watch objects of kind ${kind}. Deprecated: list with the watch parameter instead.`,
        parameters: [...parameters, ...listParameters],
        answers: [{ code: 200, type: watchEvent }],
        produces: place.lists,
      },
    ],
  });
  const one = item(`${place.collection}/{name}`, "watch", place.object, [nameParameter, ...place.common]);
  const all = item(place.collection, "watchlist", `${place.object}List`, place.common);
  if (!namespaced) return [all, one];
  return [item(`${place.root}/${resource}`, "watchlist", `${kind}ListForAllNamespaces`, [pretty]), all, one];
}
