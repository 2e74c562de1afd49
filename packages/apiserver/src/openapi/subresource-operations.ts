/** What can be done on the subresources of a resource. */
import type { SubresourceDefinition } from "@coxswain/api";
import type { GroupVersionKind } from "@coxswain/machinery";
import { typeNameOf } from "./names.ts";
import { type Method, objects, type PathItem, type Place, readAndWrite, writing } from "./operation.ts";
import { connectParameters, logParameters, nameParameter, type Parameter, pathBehindProxy, pretty, writeParameters } from "./parameters.ts";

export function subresourcePaths(place: Place, subresource: SubresourceDefinition): PathItem[] {
  const { name, kind } = subresource;
  const path = `${place.collection}/{name}/${name}`;
  const object = `${place.object}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const rest = { object, gvk: place.custom ? place.definition : subresource };
  const options = connectParameters[kind];
  if (options !== undefined) return connectPaths(place, subresource, { path, ...rest, parameters: options });
  if (name === "log") {
    const read = { ...rest, description: "Read the log of a Pod's container.", parameters: [nameParameter, ...logParameters] };
    const answer = { answers: [{ code: 200 as const, type: "string" }], produces: ["text/plain", ...objects] };
    return [{ path, operations: [place.operation("get", "read", "get", { ...read, ...answer })] }];
  }
  const type = kind === place.definition.kind ? place.type : typeNameOf(subresource);
  const what = `${name} of an object of kind ${place.definition.kind}`;
  const verbs = new Set(subresource.verbs);
  const operations = readAndWrite(place, { verbs, type, what, rest });
  if (verbs.has("create")) {
    const post = writing(type, [200, 201, 202]);
    const parameters = [nameParameter, ...writeParameters];
    operations.push(place.operation("post", "create", "post", { ...post, ...rest, parameters, description: `Create ${what}.` }));
  }
  return [{ path, operations }];
}

interface Connect {
  readonly path: string;
  readonly object: string;
  readonly gvk: GroupVersionKind;
  /** Of the subresource's options. */
  readonly parameters: readonly Parameter[];
}

/** Subresources that hand the connection over: exec, attach, portforward, proxy. */
function connectPaths(place: Place, { name, verbs }: SubresourceDefinition, { path, object, gvk, parameters }: Connect): PathItem[] {
  const methods: Method[] = verbs.includes("update") ? ["delete", "get", "head", "options", "patch", "post", "put"] : ["get", "post"];
  const item = (path: string, suffix: string, more: readonly Parameter[]): PathItem => ({
    path,
    operations: methods.map((method) => ({
      ...place.operation(method, "connect", "connect", {}),
      object: `${method.charAt(0).toUpperCase()}${method.slice(1)}${object}${suffix}`,
      gvk,
      description: `Connect a ${method.toUpperCase()} request to ${name} of an object of kind ${place.definition.kind}.`,
      parameters: [nameParameter, ...place.common.filter((parameter) => parameter !== pretty), ...parameters, ...more],
      answers: [{ code: 200, type: "string" }],
      produces: ["*/*"],
    })),
  });
  return name === "proxy" ? [item(path, "", []), item(`${path}/{path}`, "WithPath", [pathBehindProxy])] : [item(path, "", [])];
}
