/**
 * What Kubernetes' components say of their health. Those beside the server, in its process, are asked directly; others of this
 * machine at the ports on which they are everywhere.
 */
import { request } from "node:https";
import { type KubeObject, methodNotAllowed, notFound } from "@coxswain/machinery";
import type { Entry, Revision } from "@coxswain/store";
import type { RequestContext, ServerContext } from "../../context.ts";
import type { Reply } from "../../contracts/http.ts";
import { parseSelection } from "../../registry/selection.ts";
import { parseListOptions } from "../../request/options.ts";
import { replyObject } from "../../responsewriters/write-object.ts";
import { replyObjects } from "../../responsewriters/write-objects.ts";

/** What runs in the same process: whether it is well, by the component's name. */
export type ComponentHealth = ReadonlyMap<string, () => boolean>;

const ports: Readonly<Record<string, number>> = { scheduler: 10_259, "controller-manager": 10_257 };
const names = [...Object.keys(ports), "etcd-0"];
const timeoutMs = 20_000;

export async function componentStatuses(ctx: RequestContext): Promise<Reply> {
  const { info, resource, server, query } = ctx;
  if (info.verb === "get") {
    if (!names.includes(info.name)) throw notFound({ group: "", resource: "componentstatus" }, info.name);
    return replyObject(ctx, 200, await statusOf(server, info.name), resource);
  }
  if (info.verb !== "list") throw methodNotAllowed();
  const { labelSelector, fieldSelector } = parseListOptions(query);
  const selection = parseSelection(resource, server.cache, labelSelector, fieldSelector);
  const selected = names.filter((name) => selection.matches(entryOf(name)));
  return replyObjects(ctx, await Promise.all(selected.map((name) => statusOf(server, name))));
}

/** As selectors look at it: without labels. */
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

async function statusOf(server: ServerContext, name: string): Promise<KubeObject> {
  const found = await (name === "etcd-0" ? checkStore(server) : check(server, name));
  return { kind: "ComponentStatus", apiVersion: "v1", metadata: { name }, conditions: [{ type: "Healthy", ...found }] };
}

const ok: Finding = { status: "True", message: "ok" };
const failed: Finding = { status: "False", message: "healthz check failed" };

async function checkStore({ store }: ServerContext): Promise<Finding> {
  try {
    await store.get("/registry/health");
    return ok;
  } catch (error) {
    return { status: "False", message: error instanceof Error ? error.message : String(error) };
  }
}

async function check({ componentHealth }: ServerContext, name: string): Promise<Finding> {
  const isWell = componentHealth?.get(name);
  if (isWell === undefined) return probe(ports[name] ?? 0);
  return isWell() ? ok : failed;
}

/** What it serves with is signed by nobody in particular. */
function probe(port: number): Promise<Finding> {
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
