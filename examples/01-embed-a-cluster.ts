/** A whole Kubernetes API inside this process: start it, write to it, see a write refused, stop it. */
import { deployments, explainConflict, isConflict } from "@coxswain/client";
import { startCluster, virtualClock } from "coxswain/testing";

const yaml = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: nginx, image: "nginx:1.29" }] }
`;

// 1. Start. No ports, no files, no containers; the seed and the clock make every run the same.
await using cluster = await startCluster({ seed: 1, clock: virtualClock({ now: Date.UTC(2026, 0, 1) }) });

// 2. Apply a manifest, as `kubectl apply --server-side` does.
await cluster.applyYaml(yaml);

// 3. Read. The server has filled in what the manifest leaves out.
const web = await cluster.client.resource(deployments).get("web");
console.log(`web wants ${web.spec?.replicas} replicas, and is updated by ${web.spec?.strategy?.type}`);

// 4. Another client scales it, while we still hold our copy.
const operator = cluster.clientFor({ name: "jane" }, { fieldManager: "jane-cli" });
await operator.resource(deployments).scale("web", 5);

// 5. Our copy is old now. Writing it back would undo what Jane did, so the server refuses.
const ours = { ...web, spec: { ...web.spec, replicas: 1 } } as typeof web;
try {
  await cluster.client.resource(deployments).update(ours);
} catch (error) {
  if (!isConflict(error)) throw error;
  console.log(`refused: ${explainConflict(error)}`);
}

// 6. Read again, change, write; `modify` repeats that until no write is in between.
const scaled = await cluster.client.resource(deployments).modify("web", (draft) => {
  if (draft.spec) draft.spec.replicas = (draft.spec.replicas ?? 0) + 1;
});
console.log(`one more than Jane wanted: ${scaled.spec?.replicas}`);

// 7. Stop: `await using` closes the cluster here, with all that it has begun.
