/**
 * Over HTTPS, with the controller beside the server that joins roles: whatever a service account that writes RBAC
 * objects, asks for tokens, certificates and bootstrap Secrets is allowed, it may never do more than before.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Requests } from "../conformance/authorization/requests.ts";
import { startCommand } from "../conformance/command-under-test.ts";

const group = "rbac.authorization.k8s.io";
const rbac = `/apis/${group}/v1`;
const csrs = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const accounts = "/api/v1/namespaces/a/serviceaccounts";
const writes = ["get", "list", "create", "update", "patch", "delete"];
const own = { kind: "ServiceAccount", namespace: "a", name: "eve" };

/** What eve is given. */
const inNamespace = [
  { apiGroups: [group], resources: ["roles", "rolebindings"], verbs: writes },
  { apiGroups: [""], resources: ["pods", "configmaps"], verbs: ["get", "list"] },
  { apiGroups: [""], resources: ["serviceaccounts/token"], resourceNames: ["eve"], verbs: ["create"] },
];
const everywhere = [
  { apiGroups: [group], resources: ["clusterroles", "clusterrolebindings"], verbs: writes },
  { apiGroups: ["certificates.k8s.io"], resources: ["certificatesigningrequests"], verbs: ["create", "get", "update"] },
];

/** Of openssl, for `/O=system:masters/CN=root`. */
const request = [
  "MIHiMIGKAgEAMCgxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQ0wCwYDVQQDDARyb290MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD",
  "QgAEeCzHnPtZA24+SbX2mg/AbPp5nYuqIpsihbgOG7MgCWk4XlDb9A15XWXuth4YZbVVhu1nI8j1H0WPQYivswWeI6AAMAoGCCqG",
  "SM49BAMCA0cAMEQCICv++nmCKFHhzrYqldktwODq3GWd/GqIzODlxxJfe/E9AiAnmWRNyXon/jeOEwcCsKFl9LaZJ97ieyTmpO+p9l3iGA==",
].join("");
const pem = Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${request}\n-----END CERTIFICATE REQUEST-----\n`).toString("base64");

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: object;
}

const name = fc.constantFrom("x", "y", "eve");
const rule = fc.oneof(
  { arbitrary: fc.constantFrom(...inNamespace, ...everywhere, ...everywhere), weight: 5 },
  fc.record({
    apiGroups: fc.constantFrom([""], ["*"]),
    resources: fc.constantFrom(["secrets"], ["*"], ["pods/exec"]),
    verbs: fc.constantFrom(["get"], ["*"]),
  }),
);
const labels = fc.constantFrom({}, ...["view", "edit", "admin", "eve"].map((to) => ({ [`${group}/aggregate-to-${to}`]: "true" })));
const where = (kind: string): string => (kind.startsWith("cluster") ? `${rbac}/${kind}` : `${rbac}/namespaces/a/${kind}`);
const rules = fc.array(rule, { maxLength: 2 });
const writeOf = (kind: string, of: string, content: object): fc.Arbitrary<Sent> =>
  fc.constantFrom<Sent>(
    { method: "POST", path: where(kind), body: { metadata: { name: of }, ...content } },
    { method: "PATCH", path: `${where(kind)}/${of}`, body: content },
  );
const requests: fc.Arbitrary<Sent> = fc.oneof(
  fc
    .record({ kind: fc.constantFrom("roles", "clusterroles"), of: name, rules, labels })
    .chain(({ kind, of, rules: wanted, labels: given }) => writeOf(kind, of, { metadata: { name: of, labels: given }, rules: wanted })),
  fc
    .record({
      kind: fc.constantFrom("rolebindings", "clusterrolebindings"),
      of: name,
      to: fc.constantFrom("x", "y", "eve", "edit", "cluster-admin"),
    })
    .chain(({ kind, of, to }) => writeOf(kind, of, { roleRef: { apiGroup: group, kind: "ClusterRole", name: to }, subjects: [own] })),
  fc.constantFrom<Sent>(
    { method: "POST", path: `${accounts}/eve/token`, body: {} },
    { method: "POST", path: `${accounts}/strong/token`, body: {} },
    {
      method: "POST",
      path: csrs,
      body: { metadata: { name: "c" }, spec: { request: pem, signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] } },
    },
    {
      method: "PATCH",
      path: `${csrs}/c/approval`,
      body: { status: { conditions: [{ type: "Approved", status: "True", reason: "Mine" }] } },
    },
    { method: "PATCH", path: `${csrs}/c/status`, body: { status: { certificate: "eA==" } } },
    {
      method: "POST",
      path: "/api/v1/namespaces/kube-system/secrets",
      body: { metadata: { name: "bootstrap-token-abcdef" }, type: "bootstrap.kubernetes.io/token" },
    },
  ),
);

const questions = ["", "a", "default"].flatMap((namespace) =>
  ["get", "create", "escalate", "bind", "impersonate", "approve", "*"].flatMap((verb) =>
    [
      ...["pods", "secrets", "serviceaccounts", "nodes", "users", "*"].map((resource) => ({ group: "", resource })),
      ...["roles", "clusterroles", "clusterrolebindings"].map((resource) => ({ group, resource })),
      { group: "certificates.k8s.io", resource: "signers" },
    ].map((of) => ({ namespace, verb, ...of })),
  ),
);

async function rightsOf(eve: Requests): Promise<readonly string[]> {
  const allowed: string[] = [];
  for (const resourceAttributes of questions) {
    const { body } = await eve.send("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", { spec: { resourceAttributes } });
    if (body.status.allowed === true) allowed.push(JSON.stringify(resourceAttributes));
  }
  return allowed;
}

const numRuns = Number(process.env.RUNS ?? 30);
const seed = Number(process.env.SEED ?? 20261123);

test("rights do not grow over HTTPS, whatever sequence is allowed", async (t) => {
  const controllers = "--controllers=clusterrole-aggregation-controller";
  const command = await startCommand("--ephemeral", "--enable-bootstrap-token-auth", controllers);
  t.after(() => command.stop());
  const admin = new Requests(command.server, { headers: { authorization: `Bearer ${command.token}` } });
  t.after(() => admin.close());
  await admin.create("/api/v1/namespaces", { metadata: { name: "a" } });
  for (const account of ["eve", "strong"]) await admin.create(accounts, { metadata: { name: account } });
  await admin.create(`${rbac}/clusterroles`, { metadata: { name: "eve" }, rules: everywhere });
  await admin.create(`${rbac}/namespaces/a/roles`, { metadata: { name: "eve" }, rules: inNamespace });
  const bind = (path: string, kind: string, to: string, subject: object): Promise<unknown> =>
    admin.create(path, { metadata: { name: `given-${to}` }, roleRef: { apiGroup: group, kind, name: to }, subjects: [subject] });
  await bind(`${rbac}/clusterrolebindings`, "ClusterRole", "eve", own);
  await bind(`${rbac}/namespaces/a/rolebindings`, "Role", "eve", own);
  await bind(`${rbac}/clusterrolebindings`, "ClusterRole", "cluster-admin", { ...own, name: "strong" });
  const { status } = await admin.create(`${accounts}/eve/token`, { spec: {} });
  const eve = new Requests(command.server, { headers: { authorization: `Bearer ${status.token}` } });
  t.after(() => eve.close());
  const before = new Set(await rightsOf(eve));
  const statuses = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(requests, { minLength: 10, maxLength: 40 }), async (sequence) => {
      // She may take rights from herself, too.
      await admin.send("PATCH", `${rbac}/clusterroles/eve`, { rules: everywhere });
      await admin.send("PATCH", `${rbac}/namespaces/a/roles/eve`, { rules: inNamespace });
      for (const { method, path, body } of sequence) {
        const answer = await eve.send(method, path, body);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
      assert.deepEqual(
        (await rightsOf(eve)).filter((right) => !before.has(right)),
        [],
      );
    }),
    { numRuns, seed },
  );
  t.diagnostic(`${numRuns} runs, seed ${seed}: ${[...statuses].map(([code, count]) => `${count} × ${code}`).join(", ")}`);
  assert.ok(before.size > 5 && (statuses.get(200) ?? 0) > 5 && (statuses.get(201) ?? 0) > 5 && (statuses.get(403) ?? 0) > numRuns);
});
