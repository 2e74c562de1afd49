/**
 * What a decision of RBAC costs among many roles and bindings, and how soon changes count: of roles, and of admission policies.
 * Prints one JSON line per measurement; the argument is how many decisions (200,000 unless given).
 */
import { RbacIndex, rbacAuthorizer } from "@coxswain/apiserver";
import { startApi } from "../tests/integration/api.ts";
import { addPolicy, configMap, configMaps, removeBinding } from "../tests/integration/policies.ts";

const decisions = Number(process.argv[2] ?? 200_000);
const [roles, bindings, namespaces] = [1_000, 5_000, 100];

const index = new RbacIndex();
for (let i = 0; i < roles; i++) {
  const rules = Array.from({ length: 3 }, (_, k) => ({ apiGroups: [""], resources: [`kind-${i}-${k}`, "pods"], verbs: ["get", "list"] }));
  index.setRole("", `role-${i}`, { rules });
}
for (let i = 0; i < bindings; i++)
  index.setBinding(`ns-${i % namespaces}`, `binding-${i}`, {
    kind: "RoleBinding",
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `role-${i % roles}` },
    subjects: [
      { kind: "User", name: `user-${i % 500}` },
      { kind: "Group", name: `group-${i % 50}` },
    ],
  });
const authorize = rbacAuthorizer(index);
const asked = Array.from({ length: 1_000 }, (_, i) => ({
  kind: "resource" as const,
  user: { name: `user-${i % 500}`, uid: "", groups: [`group-${i % 50}`, "devs", "system:authenticated"], extra: {} },
  verb: i % 3 === 0 ? "delete" : "get",
  group: "",
  version: "v1",
  resource: "pods",
  subresource: "",
  namespace: `ns-${i % namespaces}`,
  name: "x",
}));
for (const kind of ["the first after its rules changed", "once its rules are compiled"]) {
  const count = kind.startsWith("the first") ? asked.length : decisions;
  let allowed = 0;
  const startedAt = process.hrtime.bigint();
  for (let i = 0; i < count; i++) {
    const one = asked[i % asked.length];
    if (one !== undefined && (await authorize(one)).kind === "allow") allowed++;
  }
  const each = Number(process.hrtime.bigint() - startedAt) / 1000 / count;
  console.log(JSON.stringify({ name: `a decision, ${kind}`, roles, bindings, microseconds: round(each), allowed: round(allowed / count) }));
}

const api = await startApi();
const policyMs: number[] = [];
for (let i = 0; i < 50; i++) {
  await addPolicy(api, "Validating", { validations: [{ expression: "false" }] });
  const written = performance.now();
  const { status } = await api.send("POST", configMaps, { body: configMap("a") });
  if (status !== 422) throw new Error(`a policy was not in force with the answer to its write: ${status}`);
  policyMs.push(performance.now() - written);
  await removeBinding(api, "validating");
  await api.send("DELETE", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p.example.com");
}
policyMs.sort((a, b) => a - b);
const name = "from the answer to a policy's write to the answer of a request that it refuses";
console.log(JSON.stringify({ name, medianMs: round(policyMs[25] ?? 0), maxMs: round(policyMs.at(-1) ?? 0) }));
await api.server.close();

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
