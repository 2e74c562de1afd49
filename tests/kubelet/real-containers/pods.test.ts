/** What a Pod lives through, with kubectl, coxswain and containerd. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { hangMs } from "@coxswain/machinery/testing";
import { fetched } from "../containerd/fetched.ts";
import { images } from "../containerd/images.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { hasEnded, isReady, isRunning, mainOf, pod, script } from "./manifests.ts";
import { withRealCluster } from "./with-cluster.ts";

enterPrivateNetwork();

const sleeping = { image: images.shell, ...script("trap 'exit 0' TERM; sleep 3600 & wait") };

withRealCluster("a real Pod, alone", 1, (cluster) => {
  test("kubectl apply ends in a running container", async () => {
    const { apply, podOnce, kubectl } = cluster();
    await apply(pod("first", { image: images.web1 }));
    const running = await podOnce("first", isReady);
    assert.match(mainOf(running)?.containerID ?? "", /^containerd:\/\/[0-9a-f]{64}$/);
    assert.equal(await fetched(`http://${running.status?.podIP}:8080/`), "version 1\n");
    assert.match(await kubectl("get pods first"), /first +1\/1 +Running +0/);
    assert.match(await kubectl("get nodes -o wide"), /^real +Ready .* containerd:\/\/\d/m);
    const described = await kubectl("describe pod first");
    for (const reason of ["Scheduled", "Pulled", "Created", "Started"]) assert.match(described, new RegExp(`Normal +${reason} `));
  });
});

withRealCluster("real Pods", 4, (cluster) => {
  test("init containers run one after the other, sidecars beside, before the others", async () => {
    const { apply, podOnce, endedLogs } = cluster();
    const volumeMounts = [{ name: "shared", mountPath: "/shared" }];
    const init = (name: string) => ({ name, image: images.shell, volumeMounts, ...script(`sleep 0.3; echo ${name} >>/shared/order`) });
    const sidecar = {
      ...init("sidecar"),
      ...script("echo sidecar >>/shared/order; sleep 3600"),
      restartPolicy: "Always",
      startupProbe: { exec: { command: ["grep", "sidecar", "/shared/order"] }, periodSeconds: 1 },
    };
    await apply(
      pod(
        "ordered",
        { image: images.shell, volumeMounts, ...script("echo main >>/shared/order; cat /shared/order") },
        {
          restartPolicy: "Never",
          initContainers: [init("one"), init("two"), sidecar],
          volumes: [{ name: "shared", emptyDir: {} }],
        },
      ),
    );
    const ended = await podOnce("ordered", hasEnded);
    assert.equal(ended.status?.phase, "Succeeded");
    assert.deepEqual(
      ended.status?.initContainerStatuses?.map(({ name, state }) => [name, state?.terminated?.exitCode === 0 || name === "sidecar"]),
      [
        ["one", true],
        ["two", true],
        ["sidecar", true],
      ],
    );
    assert.equal(await endedLogs("ordered -c main"), "one\ntwo\nsidecar\nmain\n");
  });

  test("a failing liveness probe restarts the container, a failing readiness probe takes it out", async () => {
    const { apply, podOnce, kubectl, eventOnce } = cluster();
    const livenessProbe = { exec: { command: ["test", "-e", "/tmp/alive"] }, periodSeconds: 1, failureThreshold: 1 };
    const readinessProbe = { httpGet: { path: "/ready", port: 8080 }, periodSeconds: 1 };
    const serve = "mkdir /tmp/www; touch /tmp/alive /tmp/www/ready; trap 'exit 0' TERM; httpd -f -p 8080 -h /tmp/www & wait";
    await apply(pod("probed", { image: images.shell, ...script(serve), livenessProbe, readinessProbe }));
    const first = await podOnce("probed", isReady);
    await kubectl("exec probed -- rm /tmp/www/ready");
    await podOnce("probed", (seen) => isRunning(seen) && !isReady(seen));
    await eventOnce("probed", "Unhealthy", /^Readiness probe failed: HTTP probe failed with statuscode: 404$/);
    await kubectl("exec probed -- rm /tmp/alive");
    const second = await podOnce("probed", (seen) => mainOf(seen)?.restartCount === 1 && isReady(seen));
    assert.notEqual(mainOf(second)?.containerID, mainOf(first)?.containerID);
    assert.equal(mainOf(second)?.lastState?.terminated?.exitCode, 0);
    assert.equal((await eventOnce("probed", "Killing")).message, "Container main failed liveness probe, will be restarted");
  });

  test("what takes more memory than it may is killed for it", async () => {
    const { apply, podOnce } = cluster();
    await apply(pod("hog", { image: images.hog, resources: { limits: { memory: "20Mi" } } }, { restartPolicy: "Never" }));
    const ended = await podOnce("hog", hasEnded);
    assert.equal(ended.status?.phase, "Failed");
    const { exitCode, reason } = mainOf(ended)?.state?.terminated ?? {};
    assert.deepEqual({ exitCode, reason }, { exitCode: 137, reason: "OOMKilled" });
  });

  test("what ends again and again is started less and less often", async () => {
    const { apply, podOnce, eventOnce } = cluster();
    await apply(pod("crashing", { image: images.crash }));
    const waiting = await podOnce("crashing", (seen) => mainOf(seen)?.state?.waiting?.reason === "CrashLoopBackOff");
    assert.match(
      mainOf(waiting)?.state?.waiting?.message ?? "",
      /^back-off 10s restarting failed container=main pod=crashing_default\([0-9a-f-]{36}\)$/,
    );
    const { exitCode, reason } = mainOf(waiting)?.lastState?.terminated ?? {};
    assert.deepEqual({ exitCode, reason }, { exitCode: 3, reason: "Error" });
    assert.equal(waiting.status?.phase, "Running");
    assert.match(
      (await eventOnce("crashing", "BackOff")).message ?? "",
      /^Back-off restarting failed container main in pod crashing_default\(/,
    );
    await podOnce("crashing", (seen) => (mainOf(seen)?.restartCount ?? 0) >= 2);
  });

  test("a new value of a ConfigMap is seen in the volume", async () => {
    const { apply, podOnce, kubectl } = cluster();
    await kubectl("create configmap settings --from-literal=color=blue");
    const volumeMounts = [{ name: "settings", mountPath: "/settings" }];
    const volumes = [{ name: "settings", configMap: { name: "settings" } }];
    await apply(pod("configured", { ...sleeping, volumeMounts }, { volumes }));
    await podOnce("configured", isReady);
    assert.equal(await kubectl("exec configured -- cat /settings/color"), "blue");
    await kubectl(["patch", "configmap", "settings", "-p", '{"data":{"color":"green"}}']);
    // As in Kubernetes: the volume is looked at each minute or so.
    const until = performance.now() + hangMs;
    while ((await kubectl("exec configured -- cat /settings/color")) !== "green") {
      assert.ok(performance.now() < until, "still blue");
      await delay(500);
    }
  });

  test("a Pod that is deleted ends in order: its preStop hook, SIGTERM, and its time", async () => {
    const { apply, podOnce, podGone, kubectl, containerd } = cluster();
    const shared = join(containerd.folder, "shared");
    mkdirSync(shared);
    const volumeMounts = [{ name: "shared", mountPath: "/shared" }];
    const volumes = [{ name: "shared", hostPath: { path: shared } }];
    const lifecycle = { preStop: { exec: { command: ["/bin/sh", "-c", "echo hook >>/shared/end; sleep 0.5"] } } };
    const main = {
      image: images.shell,
      ...script("trap 'echo term >>/shared/end; exit 0' TERM; sleep 3600 & wait"),
      volumeMounts,
      lifecycle,
    };
    await apply(pod("graceful", main, { volumes, terminationGracePeriodSeconds: 20 }));
    await podOnce("graceful", isReady);
    await kubectl("delete pod graceful --wait=true");
    await podGone("graceful");
    assert.equal(readFileSync(join(shared, "end"), "utf8"), "hook\nterm\n");
  });

  test("what does not end in its time is ended", async () => {
    const { apply, podOnce, kubectl } = cluster();
    await apply(pod("stubborn", { image: images.stubborn }, { terminationGracePeriodSeconds: 2 }));
    await podOnce("stubborn", isReady);
    const begin = performance.now();
    await kubectl("delete pod stubborn --wait=true");
    assert.ok(performance.now() - begin >= 2_000, "it was not given its time");
  });

  test("a container knows of itself what it asked for", async () => {
    const { apply, podOnce, endedLogs } = cluster();
    const from = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
    const env = [
      { name: "NAME", ...from("metadata.name") },
      { name: "NODE", ...from("spec.nodeName") },
      { name: "IP", ...from("status.podIP") },
      { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } } },
      { name: "GREETING", value: "hello $(NAME)" },
    ];
    const printEnvironment = script("echo $GREETING $NODE $MEMORY $IP; id -u; ls /var/run/secrets/kubernetes.io/serviceaccount");
    const resources = { limits: { memory: "32Mi" } };
    await apply(pod("informed", { image: images.user, ...printEnvironment, env, resources }, { restartPolicy: "Never" }));
    const ended = await podOnce("informed", hasEnded);
    assert.equal(await endedLogs("informed"), `hello informed real 32 ${ended.status?.podIP}\n1000\nca.crt\nnamespace\ntoken\n`);
  });

  test("what a container says at its end stands in its status", async () => {
    const { apply, podOnce } = cluster();
    const messageOf = async (name: string) => mainOf(await podOnce(name, hasEnded))?.state?.terminated?.message;
    const once = { restartPolicy: "Never" as const };
    const fallback = { terminationMessagePolicy: "FallbackToLogsOnError" as const };
    await apply(
      pod("saying", { image: images.shell, ...script("echo -n goodbye >/dev/termination-log") }, once),
      pod("logging", { image: images.crash, ...fallback }, once),
    );
    assert.equal(await messageOf("saying"), "goodbye");
    assert.equal(await messageOf("logging"), "crashing\n");
  });

  test("a Pod uses the node's network, or takes one of its ports", async () => {
    const { apply, podOnce } = cluster();
    await apply(
      pod("on-host", { image: images.web1 }, { hostNetwork: true }),
      pod("at-port", { image: images.web2, ports: [{ containerPort: 8080, hostPort: 8888 }] }),
    );
    const onHost = await podOnce("on-host", isReady);
    await podOnce("at-port", isReady);
    assert.equal(onHost.status?.podIP, onHost.status?.hostIP);
    assert.equal(await fetched("http://127.0.0.1:8080/"), "version 1\n");
    assert.equal(await fetched("http://10.88.0.1:8888/"), "version 2\n");
  });
});
