/** A node whose Pods are processes, run by the command as a user would. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type api, type Client, configMaps, events, pods, systemClock } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { sleep } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { startCommand } from "../conformance/command-under-test.ts";
import { until } from "../robustness/target.ts";

type Pod = api.coreV1.Pod;
const timeoutMs = hangMs;

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: now }) => type === "Ready" && now === "True") === true;
const podOf = (name: string, spec: Partial<api.coreV1.Container>): Pod => ({
  metadata: { name, namespace: "default" },
  spec: { terminationGracePeriodSeconds: 5, containers: [{ name: "main", image: "none:1", ...spec }] },
});

/** How many of this machine have it in their environment. */
function processesWith(marker: string): number {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(marker)).length;
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return [];
  }
}

/** The nodes that run. */
const started = new Set<() => Promise<void>>();

/** A folder that goes with the test, after the nodes that it has started. */
function temporaryData(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-process-node-"));
  t.after(async () => {
    for (const stop of started) await stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

async function startNode(dataDir: string) {
  const command = await startCommand("--data-dir", dataDir, "--runtime=process", "--log-level=warn");
  const client: Client = await clientFromKubeconfig({ paths: [command.kubeconfig] });
  const stop = async () => {
    started.delete(stop);
    await client[Symbol.asyncDispose]();
    await command.stop();
  };
  started.add(stop);
  return { command, client, stop };
}

test("processes outlive a node that is killed, and end with their Pods", async (t) => {
  const dataDir = temporaryData(t);
  const first = await startNode(dataDir);
  await first.client.resource(configMaps).create({ metadata: { name: "greeting", namespace: "default" }, data: { text: "hello" } });
  const script =
    'trap "rm -f $COXSWAIN_ROOT/alive; exit 0" TERM; cat "$COXSWAIN_ROOT/config/text"; touch alive; while :; do sleep 0.1; done';
  const pod = podOf("web", {
    command: ["sh", "-c", script],
    readinessProbe: { exec: { command: ["test", "-e", "alive"] }, periodSeconds: 1 },
    volumeMounts: [{ name: "config", mountPath: "/config" }],
  });
  pod.spec?.containers.push({ name: "nothing", image: "none:1", command: ["sleep", "1000"] });
  const volumes = [{ name: "config", configMap: { name: "greeting" } }];
  await first.client.resource(pods).create({ ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], volumes } });
  const target = { namespace: "default", name: "web" };
  await waitFor(first.client, { ref: pods, target, until: isReady }, { timeoutMs });
  const before = await first.client.resource(pods).get(target);
  first.command.process.kill("SIGKILL");
  await once(first.command.process, "exit");
  await first.client[Symbol.asyncDispose]();

  const { client, stop } = await startNode(dataDir);
  await sleep(systemClock, 3_000);
  const after = await client.resource(pods).get(target);
  const idsOf = ({ status }: Pod) => status?.containerStatuses?.map(({ containerID, restartCount }) => `${containerID} ${restartCount}`);
  assert.deepEqual(idsOf(after), idsOf(before));
  assert(isReady(after));
  const [id = ""] = before.status?.containerStatuses?.map(({ containerID = "" }) => containerID.replace("process://", "")) ?? [];
  const marker = `COXSWAIN_CONTAINER_ID=${id}`;
  if (process.platform === "linux") assert(processesWith(marker) > 0);
  await client.resource(pods).delete(target);
  await waitFor(client, { ref: pods, target, until: "delete" }, { timeoutMs });
  if (process.platform === "linux") assert.equal(processesWith(marker), 0);
  await stop();
});

test("a container without a command says that there are no images", async (t) => {
  const dataDir = temporaryData(t);
  const { client, stop } = await startNode(dataDir);
  await client.resource(pods).create(podOf("image", {}));
  const target = { namespace: "default", name: "image" };
  const hasFailed = ({ status }: Pod) => {
    const state = status?.containerStatuses?.[0];
    return [state?.state, state?.lastState].some(
      (one) => one?.terminated?.reason === "StartError" || one?.waiting?.reason === "RunContainerError",
    );
  };
  await waitFor(client, { ref: pods, target, until: hasFailed }, { timeoutMs });
  const says = "the process runtime has no images, so that a container must have a command";
  // The event is written after the status, by another client.
  await until("the event", async () => (await client.resource(events, "default").list()).items.some((one) => one.message?.includes(says)));
  // With its volumes, which nothing else would unmount.
  await client.resource(pods).delete(target);
  await waitFor(client, { ref: pods, target, until: "delete" }, { timeoutMs });
  await stop();
});

test("an image is no volume where images are names", async (t) => {
  const { client, stop } = await startNode(temporaryData(t));
  const pod = podOf("imaged", { command: ["true"], volumeMounts: [{ name: "data", mountPath: "/data" }] });
  const volumes = [{ name: "data", image: { reference: "data:1" } }];
  await client.resource(pods).create({ ...pod, spec: { containers: [], ...pod.spec, volumes } });
  const says =
    'MountVolume.SetUp failed for volume "data" : image volumes need a container runtime: here images are names without contents';
  const isSaid = async () =>
    (await client.resource(events, "default").list()).items.some(({ reason, message }) => reason === "FailedMount" && message === says);
  await until("the event", isSaid);
  const target = { namespace: "default", name: "imaged" };
  await client.resource(pods).delete(target);
  await waitFor(client, { ref: pods, target, until: "delete" }, { timeoutMs });
  await stop();
});
