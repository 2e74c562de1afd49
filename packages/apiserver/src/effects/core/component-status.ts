/**
 * What Kubernetes' components say of their health. Those beside the server, in its process, are asked directly; others of this
 * machine at the ports on which they are everywhere.
 */

import { request } from "node:https";
import { type KubeObject, messageOf, methodNotAllowed, notFound } from "@coxswain/machinery";
import type { Entry, Revision } from "@coxswain/store";
import type { ComponentHealth } from "../../contracts/component-health.ts";
import type { Reply } from "../../contracts/http.ts";
import type { RequestContext } from "../../contracts/request-context.ts";
import type { ResourceEffect } from "../../handlers/effect.ts";
import { parseSelection } from "../../registry/selection.ts";
import { parseListOptions } from "../../request/options.ts";
import { replyObjects } from "../../responsewriters/write-objects.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import type { ClusterServices, EffectServices } from "../services.ts";

const ports: Readonly<Record<string, number>> = { __proto__: null as never, scheduler: 10_259, "controller-manager": 10_257 };
const names = [...Object.keys(ports), "etcd-0"];
const timeoutMs = 20_000;

type ComponentServices = Pick<EffectServices, "reader" | "rest" | "clock"> & {
  readonly cluster: Pick<ClusterServices, "componentHealth">;
};

export const componentStatuses: ResourceEffect<ComponentServices> = {
  on: "/componentstatuses",
  verbs: "all",
  create: (services) => (ctx) => serveComponentStatuses(services, ctx),
};

async function serveComponentStatuses(services: ComponentServices, ctx: RequestContext): Promise<Reply> {
  const { info, resource, query } = ctx;
  if (info.verb === "get") {
    if (!names.includes(info.name)) throw notFound({ group: "", resource: "componentstatus" }, info.name);
    return services.rest.responses.object(ctx, 200, await statusOf(services, info.name), resource);
  }
  if (info.verb !== "list") throw methodNotAllowed();
  const { labelSelector, fieldSelector } = parseListOptions(query);
  const selection = parseSelection(resource, services.reader.cache, labelSelector, fieldSelector);
  const selected = names.filter((name) => selection.matches(entryOf(name)));
  return replyObjects(ctx, services.clock, await Promise.all(selected.map((name) => statusOf(services, name))));
}

/** As selectors see it: without labels. */
const entryOf = (name: string): Entry => ({
  key: `/${name}`,
  value: Buffer.from('{"metadata":{}}'),
  created: 0 as Revision,
  modified: 0 as Revision,
  derived: undefined,
});

interface Finding {
  readonly status: "True" | "False";
  readonly message: string;
}

async function statusOf(services: ComponentServices, name: string): Promise<KubeObject> {
  const found = await (name === "etcd-0" ? probeStore(services.reader) : probeComponent(services.cluster.componentHealth, name));
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions: [{ type: "Healthy", ...found }] };
}

const ok: Finding = { status: "True", message: "ok" };
const failed: Finding = { status: "False", message: "healthz check failed" };

async function probeStore({ store }: ObjectReader): Promise<Finding> {
  try {
    await store.get("/registry/health");
    return ok;
  } catch (error) {
    return { status: "False", message: messageOf(error) };
  }
}

async function probeComponent(health: ComponentHealth | undefined, name: string): Promise<Finding> {
  const isHealthy = health?.get(name);
  if (isHealthy === undefined) return probePort(ports[name] ?? 0);
  return (await isHealthy()) ? ok : failed;
}

/** Its serving certificate is self-signed. */
function probePort(port: number): Promise<Finding> {
  const url = `https://127.0.0.1:${port}/healthz`;
  return new Promise((resolve) => {
    const asked = request(url, { rejectUnauthorized: false, timeout: timeoutMs, agent: false }, (answer) => {
      answer.resume();
      answer.once("close", () => resolve(answer.statusCode === 200 ? ok : failed));
    });
    asked.once("timeout", () => asked.destroy(new Error("i/o timeout")));
    asked.once("error", (error: NodeJS.ErrnoException) => {
      const why = error.code === "ECONNREFUSED" ? "connect: connection refused" : error.message;
      resolve({ status: "False", message: `Get "${url}": dial tcp 127.0.0.1:${port}: ${why}` });
    });
    asked.end();
  });
}
