/** The seam between a decoded write and its storage: plug-ins change an object, then say whether it may stand. */
import type { KubeObject } from "@coxswain/machinery";
import type { Compare } from "@coxswain/store";
import type { UserInfo } from "../authn/authenticator.ts";
import type { RequestContext, ServerContext } from "../context.ts";
import type { ServedResource } from "../registry/served-resource.ts";

export interface AdmissionRequest {
  readonly server: ServerContext;
  readonly operation: "create" | "update" | "delete";
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Made for this request; undefined for a delete. */
  readonly object: KubeObject | undefined;
  readonly previous: Readonly<KubeObject> | undefined;
  readonly warnings: string[];
  /** Where a new object is to be stored: what it relies on beside itself, as plug-ins have found it when they looked first. */
  readonly compares?: Compare[];
}

export interface AdmissionPlugin {
  readonly name: string;
  handles(request: AdmissionRequest): boolean;
  /** Changes `request.object` in place. */
  mutate?(request: AdmissionRequest): void | Promise<void>;
  /**
   * Sets aside what the write needs (addresses, ports) and notes it in the object. Disposed once the write is done:
   * what was stored then speaks for itself, and what was not is free again.
   */
  claim?(request: AdmissionRequest): Disposable | undefined | Promise<Disposable | undefined>;
  /** Throws forbidden() or invalid() when the write may not happen. */
  validate?(request: AdmissionRequest): void | Promise<void>;
  /**
   * What a new object relies on beside itself: it is stored only if that is still so. Asked again when it was not. Throws as
   * `validate`.
   */
  compare?(request: AdmissionRequest): Promise<Compare | undefined>;
}

export async function mutate(request: AdmissionRequest): Promise<void> {
  for (const plugin of request.server.admission) {
    if (plugin.mutate === undefined || !plugin.handles(request)) continue;
    const pending = plugin.mutate(request);
    if (pending !== undefined) await pending;
  }
}

/** For what is posted to a subresource and stored nowhere itself: an Eviction, a Binding. Changes it in place. */
export async function admitSubresource(ctx: RequestContext, object: KubeObject, dryRun: boolean): Promise<void> {
  const { server, resource, info, user, warnings } = ctx;
  const { subresource, namespace, name } = info;
  const operation = "create";
  const request: AdmissionRequest = {
    server,
    operation,
    resource,
    subresource,
    namespace,
    name,
    user,
    dryRun,
    object,
    previous: undefined,
    warnings,
  };
  await mutate(request);
  await validate(request);
}

export async function validate(request: AdmissionRequest): Promise<void> {
  for (const plugin of request.server.admission) {
    if (plugin.validate === undefined || !plugin.handles(request)) continue;
    const pending = plugin.validate(request);
    if (pending !== undefined) await pending;
  }
}

export async function comparesOf(request: AdmissionRequest): Promise<readonly Compare[]> {
  const compares: Compare[] = [];
  for (const plugin of request.server.admission) {
    if (plugin.compare === undefined || !plugin.handles(request)) continue;
    const compare = await plugin.compare(request);
    if (compare !== undefined) compares.push(compare);
  }
  return compares;
}

export async function claim(request: AdmissionRequest): Promise<Disposable> {
  const stack = new DisposableStack();
  for (const plugin of request.server.admission) {
    if (plugin.claim !== undefined && plugin.handles(request)) stack.use(await plugin.claim(request));
  }
  return stack;
}
