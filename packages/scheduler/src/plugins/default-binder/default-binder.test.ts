import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionError, type Transport, type TransportRequest } from "@coxswain/client";
import { conflict, notFound } from "@coxswain/machinery";
import { createCycleState } from "../../framework/cycle-state.ts";
import { newPodInfo } from "../../framework/new-pod-info.ts";
import { podWith } from "../plugin-under-test.ts";
import { handleOf } from "../volumes/objects-under-test.ts";
import { defaultBinder } from "./default-binder.ts";

const pod = podWith({}, { name: "web", uid: "1" });
const boundTo = (nodeName: string, uid = "1") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { namespace: "default", name: "web", uid },
  spec: { nodeName },
});
const resource = { group: "", resource: "pods" };

const answer = (status: number, body: object) => ({
  status,
  headers: { "content-type": "application/json" },
  bytes: () => Promise.resolve(new TextEncoder().encode(JSON.stringify(body))),
  async *chunks() {
    yield new TextEncoder().encode(JSON.stringify(body));
  },
  cancel: () => undefined,
});

async function bind(onBind: () => object, onGet: () => object) {
  const sent: TransportRequest[] = [];
  const transport: Transport = {
    send: async (request) => {
      sent.push(request);
      const body = request.method === "GET" ? onGet() : onBind();
      const { code } = body as { code?: number };
      return answer(code ?? 201, body);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const { bind: plugin } = defaultBinder({}, handleOf({ transport }));
  const outcome = await plugin?.(createCycleState(), newPodInfo(pod), "n1", AbortSignal.timeout(5_000));
  return { outcome, sent: sent.map(({ method, path }) => `${method} ${path.replace(/\?.*/, "")}`) };
}

const done = { kind: "Status", apiVersion: "v1", status: "Success" };
const lost = (): object => {
  throw new ConnectionError("the connection is lost");
};
const taken = () => conflict(resource, "web", 'pod web is already assigned to node "n1"').status;
const create = "POST /api/v1/namespaces/default/pods/web/binding";
const get = "GET /api/v1/namespaces/default/pods/web";

const cases = [
  { name: "the binding is created, the Pod is bound", onBind: () => done, onGet: lost, expect: "bound", sent: [create] },
  {
    name: "the answer is lost and the Pod is bound to the node, Bind succeeds",
    onBind: lost,
    onGet: () => boundTo("n1"),
    expect: "bound",
    sent: [create, get],
  },
  {
    name: "a conflict because an earlier attempt bound the Pod to the node, Bind succeeds",
    onBind: taken,
    onGet: () => boundTo("n1"),
    expect: "bound",
    sent: [create, get],
  },
  { name: "the Pod is bound to another node, Bind fails", onBind: taken, onGet: () => boundTo("n2"), expect: "Error", sent: [create, get] },
  {
    name: "a Pod of that name with another uid, Bind fails",
    onBind: taken,
    onGet: () => boundTo("n1", "2"),
    expect: "Error",
    sent: [create, get],
  },
  { name: "the Pod is deleted, Bind fails", onBind: () => notFound(resource, "web").status, onGet: lost, expect: "Error", sent: [create] },
];
for (const { name, onBind, onGet, expect, sent } of cases)
  test(name, async () => {
    const result = await bind(onBind, onGet);
    assert.deepEqual(result.sent, sent);
    assert.equal(typeof result.outcome === "object" ? result.outcome.code : result.outcome, expect);
  });
