/** Five small servers as real containers on three nodes of this machine: they find each other by name, and one front leads to them. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deployments, nodes, pods, statefulSets } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { applyYaml, waitFor } from "coxswain/testing";
import { ask, firstAnswer } from "./microservices/ask.ts";
import { imageArchive } from "./microservices/image.ts";
import { manifests, nodePort } from "./microservices/manifests.ts";
import { startNodes } from "./microservices/start.ts";

await using stack = new AsyncDisposableStack();
const folder = mkdtempSync(join(tmpdir(), "coxswain-shop-"));
stack.defer(() => rmSync(folder, { recursive: true, force: true }));

// 1. One image, of this Node and the servers, and a cluster whose nodes all have it.
const cluster = stack.use(await startNodes(imageArchive(folder)));
const client = stack.use(await clientFromKubeconfig({ paths: [cluster.kubeconfig] }));

const timeout = { timeoutMs: 240_000 };
for (const target of ["node-1", "node-2", "node-3"]) await waitFor(client, { ref: nodes, target, until: "condition=Ready" }, timeout);

// 2. What is to run, and until it does.
const yaml = manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
await applyYaml(client, yaml);
for (const target of ["catalog", "prices", "orders", "gateway"])
  await waitFor(client, { ref: deployments, target, until: "condition=Available" }, timeout);
await waitFor(client, { ref: statefulSets, target: "ledger", until: ({ status }) => status?.readyReplicas === status?.replicas }, timeout);
const running = (await client.resource(pods).list()).items;
console.log(`${running.length} Pods run on ${new Set(running.map(({ spec }) => spec?.nodeName)).size} nodes`);

// 3. The front, at the same port of each node.
const addresses = (await client.resource(nodes).list()).items.flatMap(
  ({ status }) => status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? [],
);
const [first = "", second = "", third = ""] = addresses.map((address) => `http://${address}:${nodePort}`);
const products = await firstAnswer<{ readonly name: string }[]>(`${first}/products`);
console.log(`products: ${products.map(({ name }) => name).join(", ")}`);

// 4. An order asks the prices, and is kept by the replica of the ledger that is its customer's.
for (const path of ["orders/anna", "orders/bert", "prices/rope"]) await firstAnswer(`${second}/${path}`);
const order = (customer: string, product: string, quantity: number) => ask(`${second}/orders/${customer}`, { product, quantity });
console.log("anna:", JSON.stringify(await order("anna", "rope", 4)));
console.log("bert:", JSON.stringify(await order("bert", "lamp", 1)));

// 5. Half of the servers go; Kubernetes replaces them, and nobody who asks sees it.
for (const app of ["catalog", "prices", "orders"]) {
  const [one] = (await client.resource(pods).list({ labelSelector: `app=${app}` })).items;
  await client.resource(pods).delete(one?.metadata?.name ?? "");
}
console.log("anna:", JSON.stringify(await order("anna", "compass", 1)));
console.log("anna, asked elsewhere:", JSON.stringify(await ask(`${third}/orders/anna`)));

if (process.stdin.isTTY) {
  console.log(`\nIt runs until you press Enter: curl ${first}/products\nexport KUBECONFIG=${cluster.kubeconfig}`);
  await once(process.stdin, "data");
  process.stdin.destroy();
}
