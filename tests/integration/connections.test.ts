/** Connections into Pods that no node runs yet. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Api, startApi } from "./api.ts";

const pods = "/api/v1/namespaces/default/pods";
let api: Api;

before(async () => {
  api = await startApi();
  const container = (name: string) => ({ name, image: "i" });
  await api.send("POST", pods, { body: { metadata: { name: "one" }, spec: { containers: [container("c")] } } });
  const several = { containers: [container("a"), container("b")], initContainers: [container("i")] };
  await api.send("POST", pods, { body: { metadata: { name: "two" }, spec: several } });
});

const cases = [
  { ask: "one/log", status: 204, message: undefined },
  { ask: "one/log?container=x", status: 400, message: "container x is not valid for pod one" },
  {
    ask: "two/log",
    status: 400,
    message: "a container name must be specified for pod two, choose one of: [a b] or one of the init containers: [i]",
  },
  { ask: "two/log?container=i", status: 204, message: undefined },
  {
    ask: "one/log?tailLines=-1",
    status: 422,
    message: 'PodLogOptions "one" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
  },
  {
    ask: "one/log?limitBytes=0",
    status: 422,
    message: 'PodLogOptions "one" is invalid: limitBytes: Invalid value: 0: must be greater than 0',
  },
  { ask: "none/log", status: 404, message: 'pods "none" not found' },
  { ask: "one/exec?command=x&dryRun=All", status: 400, message: "dryRun is not supported" },
  { ask: "one/exec?command=x&container=x", status: 400, message: "container x is not valid for pod one" },
  { ask: "one/portforward", status: 400, message: "pod one does not have a host assigned" },
];

for (const { ask, status, message } of cases)
  test(`GET ${ask} answers ${status}`, async () => {
    const answer = await api.send("GET", `${pods}/${ask}`);
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.body?.message, message);
  });
