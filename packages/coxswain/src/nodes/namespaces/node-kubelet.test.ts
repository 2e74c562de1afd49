import assert from "node:assert/strict";
import { test } from "node:test";
import { parseOptions } from "../../options/cluster-options.ts";
import { parseKubeletOptions } from "../../options/kubelet-options.ts";
import { kubeletArguments } from "./node-kubelet.ts";

const silent = { print: () => undefined, printError: () => undefined };

test("the kubelet of a node is started with what was said of nodes, and with what is its own", () => {
  const flags = [
    "--nodes=2",
    "--runtime=cri",
    "--node-labels=disk=ssd,zone=a",
    "--register-with-taints=dedicated=a:NoSchedule,busy:NoExecute",
  ];
  const more = ["--max-pods=7", "--eviction-hard=memory.available<1Mi", "--cluster-dns=10.96.0.10", "--pod-manifest-path=/static"];
  const { node: options } = parseOptions([...flags, ...more], {}, "0", silent);
  assert.ok(options !== undefined);
  const args = kubeletArguments({
    node: { name: "node-2", namespace: "coxswain-0a1b2c-node-2", link: "cxw-0a1b2c-2", address: "10.213.7.3", address6: "fd13::3" },
    options,
    socket: "/run/coxswain/0a1b2c/node-2/containerd.sock",
    cgroupRoot: "coxswain-0a1b2c-node-2",
    files: {
      kubeconfig: "/data/kubeconfig",
      clientAuthority: "/data/client-ca.crt",
      servingCertificate: "/data/kubelet.crt",
      servingKey: "/data/kubelet.key",
      [Symbol.dispose]: () => undefined,
    },
    isolationSocket: "/run/coxswain/0a1b2c/node-2/network-policy.sock",
    runFolder: "/run/coxswain/0a1b2c/node-2",
    dataFolder: "/data",
  });
  assert.equal(args[0], "kubelet");
  const parsed = parseKubeletOptions(args.slice(1), {}, silent);
  assert.equal(parsed.networkPolicySocket, "/run/coxswain/0a1b2c/node-2/network-policy.sock");
  const { runtime, runtimeEndpoint, nodeName, nodeIps, labels, taints, maxPods, evictionHard, clusterDns, staticPods, cgroupRoot } =
    parsed.node;
  assert.deepEqual(
    { runtime, runtimeEndpoint, nodeName, nodeIps, labels, taints, maxPods, evictionHard, clusterDns, staticPods, cgroupRoot },
    {
      runtime: "cri",
      runtimeEndpoint: "/run/coxswain/0a1b2c/node-2/containerd.sock",
      nodeName: "node-2",
      nodeIps: ["10.213.7.3", "fd13::3"],
      labels: { disk: "ssd", zone: "a" },
      taints: [
        { key: "dedicated", effect: "NoSchedule", value: "a" },
        { key: "busy", effect: "NoExecute" },
      ],
      maxPods: 7,
      evictionHard: "memory.available<1Mi",
      clusterDns: ["10.96.0.10"],
      staticPods: "/static",
      cgroupRoot: "coxswain-0a1b2c-node-2",
    },
  );
  const { address, kubeconfig, clientCaFile, rootDir, serving, stopOnStdinClose } = parsed;
  assert.deepEqual(
    { address, kubeconfig, clientCaFile, rootDir, serving, stopOnStdinClose, port: parsed.node.kubeletPort },
    {
      address: "10.213.7.3",
      kubeconfig: "/data/kubeconfig",
      clientCaFile: "/data/client-ca.crt",
      rootDir: "/data/kubelet",
      serving: { certFile: "/data/kubelet.crt", keyFile: "/data/kubelet.key" },
      stopOnStdinClose: true,
      port: 10250,
    },
  );
});
