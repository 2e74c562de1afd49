/** Who may do what, as users ask and change it with each kubectl. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { hangMs } from "@coxswain/machinery/testing";
import { accessSteps } from "./kubectl/access-steps.ts";
import { check, eachKubectl, type Session, testSteps } from "./kubectl/session.ts";
import type { Step } from "./kubectl/steps.ts";

const rbac = "rbac.authorization.k8s.io/v1";
const roles = JSON.stringify({
  apiVersion: "v1",
  kind: "List",
  items: [
    {
      apiVersion: rbac,
      kind: "Role",
      metadata: { name: "reader", namespace: "default" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["mine"], verbs: ["get", "watch"] }],
    },
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name: "reader", namespace: "default" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "jane" }],
    },
  ],
});

const steps: readonly Step[] = [
  { run: "auth can-i create deployments", prints: "yes" },
  { run: "auth can-i get configmaps --as jane", prints: /^no/, code: 1 },
  {
    run: "auth reconcile -f -",
    stdin: roles,
    prints: /role.rbac.authorization.k8s.io\/reader reconciled[\s\S]*rolebinding.rbac.authorization.k8s.io\/reader reconciled/,
  },
  { run: "auth can-i get configmap/mine --as jane", prints: "yes" },
  { run: "auth can-i get configmap/other --as jane", prints: /^no/, code: 1 },
  { run: "auth can-i list configmaps --as jane", prints: /^no/, code: 1 },
  { run: "auth can-i get /healthz --as jane", prints: "yes" },
  { run: "auth can-i get /metrics --as jane", prints: /^no/, code: 1 },
  {
    run: "auth can-i --list --as jane",
    prints: /^selfsubjectaccessreviews\.authorization\.k8s\.io +\[\] +\[\] +\[create\][\s\S]*configmaps +\[\] +\[mine\] +\[get watch\]/m,
  },
  { run: "create configmap mine --from-literal=a=b", prints: "configmap/mine created" },
  { run: "get configmap mine -o name --as jane", prints: "configmap/mine" },
  {
    run: "get configmaps --as jane",
    code: 1,
    complains: /User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"/,
  },
  { run: "delete configmap mine --as jane", code: 1, complains: /User "jane" cannot delete resource "configmaps"/ },
  {
    run: "create clusterrolebinding viewers --clusterrole=view --group=team",
    prints: "clusterrolebinding.rbac.authorization.k8s.io/viewers created",
  },
  { run: "auth can-i list pods -A --as joe --as-group team", prints: "yes" },
  { run: "auth can-i list secrets -A --as joe --as-group team", prints: /^no/, code: 1 },
  {
    run: "create rolebinding editors --clusterrole=edit --serviceaccount=default:robot",
    prints: "rolebinding.rbac.authorization.k8s.io/editors created",
  },
  { run: "create serviceaccount robot", prints: "serviceaccount/robot created" },
  { run: "auth can-i create pods --as system:serviceaccount:default:robot", prints: "yes" },
  { run: "auth can-i create pods -n kube-system --as system:serviceaccount:default:robot", prints: /^no/, code: 1 },
  {
    run: "create rolebinding more --clusterrole=admin --user=jane --as system:serviceaccount:default:robot",
    code: 1,
    complains: /cannot create resource "rolebindings"/,
  },
];

const aggregated: Step = { run: "auth can-i list pods --as joe --as-group team", prints: "yes" };

eachKubectl(
  "who may do what",
  (session) => {
    testSteps(steps.slice(0, 14), session);
    test("the role that others are aggregated into has their rules", async () => {
      const deadline = performance.now() + hangMs;
      for (;;) {
        try {
          return void (await check(session(), aggregated));
        } catch (error) {
          if (performance.now() > deadline || !(error instanceof assert.AssertionError)) throw error;
          await setTimeout(100);
        }
      }
    });
    testSteps(steps.slice(14), session);
    testSteps(accessSteps, session);
    test("a token of a service account is its owner's", (t) => withFolder(t, () => tokenOfRobot(session())));
    test("a certificate for a key of openssl is approved, signed and used", (t) =>
      withFolder(t, (folder) => certificateOf(session(), folder)));
    test("a certificate that is denied is not signed", (t) => withFolder(t, (folder) => deniedCertificate(session(), folder)));
  },
  ["--controllers=clusterrole-aggregation-controller"],
);

async function withFolder(t: { after(fn: () => void): void }, work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  await work(folder);
}

async function tokenOfRobot(session: Session): Promise<void> {
  const token = await check(session, { run: "create token robot --duration=1h", prints: /^[\w-]+\.[\w-]+\.[\w-]+$/ });
  await check(session, { run: `config set-credentials robot --token=${token}`, prints: 'User "robot" set.' });
  await assertIs(session, "robot", "system:serviceaccount:default:robot");
  await check(session, {
    run: "get nodes --user robot",
    code: 1,
    complains: /User "system:serviceaccount:default:robot" cannot list resource "nodes"/,
  });
}

interface Requested {
  readonly key: string;
  readonly cert: string;
}

/** Where the key is that openssl made, and where a certificate for it may go. */
async function requestCertificate(session: Session, folder: string, name: string): Promise<Requested> {
  const [key, csr, cert] = ["key.pem", "csr.pem", "cert.pem"].map((file) => join(folder, file)) as [string, string, string];
  execFileSync("openssl", ["req", "-new", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-subj", `/O=team/CN=${name}`, "-out", csr], {
    stdio: "ignore",
  });
  const request = {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: { request: readFileSync(csr).toString("base64"), signerName: "kubernetes.io/kube-apiserver-client", usages: ["client auth"] },
  };
  await check(session, {
    run: "create -f -",
    stdin: JSON.stringify(request),
    prints: `certificatesigningrequest.certificates.k8s.io/${name} created`,
  });
  return { key, cert };
}

async function deniedCertificate(session: Session, folder: string): Promise<void> {
  await requestCertificate(session, folder, "eve");
  await check(session, {
    run: "certificate approve eve --as eve",
    code: 1,
    complains: /User "eve" cannot get resource "certificatesigningrequests" in API group "certificates\.k8s\.io" at the cluster scope/,
  });
  await check(session, { run: "certificate deny eve", prints: "certificatesigningrequest.certificates.k8s.io/eve denied" });
  await check(session, {
    run: "certificate approve eve",
    code: 1,
    complains: /certificate signing request "eve" is already Denied/,
  });
  await check(session, { run: "get csr eve --no-headers", prints: /^eve .* Denied$/ });
  await check(session, { run: "get csr eve -o jsonpath={.status.certificate}", prints: "" });
}

async function certificateOf(session: Session, folder: string): Promise<void> {
  const { key, cert } = await requestCertificate(session, folder, "ann");
  await check(session, { run: "certificate approve ann", prints: "certificatesigningrequest.certificates.k8s.io/ann approved" });
  await check(session, { run: "wait --for=jsonpath={.status.certificate} csr/ann", prints: /condition met$/ }).catch(() => undefined);
  const signed = await check(session, { run: "get csr ann -o jsonpath={.status.certificate}", prints: /^\S+$/ });
  execFileSync("tee", [cert], { input: Buffer.from(signed, "base64"), stdio: ["pipe", "ignore", "inherit"] });
  await check(session, { run: `config set-credentials ann --client-certificate=${cert} --client-key=${key}`, prints: 'User "ann" set.' });
  await assertIs(session, "ann", "ann");
  await check(session, { run: "get pods -A --user ann", complains: /No resources found/ });
  await check(session, { run: "get secrets -A --user ann", code: 1, complains: /User "ann" cannot list resource "secrets"/ });
}

/** The oldest kubectl asks by a version of the API that Kubernetes serves no more. */
async function assertIs(session: Session, user: string, name: string): Promise<void> {
  const whoami = `auth whoami --user ${user} -o jsonpath={.status.userInfo.username}`;
  if (session.kubectl.version.includes("v1.27.")) {
    await check(session, { run: whoami, code: 1, complains: /the selfsubjectreviews API is not enabled in the cluster/ });
    const review = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
    const run = `create --validate=false -f - --user ${user} -o jsonpath={.status.userInfo.username}`;
    await check(session, { run, stdin: review, prints: name });
    return;
  }
  await check(session, { run: whoami, prints: name });
}
