import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseAccess } from "./choose.ts";
import { impersonationHeaders } from "./impersonation-headers.ts";
import { emptyUser, type Kubeconfig, parseKubeconfig } from "./kubeconfig.ts";
import { KubeconfigError } from "./kubeconfig-error.ts";
import { mergeKubeconfigs } from "./merge.ts";

const full = `
apiVersion: v1
kind: Config
current-context: home
preferences: {colors: true}
clusters:
- name: home
  cluster:
    server: https://home:6443
    certificate-authority: pki/ca.crt
    tls-server-name: kubernetes
    proxy-url: socks5://proxy:1080
    disable-compression: true
    extensions:
    - {name: other, extension: 1}
    - {name: client.authentication.k8s.io/exec, extension: {audience: x}}
users:
- name: jane
  user:
    client-certificate: pki/jane.crt
    client-key: /keys/jane.key
    as: joe
    as-groups: [devs, ops]
    as-uid: "7"
    as-user-extra: {reason: [a, b]}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: bin/login
      args: [--fast]
      env: [{name: A, value: b}]
contexts:
- name: home
  context: {cluster: home, user: jane, namespace: web}
- name: plugged
  context: {cluster: home, user: plugin}
`;

test("a kubeconfig is read, its paths are relative to it", async () => {
  const config = await parseKubeconfig(full, { resolvePath: (path) => (path.startsWith("/") ? path : `/home/.kube/${path}`) });
  const { cluster, user, namespace } = chooseAccess(config);
  assert.deepEqual(cluster, {
    server: "https://home:6443",
    tlsServerName: "kubernetes",
    insecureSkipTlsVerify: false,
    certificateAuthority: "/home/.kube/pki/ca.crt",
    certificateAuthorityData: undefined,
    proxyUrl: "socks5://proxy:1080",
    disableCompression: true,
    execConfig: { audience: "x" },
  });
  assert.equal(namespace, "web");
  assert.deepEqual(user, {
    ...emptyUser,
    clientCertificate: "/home/.kube/pki/jane.crt",
    clientKey: "/keys/jane.key",
    impersonate: { user: "joe", uid: "7", groups: ["devs", "ops"], extra: { reason: ["a", "b"] } },
  });
  const plugged = chooseAccess(config, { context: "plugged" });
  assert.equal(plugged.namespace, "default");
  assert.deepEqual(plugged.user.exec, {
    command: "/home/.kube/bin/login",
    args: ["--fast"],
    env: [{ name: "A", value: "b" }],
    apiVersion: "client.authentication.k8s.io/v1beta1",
    installHint: "",
    provideClusterInfo: false,
    interactiveMode: "IfAvailable",
  });
});

const unreadable = [
  { name: "no YAML", text: "a: [", message: /^kubeconfig: / },
  { name: "another kind", text: "{apiVersion: v1, kind: Pod}", message: /a kubeconfig is a Config of v1/ },
  { name: "a list", text: "[]", message: /^kubeconfig must be a map, not a list/ },
  {
    name: "a number where a text must be",
    text: "{users: [{name: a, user: {token: 7}}]}",
    message: /^kubeconfig: users\[0\]\.user\.token must be a text/,
  },
  {
    name: "no base64",
    text: "{users: [{name: a, user: {client-key-data: '%'}}]}",
    message: /users\[0\]\.user\.client-key-data is not base64/,
  },
  { name: "two of one name", text: "{clusters: [{name: a}, {name: a}]}", message: /duplicate name "a" in clusters/ },
];
for (const { name, text, message } of unreadable) {
  test(`a kubeconfig that is wrong: ${name}`, async () => {
    await assert.rejects(parseKubeconfig(text), (error) => error instanceof KubeconfigError && message.test(error.message));
  });
}

test("an empty file is an empty kubeconfig", async () => {
  assert.equal((await parseKubeconfig("")).clusters.size, 0);
});

test("of several files the first one to name something says what it is, whole", async () => {
  const first = await parseKubeconfig("{users: [{name: a, user: {token: first}}], current-context: ''}");
  const second = await parseKubeconfig(
    "{users: [{name: a, user: {username: u, password: p}}, {name: b, user: {token: b}}], current-context: two}",
  );
  const third = await parseKubeconfig("{current-context: three}");
  const merged = mergeKubeconfigs([first, second, third]);
  assert.deepEqual(merged.users.get("a"), { ...emptyUser, token: "first" });
  assert.equal(merged.users.get("b")?.token, "b");
  assert.equal(merged.currentContext, "two");
});

/** With one cluster and one user, both changed by the case. */
const configOf = (cluster: string, user: string, context = "{cluster: c, user: u}"): Promise<Kubeconfig> =>
  parseKubeconfig(
    `{clusters: [{name: c, cluster: ${cluster}}], users: [{name: u, user: ${user}}], contexts: [{name: x, context: ${context}}], current-context: x}`,
  );
const good = "{server: 'https://a'}";
const exec = (more: string): string => `{exec: {apiVersion: client.authentication.k8s.io/v1, command: c, interactiveMode: Never, ${more}}}`;
const unusable: readonly { cluster?: string; user?: string; context?: string; message: string }[] = [
  { cluster: "{}", message: 'no server found for cluster "c"' },
  { cluster: "{server: 'ftp://a'}", message: 'server "ftp://a" of cluster "c" is not an http or https address' },
  {
    cluster: "{server: 'https://a', proxy-url: 'ssh://b'}",
    message: `invalid 'proxy-url' "ssh://b" for cluster "c": its scheme must be http, https, or socks5`,
  },
  {
    cluster: "{server: 'https://a', certificate-authority: f, certificate-authority-data: YQ==}",
    message: "certificate-authority-data and certificate-authority are both specified for c. certificate-authority-data will override.",
  },
  {
    cluster: "{server: 'https://a', certificate-authority: f, insecure-skip-tls-verify: true}",
    message: "specifying a root certificates file with the insecure flag is not allowed",
  },
  {
    user: "{token: a, username: b}",
    message: "more than one authentication method found for u; found [token basicAuth], only one is allowed",
  },
  {
    user: "{client-certificate: a}",
    message: "client-key-data or client-key must be specified for u to use the clientCert authentication method.",
  },
  { user: "{as-uid: a}", message: "requesting uid, groups or user-extra for u without impersonating a user" },
  { user: exec("command: ''").replace("command: c, ", ""), message: "command must be specified for u to use exec authentication plugin" },
  {
    user: "{exec: {apiVersion: client.authentication.k8s.io/v1, command: c}}",
    message: "interactiveMode must be specified for u to use exec authentication plugin",
  },
  { user: "{exec: {apiVersion: v7, command: c, interactiveMode: Never}}", message: 'exec plugin: invalid apiVersion "v7"' },
  { user: "{auth-provider: {name: oidc}}", message: 'the auth-provider "oidc" of u is not supported; use an exec plugin in its place' },
  { context: "{cluster: c}", message: 'user was not specified for context "x"' },
  { context: "{cluster: d, user: v}", message: 'cluster "d" was not found for context "x", user "v" was not found for context "x"' },
  {
    context: "{cluster: c, user: u, namespace: A}",
    message: 'namespace "A" for context "x" does not conform to the kubernetes DNS_LABEL rules',
  },
];
for (const { cluster = good, user = "{}", context, message } of unusable) {
  test(`rejected before anything is sent: ${message}`, async () => {
    const config = await configOf(cluster, user, context);
    assert.throws(() => chooseAccess(config), { name: "KubeconfigError", message: `invalid configuration: ${message}` });
  });
}

test("what is not chosen may be wrong", async () => {
  const config = await parseKubeconfig(full.replace("contexts:", "contexts:\n- {name: broken, context: {cluster: none}}"));
  assert.equal(chooseAccess(config).cluster.server, "https://home:6443");
  assert.throws(() => chooseAccess(config, { context: "nowhere" }), /context was not found for specified context: nowhere/);
  assert.throws(() => chooseAccess({ ...config, currentContext: "" }), /no context chosen/);
  assert.equal(chooseAccess(config, { user: "plugin", namespace: "n" }).namespace, "n");
});

test("impersonation in headers", () => {
  assert.deepEqual(impersonationHeaders(emptyUser.impersonate), {});
  const extra = { "example.com/Some%(key)ü": ["a", "b"] };
  assert.deepEqual(impersonationHeaders({ user: "jane", uid: "7", groups: ["a", "b"], extra }), {
    "impersonate-user": "jane",
    "impersonate-uid": "7",
    "impersonate-group": ["a", "b"],
    "impersonate-extra-example.com%2Fsome%25%28key%29%C3%BC": ["a", "b"],
  });
});
