import assert from "node:assert/strict";
import { test } from "node:test";
import { parseControllersOptions } from "./controllers-options.ts";

const parse = (args: readonly string[]) => {
  let output = "";
  const add = (text: string): void => {
    output += text;
  };
  try {
    return { options: parseControllersOptions(args, { print: add, printError: add }), output };
  } catch {
    return { options: undefined, output };
  }
};

const defaults = {
  kubeconfig: undefined,
  context: undefined,
  controllers: ["*"],
  leaderElection: undefined,
  metricsPort: undefined,
  apiRate: undefined,
  rootCaFile: undefined,
  useServiceAccountCredentials: false,
  nodeIpam: undefined,
  logLevel: "info",
  logFormat: undefined,
};
const lease = { namespace: "kube-system", name: "kube-controller-manager" };
const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const understood = [
  { args: [], expect: {} },
  { args: ["--kubeconfig", "k", "--context", "c"], expect: { kubeconfig: "k", context: "c" } },
  { args: ["--controllers=job,-cronjob"], expect: { controllers: ["job", "-cronjob"] } },
  { args: ["--leader-elect"], expect: { leaderElection: { lease, ...times } } },
  {
    args: ["--leader-elect", "--leader-elect-lease-duration=1m", "--leader-elect-resource-name=kube-controller-manager"],
    expect: { leaderElection: { lease: { ...lease, name: "kube-controller-manager" }, ...times, leaseDurationMs: 60_000 } },
  },
  { args: ["--cluster-cidr=10.1.0.0/16"], expect: {} },
  {
    args: ["--allocate-node-cidrs", "--cluster-cidr=10.1.0.0/16", "--service-cluster-ip-range=10.1.0.0/24", "--node-cidr-mask-size=26"],
    expect: { nodeIpam: { clusterCidrs: ["10.1.0.0/16"], serviceCidrs: ["10.1.0.0/24"], maskSizes: { 4: 26 } } },
  },
  { args: ["--metrics-port", "0"], expect: { metricsPort: 0 } },
  { args: ["--kube-api-qps=100", "--kube-api-burst=200"], expect: { apiRate: { qps: 100, burst: 200 } } },
  { args: ["--kube-api-qps=20"], expect: { apiRate: { qps: 20, burst: 30 } } },
  { args: ["--kube-api-qps=0", "--kube-api-burst=5"], expect: {} },
];
for (const { args, expect } of understood)
  test(`controllers: ${args.join(" ") || "no options"}`, () => assert.deepEqual(parse(args).options, { ...defaults, ...expect }));

const refused = [
  { args: ["--leader-elect-retry-period=soon"], says: /It must be a duration like 15s or 1m30s\./ },
  { args: ["--allocate-node-cidrs"], says: /--allocate-node-cidrs needs --cluster-cidr/ },
  { args: ["--kube-api-qps=fast"], says: /It must be a number from 0 to 999999\./ },
  { args: ["--metrics-port=x"], says: /It must be a number from 0 to 65535/ },
  { args: ["--help"], says: /--leader-elect-lease-duration <duration>/ },
];
for (const { args, says } of refused)
  test(`controllers: ${args.join(" ")} stops with ${says.source.slice(0, 40)}`, () => {
    const { options, output } = parse(args);
    assert.equal(options, undefined);
    assert.match(output, says);
  });
