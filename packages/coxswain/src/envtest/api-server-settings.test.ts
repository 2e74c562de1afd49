import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { makeServiceAccountKey } from "@coxswain/apiserver";
import { checkAdmissionPlugins } from "./admission-plugins.ts";
import { apiServerFlagNames, apiServerHelp, checkFlags } from "./api-server-flags.ts";
import { settingsOf } from "./api-server-settings.ts";
import { parseFlags } from "./parse-flags.ts";

const flagsOf = (...args: string[]) => parseFlags("kube-apiserver", args, apiServerFlagNames);
const settings = (...args: string[]) => settingsOf(flagsOf(...args));

function logged(): { readonly lines: string[]; readonly log: Parameters<typeof checkFlags>[1] } {
  const lines: string[] = [];
  const at = (level: string) => (fields: object) => void lines.push(`${level} ${Object.values(fields)[0]}`);
  return { lines, log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } };
}

test("kube-apiserver: limits of requests under way are heeded, and refused with its words", () => {
  const limitsOf = (...args: string[]) => settingsOf(flagsOf(...args)).flowControl;
  assert.deepEqual(limitsOf("--enable-priority-and-fairness=false", "--max-requests-inflight=7", "--max-mutating-requests-inflight=0"), {
    enablePriorityAndFairness: false,
    maxRequestsInflight: 7,
    maxMutatingRequestsInflight: 0,
  });
  assert.throws(() => limitsOf("--max-requests-inflight=-1"), /^StartError: --max-requests-inflight can not be negative value$/);
  assert.throws(
    () => limitsOf("--max-requests-inflight=0", "--max-mutating-requests-inflight=0"),
    /MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; they must add up to something positive/,
  );
});

test("kube-apiserver: the flags that envtest passes are heeded, or make no difference and are logged", (t) => {
  const dir = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const [ca, key] = [join(dir, "client-cert-auth-ca.crt"), join(dir, "sa-signer.key")];
  writeFileSync(ca, "PEM");
  const pem = makeServiceAccountKey();
  writeFileSync(key, pem);
  const flags = flagsOf(
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    "--bind-address=127.0.0.1",
    `--cert-dir=${dir}`,
    `--client-ca-file=${ca}`,
    "--disable-admission-plugins=ServiceAccount",
    "--etcd-servers=http://127.0.0.1:2379",
    "--secure-port=40123",
    "--service-account-issuer=https://127.0.0.1:40123/",
    `--service-account-key-file=${join(dir, "sa-signer.crt")}`,
    `--service-account-signing-key-file=${key}`,
    "--service-cluster-ip-range=10.0.0.0/24",
  );
  const { lines, log } = logged();
  checkFlags(flags, log);
  assert.deepEqual(lines, ["debug allow-privileged", "debug etcd-servers", "debug service-account-key-file"]);
  assert.deepEqual(settingsOf(flags), {
    address: "127.0.0.1",
    port: 40123,
    certFile: undefined,
    keyFile: undefined,
    certDir: dir,
    authentication: {
      anonymousAuth: undefined,
      clientCaFile: ca,
      bootstrapTokens: false,
      authenticationConfig: undefined,
      oidc: undefined,
      tokenWebhook: undefined,
      tokenNames: { issuer: "https://127.0.0.1:40123/" },
      requestHeader: undefined,
    },
    tokenAuthFile: undefined,
    authorization: { configFile: undefined, modes: ["RBAC"], webhook: undefined },
    audit: undefined,
    serving: undefined,
    aggregation: undefined,
    flowControl: { enablePriorityAndFairness: true, maxRequestsInflight: 400, maxMutatingRequestsInflight: 200 },
    admission: { enable: ["ServiceAccount"], disable: ["ServiceAccount"] },
    admissionConfig: undefined,
    serviceAccountKey: pem,
    advertiseAddress: undefined,
    serviceIpRanges: { cidrs: ["10.0.0.0/24"], families: ["IPv4"], apiServerServiceIp: "10.0.0.1", dnsIp: "10.0.0.10" },
    serviceNodePortRange: undefined,
    logLevel: "info",
  });
});

test("kube-apiserver: modes of authorization, audiences and verbosity", () => {
  const modesOf = (...args: string[]) => settings(...args).authorization.modes;
  assert.deepEqual(modesOf(), ["AlwaysAllow"]);
  assert.deepEqual(modesOf("--authorization-mode="), ["AlwaysAllow"]);
  assert.deepEqual(modesOf("--authorization-mode=Node,RBAC"), ["Node", "RBAC"]);
  assert.deepEqual(modesOf("--authorization-mode=RBAC", "--authorization-mode=AlwaysAllow"), ["RBAC", "AlwaysAllow"]);
  assert.deepEqual(settings("--authorization-config=a").authorization, { configFile: "a", modes: undefined, webhook: undefined });
  assert.deepEqual(settings("--api-audiences=a,b").authentication.tokenNames, { issuer: undefined, apiAudiences: ["a", "b"] });
  assert.equal(settings("-v=5").logLevel, "debug");
  assert.equal(settings("--anonymous-auth=false").authentication.anonymousAuth, false);
});

test("kube-apiserver: the webhook that is asked who may do what", () => {
  const given = ["--authorization-mode=Webhook", "--authorization-webhook-config-file=w"];
  const webhook = { configFile: "w", version: "v1beta1", authorizedMs: 300_000, unauthorizedMs: 30_000 };
  assert.deepEqual(settings(...given).authorization, { configFile: undefined, modes: ["Webhook"], webhook });
  const more = ["version=v1", "cache-authorized-ttl=1m30s", "cache-unauthorized-ttl=0"].map((flag) => `--authorization-webhook-${flag}`);
  assert.deepEqual(settings(...given, ...more).authorization.webhook, {
    ...webhook,
    version: "v1",
    authorizedMs: 90_000,
    unauthorizedMs: 0,
  });
  assert.equal(settings("--authorization-config=a", "--authorization-webhook-version=v1").authorization.webhook?.configFile, undefined);
});

test("kube-apiserver: where events of the audit log go", () => {
  const { policyFile, log, webhook } = settings(
    ...["--audit-policy-file=p", "--audit-log-path=-", "--audit-log-format=legacy", "--audit-webhook-config-file=w"],
    ...["--audit-webhook-batch-max-wait=1m", "--audit-webhook-batch-throttle-enable=false", "--audit-log-truncate-enabled"],
  ).audit ?? { policyFile: undefined, log: undefined, webhook: undefined };
  assert.equal(policyFile, "p");
  assert.deepEqual(log, {
    path: "-",
    format: "legacy",
    mode: "blocking",
    batch: { bufferSize: 10_000, maxSize: 1, maxWaitMs: 0, throttle: undefined },
    truncate: { maxEventSize: 102_400, maxBatchSize: 10_485_760 },
    maxAge: 366,
    maxBackups: 100,
    maxSize: 100,
    compress: false,
  });
  assert.deepEqual(webhook, {
    configFile: "w",
    mode: "batch",
    batch: { bufferSize: 10_000, maxSize: 400, maxWaitMs: 60_000, throttle: undefined },
    truncate: undefined,
    initialBackoffMs: 10_000,
  });
  assert.deepEqual(settings("--audit-webhook-config-file=w").audit?.webhook?.batch.throttle, { qps: 10, burst: 15 });
});

const refused = [
  {
    args: ["--service-account-issuer=a", "--service-account-issuer=a"],
    message: 'service-account-issuer "a" is already specified',
  },
  {
    args: ["--audit-webhook-config-file=f", "--audit-webhook-mode=later"],
    message: 'invalid audit webhook mode later, allowed modes are "batch,blocking,blocking-strict"',
  },
  {
    args: ["--audit-log-path=f", "--audit-log-mode=batch", "--audit-log-batch-buffer-size=0"],
    message: "invalid audit batch log buffer size 0, must be a positive number",
  },
  {
    args: ["--audit-log-path=f", "--audit-log-truncate-max-batch-size=5"],
    message: "invalid audit truncate log max batch size 5, must be greater than max event size (102400)",
  },
  { args: ["--audit-log-path=f", "--audit-log-maxage=-1"], message: "--audit-log-maxage -1 can't be a negative number" },
  {
    args: ["--enable-admission-plugins=SecurityContextDeny"],
    message: '--enable-admission-plugins: there is no admission plug-in "SecurityContextDeny"',
  },
  { args: ["--authorization-mode=ABAC"], message: "--authorization-mode=ABAC cannot be had: there is no ABAC" },
  { args: ["--authorization-mode=Foo"], message: 'authorization-mode "Foo" is not a valid mode' },
  { args: ["--authorization-mode=RBAC,RBAC"], message: 'authorization-mode ["RBAC" "RBAC"] has mode specified more than once' },
  {
    args: ["--authorization-webhook-cache-authorized-ttl=abc"],
    message: 'invalid argument "abc" for "--authorization-webhook-cache-authorized-ttl" flag: time: invalid duration "abc"',
  },
  { args: ["--goaway-chance=0.03"], message: "--goaway-chance can not be less than 0 or greater than 0.02" },
  { args: ["--goaway-chance=-0.01"], message: "--goaway-chance can not be less than 0 or greater than 0.02" },
  { args: ["--request-timeout=-1s"], message: "--request-timeout can not be negative value" },
  { args: ["--min-request-timeout=-1"], message: "--min-request-timeout can not be negative value" },
  { args: ["--shutdown-delay-duration=-1s"], message: "--shutdown-delay-duration can not be negative value" },
  { args: ["--livez-grace-period=-1s"], message: "--livez-grace-period can not be a negative value" },
  { args: ["--secure-port=x"], message: "--secure-port x is no port" },
  { args: ["--insecure-port=8080"], message: "--insecure-port=8080 cannot be had: there is no port without TLS" },
];
for (const { args, message } of refused) {
  test(`kube-apiserver: refuses ${args.join(" ")}`, () =>
    assert.throws(
      () => {
        const flags = flagsOf(...args);
        checkFlags(flags, logged().log);
        checkAdmissionPlugins(flags);
        settingsOf(flags);
      },
      { name: "StartError", message },
    ));
}

test("kube-apiserver: a default plug-in that does nothing in Kubernetes may be named", () => {
  const flags = flagsOf("--enable-admission-plugins=ClusterTrustBundleAttest,Priority,NodeDeclaredFeatureValidator");
  checkAdmissionPlugins(flags);
  const { enable } = settingsOf(flags).admission;
  assert.deepEqual(enable, ["ServiceAccount", "ClusterTrustBundleAttest", "Priority", "NodeDeclaredFeatureValidator"]);
});

test("kube-apiserver: the help has a line for each flag, and none that would let envtest ask for an insecure port", () => {
  assert.match(apiServerHelp(), /^\s*--service-account-issuer\b/m);
  assert.doesNotMatch(apiServerHelp(), /insecure/);
});
