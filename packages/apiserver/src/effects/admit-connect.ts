/** Admission of connections: streams and proxies, whose options plugins see as an object of their own kind. */
import { apiVersionOf, deepEqual, type KubeObject } from "@coxswain/machinery";
import type { Admission, AdmissionRequest } from "../contracts/admission.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import { parseBool } from "../request/options.ts";

/**
 * The options of a connection as its query says them, and as plugins have changed them. `path`: what a proxy is asked for.
 * @throws what a plugin refuses it with
 */
export async function admitConnect(admission: Admission, ctx: RequestContext, { path = "" } = {}): Promise<KubeObject> {
  const { resource, info, user, warnings } = ctx;
  const { subresource, namespace } = info;
  const object = { ...optionsObject(ctx), ...(path === "" ? {} : { path }) } as KubeObject;
  const request: AdmissionRequest = {
    operation: "connect",
    resource,
    subresource,
    namespace,
    name: info.name,
    user,
    dryRun: false,
    object,
    previous: undefined,
    warnings,
    auditAnnotations: ctx.audit?.annotations,
  };
  await admission.mutate(request);
  await admission.validate(request);
  return object;
}

/** The request with the options as plugins have changed them. @throws what a plugin refuses it with */
export async function admittedConnection(admission: Admission, ctx: RequestContext): Promise<RequestContext> {
  const admitted = await admitConnect(admission, ctx);
  return deepEqual(admitted, optionsObject(ctx)) ? ctx : { ...ctx, query: queryOf(admitted) };
}

type FieldShape = "boolean" | "string" | "strings" | "numbers";

const streams = { stdin: "boolean", stdout: "boolean", stderr: "boolean", tty: "boolean", container: "string" } as const;

/** What the options of each connection have, in the order of Kubernetes' types. */
const fieldsOf: Readonly<Record<string, Readonly<Record<string, FieldShape>>>> = {
  __proto__: null as never,
  PodExecOptions: { ...streams, command: "strings" },
  PodAttachOptions: streams,
  PodPortForwardOptions: { ports: "numbers" },
};

function optionsObject({ resource, info, query }: RequestContext): KubeObject {
  const known = resource.definition.subresources.get(info.subresource);
  if (known === undefined) return {};
  const options: Record<string, unknown> = { kind: known.kind, apiVersion: apiVersionOf(known) };
  for (const [name, shape] of Object.entries(fieldsOf[known.kind] ?? {})) {
    const value = query.has(name) ? parsed(shape, query.getAll(name)) : undefined;
    if (value !== undefined) options[name] = value;
  }
  return options as KubeObject;
}

/** Undefined for what Kubernetes leaves out as empty. */
function parsed(shape: FieldShape, values: readonly string[]): unknown {
  const [first = ""] = values;
  switch (shape) {
    case "boolean":
      return parseBool(first) ? true : undefined;
    case "string":
      return first === "" ? undefined : first;
    case "strings":
      return values;
    case "numbers":
      return values.flatMap((text) => text.split(",")).map(Number);
  }
}

function queryOf({ kind: _kind, apiVersion: _version, ...fields }: KubeObject): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one));
  }
  return query;
}
