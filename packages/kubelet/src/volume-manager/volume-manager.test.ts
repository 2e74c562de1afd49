import assert from "node:assert/strict";
import { mkdtemp, readFile, readlink, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { createClient, type Transport } from "@coxswain/client";
import { ManualClock, systemRandom } from "@coxswain/machinery";
import type { PodTokenRequest } from "../object-managers/token-manager.ts";
import type { Pod } from "../pod/pod.ts";
import type { ImageVolumeProblems } from "../runtime/pod-runtime.ts";
import { mounterOfThisProcess } from "./mounter.ts";
import { base64, objectsUnderTest } from "./objects-under-test.ts";
import { createVolumeManager } from "./volume-manager.ts";

const quiet = new AbortController().signal;
const mounter = mounterOfThisProcess();
const needsMounts = mounter === undefined ? "this process may not mount" : false;

const podOf = (volumes: readonly coreV1.Volume[], spec: Partial<coreV1.PodSpec> = {}): Pod => ({
  metadata: { name: "web", namespace: "default", uid: "u1", labels: { app: "web", tier: "front" } },
  spec: {
    serviceAccountName: "runner",
    containers: [{ name: "c", volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }],
    volumes: [...volumes],
    ...spec,
  },
});

/** Objects that the API server has, by path. */
const transportOf = (objects: Readonly<Record<string, object>>): Transport => ({
  send: async ({ path }) => {
    const found = objects[path];
    const name = path.split("/").at(-1);
    const missing = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      reason: "NotFound",
      code: 404,
      message: `persistentvolumeclaims "${name}" not found`,
    };
    const bytes = new TextEncoder().encode(JSON.stringify(found ?? missing));
    return {
      status: found === undefined ? 404 : 200,
      headers: { "content-type": "application/json" },
      bytes: async () => bytes,
      chunks: async function* () {
        yield bytes;
      },
      cancel: () => undefined,
    };
  },
  [Symbol.asyncDispose]: async () => undefined,
});

interface Setting {
  readonly server?: Readonly<Record<string, object>>;
  readonly mounts?: boolean;
  readonly imageVolumes?: ImageVolumeProblems;
}

async function withVolumes(
  { server = {}, mounts = false, imageVolumes = {} }: Setting,
  use: (given: Awaited<ReturnType<typeof make>>) => Promise<void>,
) {
  const rootDir = await mkdtemp(join(tmpdir(), "volumes-"));
  const given = await make(rootDir, server, mounts, imageVolumes);
  try {
    await use(given);
    for (const uid of await given.volumes.present()) await given.volumes.unmount(uid, quiet);
    assert.deepEqual(await given.volumes.present(), []);
    assert.deepEqual((await mounter?.mountsBelow(rootDir)) ?? [], []);
    assert.equal(given.clock.waiting, 0);
  } finally {
    given.volumes[Symbol.dispose]();
    await rm(rootDir, { recursive: true, force: true });
  }
}

async function make(rootDir: string, server: Readonly<Record<string, object>>, mounts: boolean, imageVolumes: ImageVolumeProblems = {}) {
  const clock = new ManualClock();
  const client = createClient({ transport: transportOf(server), clock, random: systemRandom });
  const objects = objectsUnderTest();
  const events: string[] = [];
  const changed: string[] = [];
  const requests: PodTokenRequest[] = [];
  const volumes = createVolumeManager({
    rootDir,
    client,
    objects,
    tokens: {
      getServiceAccountToken: async (request) => {
        requests.push(request);
        return { token: `token-${requests.length}`, renewAt: clock.now() + 48 * 60_000 };
      },
      deleteServiceAccountTokens: () => undefined,
    },
    events: { record: (_, event) => void events.push(event.message) },
    allocatable: () => ({ memory: "64Mi", cpu: "2" }),
    changed: (uid) => void changed.push(uid),
    mounter: mounts ? mounter : undefined,
    imageVolumes: async () => imageVolumes,
  });
  return { rootDir, clock, objects, events, changed, requests, volumes };
}

const read = (volumes: ReadonlyMap<string, { path: string }>, name: string, file: string) =>
  readFile(join(volumes.get(name)?.path ?? "", file), "utf8");

test("shows ConfigMaps and Secrets, and what becomes of them", () =>
  withVolumes({}, async ({ volumes, objects }) => {
    objects.configMaps.set("default/m", { data: { a: "1", b: "2" }, binaryData: { c: base64("3") } });
    objects.secrets.set("default/s", { data: { key: base64("hidden") } });
    const pod = podOf([
      { name: "m", configMap: { name: "m" } },
      { name: "s", secret: { secretName: "s", defaultMode: 0o400, items: [{ key: "key", path: "deep/key" }] } },
    ]);
    const made = await volumes.mount(pod, quiet);
    assert.deepEqual([await read(made, "m", "a"), await read(made, "m", "c"), await read(made, "s", "deep/key")], ["1", "3", "hidden"]);
    assert.equal((await stat(join(made.get("s")?.path ?? "", "deep/key"))).mode & 0o777, 0o400);
    objects.configMaps.set("default/m", { data: { a: "new" } });
    const again = await volumes.mount(pod, quiet);
    assert.equal(await read(again, "m", "a"), "new");
    await assert.rejects(read(again, "m", "b"), { code: "ENOENT" });
  }));

const failures: readonly { name: string; volume: Omit<coreV1.Volume, "name">; expect: string }[] = [
  {
    name: "a ConfigMap that is not there",
    volume: { configMap: { name: "y" } },
    expect: 'MountVolume.SetUp failed for volume "x" : configmap "y" not found',
  },
  {
    name: "a Secret that is not there",
    volume: { secret: { secretName: "y" } },
    expect: 'MountVolume.SetUp failed for volume "x" : secret "y" not found',
  },
  {
    name: "a key that is not there",
    volume: { configMap: { name: "m", items: [{ key: "no", path: "p" }] } },
    expect: 'MountVolume.SetUp failed for volume "x" : configmap references non-existent config key: no',
  },
  {
    name: "several sources that are not there",
    volume: { projected: { sources: [{ configMap: { name: "y" } }, { secret: { name: "z" } }] } },
    expect: 'MountVolume.SetUp failed for volume "x" : [configmap "y" not found, secret "z" not found]',
  },
  {
    name: "a path of the node that is not there",
    volume: { hostPath: { path: "/no/such/place", type: "Directory" } },
    expect: 'MountVolume.SetUp failed for volume "x" : hostPath type check failed: /no/such/place is not a directory',
  },
  {
    name: "a volume that this kubelet does not know",
    volume: { nfs: { server: "n", path: "/" } },
    expect: 'MountVolume.SetUp failed for volume "x" : no volume plugin matched: this kubelet has none for nfs',
  },
  {
    name: "a claim that is not there",
    volume: { persistentVolumeClaim: { claimName: "y" } },
    expect:
      'Unable to attach or mount volumes: unmounted volumes=[x], unattached volumes=[], failed to process volumes=[x]: error processing PVC default/y: failed to fetch PVC from API server: persistentvolumeclaims "y" not found',
  },
];
for (const { name, volume, expect } of failures)
  test(`says what is wrong with ${name}`, () =>
    withVolumes({}, async ({ volumes, objects }) => {
      objects.configMaps.set("default/m", { data: { a: "1" } });
      await assert.rejects(volumes.mount(podOf([{ name: "x", ...volume }]), quiet), { name: "SyncError", message: expect });
    }));

test("what is optional may be missing", () =>
  withVolumes({}, async ({ volumes }) => {
    const pod = podOf([{ name: "x", projected: { sources: [{ configMap: { name: "y", optional: true } }] } }]);
    assert.equal((await volumes.mount(pod, quiet)).size, 1);
  }));

test("a volume whose source goes away keeps what it shows, and says so once", () =>
  withVolumes({}, async ({ volumes, objects, events }) => {
    objects.configMaps.set("default/m", { data: { a: "1" } });
    const pod = podOf([{ name: "m", configMap: { name: "m" } }]);
    await volumes.mount(pod, quiet);
    objects.configMaps.clear();
    await volumes.mount(pod, quiet);
    assert.equal(await read(await volumes.mount(pod, quiet), "m", "a"), "1");
    assert.deepEqual(events, ['MountVolume.SetUp failed for volume "m" : configmap "m" not found']);
  }));

test("tokens are bound to the Pod, readable for one user alone, and renewed", () =>
  withVolumes({}, async ({ volumes, clock, changed, requests }) => {
    const source = { serviceAccountToken: { path: "token", audience: "vault", expirationSeconds: 3600 } };
    const pod = podOf([{ name: "t", projected: { sources: [source] } }], { securityContext: { runAsUser: process.getuid?.() ?? 0 } });
    const made = await volumes.mount(pod, quiet);
    assert.equal(await read(made, "t", "token"), "token-1");
    assert.equal((await stat(join(made.get("t")?.path ?? "", "token"))).mode & 0o777, 0o600);
    const [request] = requests;
    assert.deepEqual(request, {
      namespace: "default",
      account: "runner",
      audience: "vault",
      expirationSeconds: 3600,
      pod: { name: "web", uid: "u1" },
    });
    assert.deepEqual(changed, []);
    clock.advance(48 * 60_000);
    assert.deepEqual(changed, ["u1"]);
    assert.equal(await read(await volumes.mount(pod, quiet), "t", "token"), "token-2");
  }));

test("shows what the API says of the Pod itself", () =>
  withVolumes({}, async ({ volumes }) => {
    const items = [
      { path: "labels", fieldRef: { fieldPath: "metadata.labels" } },
      { path: "tier", fieldRef: { fieldPath: "metadata.labels['tier']" } },
      { path: "memory", resourceFieldRef: { containerName: "c", resource: "limits.memory", divisor: "1Mi" } },
    ];
    const made = await volumes.mount(podOf([{ name: "d", downwardAPI: { items } }]), quiet);
    const texts = await Promise.all(items.map(({ path }) => read(made, "d", path)));
    assert.deepEqual(texts, ['app="web"\ntier="front"', "front", "64"]);
  }));

test("memory is mounted, has a size, belongs to the group, and is gone after a restart, too", { skip: needsMounts }, () =>
  withVolumes({ mounts: true }, async ({ rootDir, volumes, objects }) => {
    objects.secrets.set("default/s", { data: { key: base64("hidden") } });
    const volume = { name: "e", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } };
    const pod = podOf([volume, { name: "s", secret: { secretName: "s" } }], { securityContext: { fsGroup: 4321 } });
    const made = await volumes.mount(pod, quiet);
    assert.equal((await mounter?.mountsBelow(rootDir))?.length, 2);
    const path = made.get("e")?.path ?? "";
    const { gid, mode } = await stat(path);
    assert.deepEqual({ gid, setGroup: mode & 0o2000 }, { gid: 4321, setGroup: 0o2000 });
    await assert.rejects(writeFile(join(path, "large"), Buffer.alloc(2 << 20)), { code: "ENOSPC" });
    const key = await stat(join(made.get("s")?.path ?? "", "key"));
    assert.deepEqual({ gid: key.gid, mode: key.mode & 0o777 }, { gid: 4321, mode: 0o644 });
    const { volumes: restarted } = await make(rootDir, {}, true);
    assert.deepEqual(await restarted.present(), ["u1"]);
    await restarted.unmount("u1", quiet);
    assert.deepEqual(await mounter?.mountsBelow(rootDir), []);
  }),
);

test("room on disk is kept until the Pod goes", () =>
  withVolumes({}, async ({ volumes }) => {
    const pod = podOf([{ name: "e", emptyDir: {} }]);
    const made = await volumes.mount(pod, quiet);
    await writeFile(join(made.get("e")?.path ?? "", "kept"), "yes");
    assert.equal(await read(await volumes.mount(pod, quiet), "e", "kept"), "yes");
    assert.equal((await stat(made.get("e")?.path ?? "")).mode & 0o777, 0o777);
  }));

test("claims lead to the path of their volume", async () => {
  const path = await mkdtemp(join(tmpdir(), "claimed-"));
  const server = {
    "/api/v1/namespaces/default/persistentvolumeclaims/y": {
      metadata: { name: "y", namespace: "default", uid: "c1" },
      spec: { volumeName: "pv" },
      status: { phase: "Bound" },
    },
    "/api/v1/persistentvolumes/pv": { metadata: { name: "pv" }, spec: { claimRef: { uid: "c1" }, local: { path } } },
  };
  await withVolumes({ server }, async ({ volumes }) => {
    const made = await volumes.mount(podOf([{ name: "x", persistentVolumeClaim: { claimName: "y", readOnly: true } }]), quiet);
    assert.deepEqual(made.get("x"), { path, readOnly: true, selinuxRelabel: true });
  });
  await rm(path, { recursive: true });
});

const imageCases: readonly { name: string; problems: ImageVolumeProblems; mount?: Partial<coreV1.VolumeMount>; expect?: string }[] = [
  { name: "is the runtime's to mount", problems: {} },
  { name: "is mounted whole where the runtime mounts no parts", problems: { subPaths: "no parts" } },
  { name: "needs a runtime that mounts it", problems: { images: "no images", subPaths: "no parts" }, expect: "no images" },
  { name: "needs a runtime that mounts parts of it", problems: { subPaths: "no parts" }, mount: { subPath: "a" }, expect: "no parts" },
  { name: "needs it for expressions, too", problems: { subPaths: "no parts" }, mount: { subPathExpr: "$(A)" }, expect: "no parts" },
];
for (const { name, problems, mount, expect } of imageCases)
  test(`an image as a volume ${name}`, () =>
    withVolumes({ imageVolumes: problems }, async ({ volumes }) => {
      const pod = podOf([{ name: "i", image: { reference: "data:1" } }]);
      Object.assign(pod.spec?.containers[0]?.volumeMounts?.[0] ?? {}, mount);
      const mounted = volumes.mount(pod, quiet);
      if (expect === undefined) assert.deepEqual((await mounted).get("i"), { path: "", readOnly: true, selinuxRelabel: false });
      else await assert.rejects(mounted, { reason: "FailedMount", message: `MountVolume.SetUp failed for volume "i" : ${expect}` });
    }));

test("mount points in read-only volumes are made beforehand", () =>
  withVolumes({}, async ({ volumes, objects }) => {
    objects.configMaps.set("default/m", { data: { a: "1" } });
    const pod = podOf([
      { name: "m", configMap: { name: "m" } },
      { name: "e", emptyDir: {} },
    ]);
    pod.spec?.containers[0]?.volumeMounts?.splice(1, 1, { name: "e", mountPath: "/m/cache" });
    const path = (await volumes.mount(pod, quiet)).get("m")?.path ?? "";
    assert.ok((await stat(join(path, "cache"))).isDirectory());
    assert.match(await readlink(join(path, "..data")), /^\.\./);
  }));
