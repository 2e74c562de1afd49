import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultOidc } from "./authentication-options.ts";
import { parseOptions } from "./cluster-options.ts";

const env = { XDG_DATA_HOME: "/data" };
const parse = (args: readonly string[], environment: Record<string, string> = env) => {
  let output = "";
  const add = (text: string): void => {
    output += text;
  };
  try {
    return { options: parseOptions(args, environment, "1.2.3", { print: add, printError: add }), output };
  } catch {
    return { options: undefined, output };
  }
};

const node = {
  runtime: "auto",
  nodes: 1,
  nodeName: undefined,
  runtimeEndpoint: "/run/containerd/containerd.sock",
  rootDir: undefined,
  cgroupRoot: "coxswain",
  labels: {},
  taints: [],
  maxPods: 110,
  staticPods: undefined,
  evictionHard: undefined,
  clusterDns: [],
  clusterDomain: "cluster.local",
  resolvConf: "/etc/resolv.conf",
  kubeletPort: 0,
  nodeIps: undefined,
  nodeRange: undefined,
  nodeImages: [],
  sandboxImage: undefined,
};
const defaults = {
  threads: "auto",
  servers: 1,
  history: { maxAgeMs: 86_400_000, maxBytes: 2 ** 30 },
  name: undefined,
  mergeKubeconfig: undefined,
  etcdCompactionIntervalMs: undefined,
  dataDir: "/data/coxswain",
  address: "127.0.0.1",
  isReachableFromPods: true,
  advertiseAddress: undefined,
  port: 6443,
  certExtraSans: [],
  kubeconfig: undefined,
  tokenAuthFile: undefined,
  authentication: {
    anonymousAuth: undefined,
    clientCaFile: undefined,
    bootstrapTokens: false,
    authenticationConfig: undefined,
    oidc: undefined,
    tokenWebhook: undefined,
    tokenNames: { issuer: undefined },
    requestHeader: undefined,
  },
  authorization: undefined,
  encryption: undefined,
  etcd: undefined,
  audit: undefined,
  aggregation: undefined,
  certificates: undefined,
  serving: undefined,
  flowControl: { enablePriorityAndFairness: true, maxRequestsInflight: 400, maxMutatingRequestsInflight: 200 },
  admission: { enable: [], disable: [] },
  admissionConfig: undefined,
  logLevel: "info",
  logFormat: undefined,
  controllers: ["*"],
  scheduler: true,
  schedulerConfig: undefined,
  metricsApi: true,
  kubeProxy: true,
  clusterDns: true,
  podNetwork: true,
  networkPolicy: true,
  serviceClusterIpRange: undefined,
  serviceNodePortRange: undefined,
  clusterCidrs: undefined,
  nodeCidrMaskSizes: {},
  node,
  output: "text",
  stopOnStdinClose: false,
};
const serving = {
  goawayChance: undefined,
  requestTimeoutMs: undefined,
  minRequestTimeoutMs: undefined,
  shutdownDelayMs: undefined,
  shutdownSendRetryAfter: undefined,
  maxStreamsPerConnection: undefined,
};
const alone = { scheduler: false, metricsApi: false, node: undefined };
const understood = [
  { args: [], expect: {} },
  { args: ["--ephemeral"], expect: { dataDir: undefined } },
  { args: ["--name=dev"], expect: { name: "dev", dataDir: "/data/coxswain-dev" } },
  { args: ["--name=default"], expect: { name: "default" } },
  { args: ["--name=dev", "--data-dir=/d"], expect: { name: "dev", dataDir: "/d" } },
  { args: ["--log-format=text"], expect: { logFormat: "text" } },
  { args: ["--data-dir", "/d"], expect: { dataDir: "/d" } },
  { args: ["--port=0", "--address", "0.0.0.0"], expect: { port: 0, address: "0.0.0.0", isReachableFromPods: false } },
  { args: ["--apiserver-cert-extra-sans", "a.example,192.0.2.1"], expect: { certExtraSans: ["a.example", "192.0.2.1"] } },
  { args: ["--address", "::1"], expect: { address: "::1", isReachableFromPods: false } },
  { args: ["--address", "localhost"], expect: { address: "127.0.0.1", isReachableFromPods: false } },
  { args: ["--advertise-address", "192.0.2.7"], expect: { advertiseAddress: "192.0.2.7" } },
  { args: ["--advertise-address=0.0.0.0"], expect: {} },
  { args: ["--kubeconfig", "k", "--token-auth-file", "t"], expect: { kubeconfig: "k", tokenAuthFile: "t" } },
  {
    args: ["--oidc-issuer-url=https://a", "--oidc-client-id=c", "--oidc-required-claim=a=b=c", "--oidc-required-claim", "d="],
    expect: {
      authentication: {
        ...defaults.authentication,
        oidc: { ...defaultOidc, issuerUrl: "https://a", clientId: "c", requiredClaims: { a: "b=c", d: "" } },
      },
    },
  },
  {
    args: ["--authentication-token-webhook-config-file=w", "--authentication-token-webhook-cache-ttl=1m30s"],
    expect: {
      authentication: { ...defaults.authentication, tokenWebhook: { configFile: "w", version: "v1beta1", cacheMs: 90_000 } },
    },
  },
  {
    args: ["--authorization-mode=RBAC,AlwaysAllow"],
    expect: { authorization: { configFile: undefined, modes: ["RBAC", "AlwaysAllow"], webhook: undefined } },
  },
  {
    args: ["--authorization-mode=RBAC", "--authorization-mode=Webhook", "--authorization-webhook-config-file=w"],
    expect: {
      authorization: {
        configFile: undefined,
        modes: ["RBAC", "Webhook"],
        webhook: { configFile: "w", version: "v1beta1", authorizedMs: 300_000, unauthorizedMs: 30_000 },
      },
    },
  },
  {
    args: ["--proxy-client-cert-file=a", "--proxy-client-key-file=b", "--aggregator-reject-forwarding-redirect=false"],
    expect: { aggregation: { proxyClient: { certFile: "a", keyFile: "b" }, forwardRedirects: true } },
  },
  { args: ["--enable-aggregator-routing"], expect: { aggregation: { forwardRedirects: false, routesToEndpoints: true } } },
  { args: ["--enable-aggregator-routing=false"], expect: { aggregation: { forwardRedirects: false, routesToEndpoints: false } } },
  {
    args: ["--enable-priority-and-fairness=false", "--max-requests-inflight=3", "--max-mutating-requests-inflight=4"],
    expect: { flowControl: { enablePriorityAndFairness: false, maxRequestsInflight: 3, maxMutatingRequestsInflight: 4 } },
  },
  {
    args: ["--encryption-provider-config=e", "--encryption-provider-config-automatic-reload"],
    expect: { encryption: { configFile: "e", reload: true } },
  },
  { args: ["--authorization-config=a"], expect: { authorization: { configFile: "a", modes: undefined, webhook: undefined } } },
  {
    args: ["--request-timeout=30s", "--min-request-timeout=300", "--goaway-chance=0.001", "--shutdown-delay-duration=5s"],
    expect: {
      serving: { ...serving, requestTimeoutMs: 30_000, minRequestTimeoutMs: 300_000, goawayChance: 0.001, shutdownDelayMs: 5_000 },
    },
  },
  {
    args: ["--shutdown-send-retry-after", "--http2-max-streams-per-connection=250"],
    expect: { serving: { ...serving, shutdownSendRetryAfter: true, maxStreamsPerConnection: 250 } },
  },
  { args: ["--livez-grace-period=10s", "--http2-max-streams-per-connection=0"], expect: {} },
  { args: ["--anonymous-auth"], expect: { authentication: { ...defaults.authentication, anonymousAuth: true } } },
  { args: ["--anonymous-auth=false"], expect: { authentication: { ...defaults.authentication, anonymousAuth: false } } },
  {
    args: [
      "--client-ca-file=ca",
      "--enable-bootstrap-token-auth",
      "--service-account-issuer=https://new.example",
      "--service-account-issuer=https://old.example",
      "--api-audiences=a,b",
      "--requestheader-client-ca-file=pca",
      "--requestheader-allowed-names=front,back",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-uid-headers=X-Remote-Uid",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    ],
    expect: {
      authentication: {
        anonymousAuth: undefined,
        clientCaFile: "ca",
        bootstrapTokens: true,
        authenticationConfig: undefined,
        oidc: undefined,
        tokenWebhook: undefined,
        tokenNames: { issuer: "https://new.example", formerIssuers: ["https://old.example"], apiAudiences: ["a", "b"] },
        requestHeader: {
          clientCaFile: "pca",
          allowedNames: ["front", "back"],
          usernameHeaders: ["X-Remote-User"],
          uidHeaders: ["X-Remote-Uid"],
          groupHeaders: ["X-Remote-Group"],
          extraHeaderPrefixes: ["X-Remote-Extra-"],
        },
      },
    },
  },
  { args: ["--apiserver-only", "--log-level", "debug"], expect: { logLevel: "debug", controllers: [], ...alone } },
  {
    args: ["--enable-admission-plugins=ServiceAccount", "--disable-admission-plugins", "Priority,StorageObjectInUseProtection"],
    expect: { admission: { enable: ["ServiceAccount"], disable: ["Priority", "StorageObjectInUseProtection"] } },
  },
  { args: ["--output=json", "--stop-on-stdin-close"], expect: { output: "json", stopOnStdinClose: true } },
  { args: ["--no-metrics-api"], expect: { metricsApi: false } },
  { args: ["--disable-kube-proxy", "--disable-cluster-dns"], expect: { kubeProxy: false, clusterDns: false } },
  { args: ["--disable-network-policy"], expect: { networkPolicy: false } },
  {
    args: [
      "--disable-pod-network",
      "--cluster-cidr=10.1.0.0/16,fd00::/48",
      "--node-cidr-mask-size-ipv4=25",
      "--node-cidr-mask-size-ipv6=64",
    ],
    expect: { podNetwork: false, clusterCidrs: ["10.1.0.0/16", "fd00::/48"], nodeCidrMaskSizes: { 4: 25, 6: 64 } },
  },
  {
    args: ["--service-cluster-ip-range=10.1.0.0/24,fd00::/112"],
    expect: { serviceClusterIpRange: ["10.1.0.0/24", "fd00::/112"] },
  },
  { args: ["--service-cluster-ip-range="], expect: { serviceClusterIpRange: [] } },
  { args: ["--service-node-port-range=31000+99"], expect: { serviceNodePortRange: "31000+99" } },
  { args: ["--history=none"], expect: { history: undefined } },
  { args: ["--history=all"], expect: { history: { maxAgeMs: undefined, maxBytes: undefined } } },
  { args: ["--history-max-age=1h", "--history-max-bytes=100Mi"], expect: { history: { maxAgeMs: 3_600_000, maxBytes: 100 * 2 ** 20 } } },
  { args: ["--threads=1"], expect: { threads: 1 } },
  { args: ["--servers=4"], expect: { servers: 4 } },
  { args: ["--threads", "auto"], expect: { threads: "auto" } },
  { args: ["--leader-elect"], expect: { leaderElect: true } },
  { args: ["--leader-elect=false"], expect: { leaderElect: false } },
  { args: ["--cluster-cidr=fd00::/48", "--node-cidr-mask-size=60"], expect: { clusterCidrs: ["fd00::/48"], nodeCidrMaskSizes: { 6: 60 } } },
  { args: ["--no-scheduler", "--no-node"], expect: { scheduler: false, node: undefined } },
  {
    args: ["--runtime=cri", "--nodes=2", "--node-range=10.1.0.0/24", "--node-images=a.tar,b.tar", "--pod-infra-container-image=pause:1"],
    expect: {
      node: { ...node, runtime: "cri", nodes: 2, nodeRange: "10.1.0.0/24", nodeImages: ["a.tar", "b.tar"], sandboxImage: "pause:1" },
    },
  },
  { args: ["--runtime=simulated", "--nodes", "3"], expect: { node: { ...node, runtime: "simulated", nodes: 3 } } },
  {
    args: [
      "--container-runtime-endpoint=unix:///run/x.sock",
      "--node-labels=disk=ssd,gpu=",
      "--register-with-taints=a=b:NoSchedule,c:NoExecute",
    ],
    expect: {
      node: {
        ...node,
        runtimeEndpoint: "/run/x.sock",
        labels: { disk: "ssd", gpu: "" },
        taints: [
          { key: "a", effect: "NoSchedule", value: "b" },
          { key: "c", effect: "NoExecute" },
        ],
      },
    },
  },
  { args: ["--controllers", "*,-job, cronjob"], expect: { controllers: ["*", "-job", "cronjob"] } },
];
for (const { args, expect } of understood) {
  test(`options: ${args.join(" ") || "none"}`, () => assert.deepEqual(parse(args).options, { ...defaults, ...expect }));
}

const refused = [
  { args: ["--advertise-address=127.0.0.1"], says: /It must be an address at which other machines, or Pods, reach the server/ },
  { args: ["--advertise-address=fe80::1"], says: /It must be an address at which other machines/ },
  { args: ["--advertise-address=host"], says: /It must be an IP address/ },
  { args: ["--apiserver-cert-extra-sans", "a.example,b c"], says: /"b c" is neither a DNS name nor an IP address/ },
  {
    args: ["--service-cluster-ip-range=10.1.0.0/24,10.2.0.0/24"],
    says: /--service-cluster-ip-range\[0\] and --service-cluster-ip-range\[1\] must be of different IP family/,
  },
  { args: ["--service-cluster-ip-range=10.1.0.0"], says: /service-cluster-ip-range\[0\] is not a valid cidr/ },
  { args: ["--cluster-cidr=10.1.0.0"], says: /"10\.1\.0\.0" is no network like 10\.244\.0\.0\/16/ },
  { args: ["--cluster-cidr=10.1.0.0/16,10.2.0.0/16"], says: /There may be one of each family/ },
  { args: ["--cluster-cidr=10.1.0.0/16,fd00::/48", "--node-cidr-mask-size=25"], says: /--node-cidr-mask-size is for ranges of one family/ },
  { args: ["--node-cidr-mask-size=0"], says: /It must be a number from 1 to 128/ },
  { args: ["--service-node-port-range=31000-30000"], says: /end port cannot be less than start port: 31000-30000/ },
  { args: ["--service-account-issuer=:x"], says: /service-account-issuer ":x" contained a ':' but was not a valid URL/ },
  { args: ["--authorization-mode=RBAC,ABAC"], says: /authorization-mode "ABAC" is not a valid mode/ },
  { args: ["--authorization-mode="], says: /authorization-mode "" is not a valid mode/ },
  { args: ["--authorization-mode=RBAC,RBAC"], says: /authorization-mode \["RBAC" "RBAC"\] has mode specified more than once/ },
  { args: ["--anonymous-auth=maybe"], says: /It must be true or false/ },
  { args: ["--oidc-required-claim=x"], says: /It must be a claim and a value/ },
  { args: ["--port", "65536"], says: /argument '65536' is invalid\. It must be a number from 0 to 65535/ },
  { args: ["--history=some"], says: /argument 'some' is invalid\. Allowed choices are none, window, all/ },
  { args: ["--history-max-bytes=1k"], says: /argument '1k' is invalid\. It must be a quantity like 500Mi, of at least 1Mi/ },
  { args: ["--servers=auto"], says: /argument 'auto' is invalid\. It must be a number from 1 to 99/ },
  { args: ["--threads=0"], says: /argument '0' is invalid\. It must be auto, or a number from 1 to 99/ },
  { args: ["--port", "x"], says: /argument 'x' is invalid/ },
  { args: ["--name", "A"], says: /It must have lower-case letters, digits and '-' alone/ },
  { args: ["--address", "example.org"], says: /It must be an IP address/ },
  { args: ["--log-level", "loud"], says: /Allowed choices are trace, debug, info, warn, error, silent/ },
  { args: ["--ephemeral", "--data-dir", "/d"], says: /'--ephemeral' cannot be used with option '--data-dir <dir>'/ },
  { args: ["--apiserver-only", "--controllers=job"], says: /'--apiserver-only' cannot be used with option '--controllers <names>'/ },
  { args: ["--output=yaml"], says: /Allowed choices are text, json/ },
  { args: ["--runtime=docker"], says: /Allowed choices are auto, cri, process, simulated/ },
  { args: ["--node-range=fd00::/64"], says: /It must be a range of IPv4 addresses/ },
  { args: ["--node-range=10.1.0.0"], says: /It must be a range of IPv4 addresses/ },
  { args: ["--nodes=0"], says: /It must be a number from 1 on/ },
  { args: ["--node-labels=disk"], says: /They must be like key=value/ },
  { args: ["--register-with-taints=a=b:Never"], says: /effects are NoSchedule, PreferNoSchedule, NoExecute/ },
  { args: ["--container-runtime-endpoint=tcp:x"], says: /It must be a path/ },
  { args: ["--nonsense"], says: /unknown option '--nonsense'/ },
  { args: ["argument"], says: /there is no command "argument"; coxswain --help lists them/ },
  { args: ["--version"], says: /^1\.2\.3\n$/ },
  { args: ["--ephemeral", "kubelet"], says: /a command stands before all options: coxswain kubelet/ },
  { args: ["-V"], says: /^1\.2\.3\n$/ },
  { args: ["-h"], says: /^Usage: coxswain [\s\S]*\nCommands:\n {2}status[\s\S]*\nOptions:\n/ },
  { args: ["--help"], says: /--token-auth-file <file>.*\/data\/coxswain|\/data\/coxswain[\s\S]*--token-auth-file <file>/ },
];
for (const { args, says } of refused) {
  test(`options: ${args.join(" ")} stops with ${says.source.slice(0, 40)}`, () => {
    const { options, output } = parse(args);
    assert.equal(options, undefined);
    assert.match(output, says);
  });
}

test("options: a relative XDG_DATA_HOME is ignored, as its specification asks", () => {
  assert.match(parse([], { XDG_DATA_HOME: "data", HOME: "/home/x" }).options?.dataDir ?? "", /\/\.local\/share\/coxswain$/);
});

const kubeconfigs = [
  { name: "the first file of KUBECONFIG", env: { KUBECONFIG: ":/a:/b", HOME: "/home/x" }, path: "/a" },
  { name: "~/.kube/config", env: { HOME: "/home/x" }, path: "/home/x/.kube/config" },
];
for (const { name, env, path } of kubeconfigs)
  test(`options: --merge-kubeconfig means ${name}`, () => assert.equal(parse(["--merge-kubeconfig"], env).options?.mergeKubeconfig, path));
