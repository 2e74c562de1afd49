/** Kubernetes' sample-apiserver behind an APIService, with the rights that its own manifests give it, and kubectl in front. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { run } from "./client-program.ts";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";
import { type ExtensionApiserver, startExtensionApiserver } from "./extension-apiserver.ts";
import { testWithGoProgram } from "./go-program.ts";
import { chosenKubectls, type Ran, runKubectl } from "./kubectl/kubectl.ts";

const group = "wardle.example.com";
const rbac = "rbac.authorization.k8s.io";
const account = { kind: "ServiceAccount", name: "apiserver", namespace: "wardle" };
const binding = (kind: string, namespace: string | undefined, roleRef: object, subject: object = account) => ({
  ...{ apiVersion: `${rbac}/v1`, kind, metadata: { name: `wardle-${JSON.stringify(roleRef).length}`, namespace } },
  ...{ roleRef: { apiGroup: rbac, ...roleRef }, subjects: [subject] },
});
const watched = (apiGroups: string[], resources: string[]) => ({ apiGroups, resources, verbs: ["get", "list", "watch"] });

/** What sample-apiserver's own manifests have. */
const rights = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "wardle" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "apiserver", namespace: "wardle" } },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "reader", namespace: "wardle" } },
  {
    ...{ apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata: { name: "aggregated-apiserver" } },
    rules: [
      watched([""], ["namespaces"]),
      watched(["admissionregistration.k8s.io"], ["*"]),
      watched(["flowcontrol.apiserver.k8s.io"], ["flowschemas", "prioritylevelconfigurations"]),
    ],
  },
  binding("ClusterRoleBinding", undefined, { kind: "ClusterRole", name: "aggregated-apiserver" }),
  binding("ClusterRoleBinding", undefined, { kind: "ClusterRole", name: "system:auth-delegator" }),
  binding("RoleBinding", "kube-system", { kind: "Role", name: "extension-apiserver-authentication-reader" }),
  {
    ...{ apiVersion: `${rbac}/v1`, kind: "Role", metadata: { name: "flunders", namespace: "default" } },
    rules: [watched([group], ["flunders"])],
  },
  binding("RoleBinding", "default", { kind: "Role", name: "flunders" }, { kind: "ServiceAccount", name: "reader", namespace: "wardle" }),
];

const apiService = (
  version: string,
  versionPriority: number,
  { port, caBundle }: { readonly port: number; readonly caBundle: string },
) => ({
  ...{ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name: `${version}.${group}` } },
  spec: { group, version, groupPriorityMinimum: 1000, versionPriority, caBundle, service: { namespace: "wardle", name: "api", port } },
});

const flunder = (name: string, more: object = {}) =>
  JSON.stringify({ apiVersion: `${group}/v1beta1`, kind: "Flunder", metadata: { name, namespace: "default", ...more } });

interface Cluster {
  /** Fails the test unless it ends with that code. */
  readonly kubectl: (args: string, options?: { readonly stdin?: string; readonly code?: number }) => Promise<Ran>;
  readonly objects: (objects: readonly object[]) => string;
}

function clusterOf(command: CommandUnderTest): Cluster {
  const [kubectl] = chosenKubectls().slice(-1);
  assert.ok(kubectl, "there is no kubectl");
  const env = { KUBECONFIG: command.kubeconfig, HOME: command.directory, KUBECACHEDIR: join(command.directory, "cache") };
  return {
    async kubectl(args, { stdin, code = 0 } = {}) {
      const ran = await runKubectl(kubectl, args.split(" "), env, stdin);
      assert.equal(ran.code, code, `kubectl ${args}\n${ran.stdout}\n${ran.stderr}`);
      return ran;
    },
    objects: (items) => JSON.stringify({ apiVersion: "v1", kind: "List", items }),
  };
}

async function kubeconfigFor({ kubectl }: Cluster, command: CommandUnderTest): Promise<string> {
  const { stdout } = await kubectl("config view --raw -o json");
  const config = JSON.parse(stdout);
  const { stdout: token } = await kubectl("create token apiserver -n wardle");
  for (const one of config.users) one.user = { token: token.trim() };
  const path = join(command.directory, "extension.kubeconfig");
  writeFileSync(path, JSON.stringify(config));
  return path;
}

const isAvailable = `wait --for=condition=Available --timeout=60s apiservice/v1beta1.${group} apiservice/v1alpha1.${group}`;

interface Setup {
  readonly kubectl: Cluster["kubectl"];
  readonly command: CommandUnderTest;
  readonly extension: ExtensionApiserver;
}

const etcd = await run("etcd", ["--version"], { timeoutMs: hangMs });

testWithGoProgram("sample-apiserver serves its group through the server", "sample-apiserver", async (t, program) => {
  if (etcd.code !== 0 || chosenKubectls().length === 0) return t.skip("there is no etcd, or no kubectl");
  const command = await startCommand("--ephemeral", "--controllers", "*", "--log-level", "warn");
  t.after(() => command.stop());
  const cluster = clusterOf(command);
  const { kubectl, objects } = cluster;
  await kubectl("apply -f -", { stdin: objects(rights) });
  const kubeconfig = await kubeconfigFor(cluster, command);
  const serverName = "api.wardle.svc";
  const extension = await startExtensionApiserver({ program, directory: command.directory, kubeconfig, serverName });
  t.after(() => extension.end());
  const service = {
    ...{ apiVersion: "v1", kind: "Service", metadata: { name: "api", namespace: "wardle" } },
    spec: { type: "ExternalName", externalName: "localhost" },
  };
  await kubectl("apply -f -", { stdin: objects([service, apiService("v1beta1", 20, extension), apiService("v1alpha1", 15, extension)]) });
  await kubectl(isAvailable);

  const setup = { kubectl, command, extension };
  await t.test("discovery and OpenAPI", () => checkDiscovery(setup));
  await t.test("objects are created, shown, changed, applied, watched and deleted", () => checkObjects(setup));
  await t.test("who may do what is decided here, and by the extension server through this one", () => checkAccess(setup));
  await t.test("its objects go with their namespace and with their owner", () => checkDeletion(setup));
  await t.test("while it is down, everything else goes on", () => checkDowntime(setup));
});

async function checkDiscovery({ kubectl }: Setup): Promise<void> {
  const { stdout } = await kubectl(`api-resources --api-group=${group} --no-headers`);
  assert.match(stdout, /^fischers +wardle.example.com\/v1alpha1 +false +Fischer\nflunders +wardle.example.com\/v1beta1 +true +Flunder\n$/);
  assert.match((await kubectl("explain flunder.spec")).stdout, /GROUP: +wardle.example.com[\s\S]*FlunderSpec/);
  assert.match((await kubectl("get apiservices")).stdout, /v1beta1.wardle.example.com +wardle\/api +True/);
}

async function checkObjects({ kubectl, command }: Setup): Promise<void> {
  await kubectl("create -f -", { stdin: flunder("first", { labels: { a: "b" } }) });
  assert.match((await kubectl("get flunders -l a=b")).stdout, /^NAME +CREATED AT\nfirst /);
  await kubectl("label flunder first more=1");
  await kubectl(`apply --server-side --field-manager=test -f -`, { stdin: flunder("second") });
  assert.equal((await kubectl("get flunders -o name --chunk-size=1")).stdout, `flunder.${group}/first\nflunder.${group}/second\n`);
  const [{ path } = { path: "" }] = chosenKubectls().slice(-1);
  const watch = spawn(path, ["get", "flunders", "--watch-only", "-o", "name"], {
    env: { ...process.env, KUBECONFIG: command.kubeconfig },
  });
  let seen = "";
  watch.stdout.on("data", (chunk: Buffer) => {
    seen += chunk.toString();
  });
  try {
    // The watch has begun once it shows something: until then, there is more to show.
    let changes = 0;
    await waitUntil("an event", async () => {
      await kubectl(`annotate flunder first --overwrite changes=${++changes}`);
      return seen.includes("/first") ? true : undefined;
    });
    await kubectl("delete flunder second");
    await waitUntil("the deletion", () => (seen.includes("/second") ? true : undefined));
  } finally {
    watch.kill("SIGKILL");
  }
  const { stderr } = await kubectl("create -f -", { stdin: flunder("first"), code: 1 });
  assert.match(stderr, /flunders.wardle.example.com "first" already exists/);
}

async function checkAccess({ kubectl, extension }: Setup): Promise<void> {
  const { stderr } = await kubectl("get flunders --as jane", { code: 1 });
  assert.match(stderr, /User "jane" cannot list resource "flunders" in API group "wardle.example.com"/);
  const reader = "system:serviceaccount:wardle:reader";
  assert.match((await kubectl(`get flunders --as ${reader}`)).stdout, /first/);
  const token = (await kubectl("create token reader -n wardle")).stdout.trim();
  const path = (namespace: string): string => `/apis/${group}/v1beta1/namespaces/${namespace}/flunders`;
  assert.equal(await statusOf(extension.port, path("default"), { authorization: `Bearer ${token}` }), 200);
  assert.equal(await statusOf(extension.port, path("wardle"), { authorization: `Bearer ${token}` }), 403);
  // Nobody but this server is believed about users.
  const forged = { "x-remote-user": "admin", "x-remote-group": "system:masters" };
  assert.equal(await statusOf(extension.port, path("default"), forged), 403);
}

async function checkDeletion({ kubectl }: Setup): Promise<void> {
  await kubectl("create namespace doomed");
  await kubectl("create -f -", { stdin: flunder("third").replace('"default"', '"doomed"') });
  await kubectl("delete namespace doomed --timeout=60s");
  await kubectl("create configmap owner");
  const { uid } = JSON.parse((await kubectl("get configmap owner -o json")).stdout).metadata;
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
  await kubectl("create -f -", { stdin: flunder("owned", { ownerReferences }) });
  await kubectl("delete configmap owner");
  await kubectl("wait --for=delete --timeout=90s flunder/owned");
  assert.equal((await kubectl("get flunders -A -o name")).stdout, `flunder.${group}/first\n`);
}

async function checkDowntime({ kubectl, extension }: Setup): Promise<void> {
  await extension.stop();
  await kubectl(`wait --for=condition=Available=False --timeout=90s apiservice/v1beta1.${group}`);
  const { status } = JSON.parse((await kubectl(`get apiservice v1beta1.${group} -o json`)).stdout);
  const [{ reason, message }] = status.conditions;
  assert.equal(reason, "FailedDiscoveryCheck");
  assert.match(
    message,
    /^failing or missing response from https:\/\/localhost:\d+\/apis\/wardle.example.com\/v1beta1: Get .*connect: connection refused$/,
  );
  const down = await kubectl(`get --raw /apis/${group}/v1beta1/flunders`, { code: 1 });
  assert.match(down.stderr, /service unavailable|currently unable to handle the request/);
  assert.match((await kubectl("get --raw /apis")).stdout, /wardle\.example\.com/);
  assert.match((await kubectl("get configmaps -A")).stdout, /extension-apiserver-authentication/);
  await extension.start();
  await kubectl(isAvailable);
  assert.match((await kubectl("get flunders")).stdout, /first/);
}

function statusOf(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on("error", reject).end();
  });
}
