/** Pods in a network of their own reach the API server, which by default listens for its own machine only, also without a Service proxy. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { whyNoContainers } from "../containerd/why-no-containers.ts";
import { pod } from "./manifests.ts";
import type { RealCluster } from "./real-cluster.ts";
import { withRealCluster } from "./with-cluster.ts";

enterPrivateNetwork();

/** As if the machine were in a network. */
const hostAddress = "192.0.2.77";
if (whyNoContainers() === undefined) {
  const steps = [
    "link add outside type bridge",
    `addr add ${hostAddress}/24 dev outside`,
    "link set outside up",
    "route add default via 192.0.2.1",
  ];
  for (const step of steps) {
    const { status, stderr } = spawnSync("ip", step.split(" "), { encoding: "utf8" });
    assert.equal(status, 0, `ip ${step}: ${stderr}`);
  }
}

const apiServer = (cluster: () => RealCluster): void => {
  test("the Pod reaches the server where its environment and the Service's endpoints say", async () => {
    const { apply, podOnce, kubectl, endedLogs } = cluster();
    const ask = 'wget -q -O - --no-check-certificate "https://$KUBERNETES_SERVICE_HOST:$KUBERNETES_SERVICE_PORT/version" 2>&1; env';
    await apply(pod("asks", { image: images.shell, command: ["/bin/sh", "-c", ask] }, { restartPolicy: "Never" }));
    await podOnce("asks", ({ status }) => status?.phase === "Succeeded");
    const said = await endedLogs("asks");
    // busybox speaks no TLS that the server does: the server's alert is answer enough.
    assert.match(said, /handshake failure|gitVersion|403 Forbidden/);
    assert.match(said, new RegExp(`^KUBERNETES_SERVICE_HOST=${hostAddress}$`, "m"));
    assert.match(await kubectl("get endpointslice kubernetes"), new RegExp(` ${hostAddress} `));
    const [, port = ""] = /^KUBERNETES_SERVICE_PORT=(\d+)$/m.exec(said) ?? [];
    assert.match(await kubectl(`--server=https://${hostAddress}:${port} get --raw /version`), /gitVersion/);
  });
};

withRealCluster("a real Pod and the API server", 1, apiServer, { more: ["--disable-kube-proxy", "--disable-cluster-dns"] });
