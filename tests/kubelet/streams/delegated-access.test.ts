/** The clients that a kubelet accepts: the API server reviews tokens and access. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { delegatedAccess } from "@coxswain/kubelet";
import { startCluster, virtualClock } from "coxswain/testing";

const request = { node: "n", verb: "get", subresources: ["metrics"] };

test("a token's user is cached for two minutes, and administrators need no access review", async () => {
  const clock = virtualClock({ autoAdvance: false });
  await using cluster = await startCluster({ clock });
  let asked = 0;
  const { client } = cluster;
  const counting = Object.assign(Object.create(client), {
    resource: (...of: Parameters<typeof client.resource>) => {
      asked++;
      return client.resource(...of);
    },
  });
  const access = delegatedAccess(counting);
  await cluster.applyYaml("{apiVersion: v1, kind: ServiceAccount, metadata: {name: prometheus, namespace: default}}");
  const answer = await client.request({
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/prometheus/token",
    headers: { "content-type": "application/json" },
    body: Buffer.from('{"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","spec":{}}'),
  });
  const { token } = JSON.parse(Buffer.from(await answer.bytes()).toString()).status;
  const caller = await access.authenticate?.(token);
  assert.equal(caller?.name, "system:serviceaccount:default:prometheus");
  assert.ok(caller?.groups.includes("system:serviceaccounts"));
  await access.authenticate?.(token);
  assert.equal(asked, 1);
  await cluster.advance({ minutes: 3 });
  await access.authenticate?.(token);
  assert.equal(asked, 2);
  assert.equal(await access.authenticate?.("nonsense"), undefined);

  asked = 0;
  assert.equal(await access.allows({ name: "root", groups: ["system:masters"] }, request), true);
  assert.equal(asked, 0);
  assert.equal(await access.allows(caller!, request), false);
  assert.equal(await access.allows(caller!, request), false);
  assert.equal(asked, 1);
  await cluster.advance({ minutes: 1 });
  assert.equal(await access.allows(caller!, { ...request, subresources: ["pods", "proxy"] }), false);
  assert.equal(asked, 3);
});
