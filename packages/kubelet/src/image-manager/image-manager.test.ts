import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { coreV1 } from "@coxswain/api";
import { ManualClock } from "@coxswain/machinery";
import { quiescence } from "@coxswain/machinery/testing";
import type { Container, Pod } from "../pod/pod.ts";
import type { RegistryAuth } from "../runtime/pod-runtime.ts";
import type { SandboxConfig } from "../runtime/runtime-config.ts";
import type { ImageInfo } from "../runtime/runtime-status.ts";
import { base64, objectsUnderTest } from "../volume-manager/objects-under-test.ts";
import { createImageManager, type ImageManagerOptions } from "./image-manager.ts";

const quiet = new AbortController().signal;
const sandbox = { runtimeHandler: "" } as SandboxConfig;

const podOf = (image: string, imagePullPolicy: string, { uid = "u1", secrets = [] as readonly string[] } = {}): Pod => ({
  metadata: { name: "web", namespace: "default", uid },
  spec: { containers: [{ name: "c", image, imagePullPolicy }], imagePullSecrets: secrets.map((name) => ({ name })) },
});

/** A registry and a node's images; `pull` may be replaced. */
function node(options: Partial<ImageManagerOptions> = {}) {
  const clock = new ManualClock();
  const objects = objectsUnderTest();
  const here = new Map<string, ImageInfo>();
  const events: string[] = [];
  const pulls: { image: string; auth: RegistryAuth | undefined; signal: AbortSignal }[] = [];
  const put = (image: string, more: Partial<ImageInfo> = {}): string => {
    const id = `sha256:${image}`;
    here.set(image, { id, tags: [image], digests: [], sizeBytes: 4096, pinned: false, uid: undefined, username: "", ...more });
    return id;
  };
  const state = { pull: async (image: string): Promise<string> => put(image), inspect: async (_: string): Promise<void> => undefined };
  const images = createImageManager({
    runtime: {
      imageStatus: async (image) => {
        await state.inspect(image);
        return here.get(image);
      },
      pullImage: async (image, auth, _, signal) => {
        pulls.push({ image, auth, signal });
        return await state.pull(image);
      },
    },
    objects,
    events: { record: (_, { type, reason, message, fieldPath }) => void events.push(`${type} ${reason} ${fieldPath ?? "-"}: ${message}`) },
    clock,
    ...options,
  });
  const ensure = (pod: Pod, signal = quiet) => {
    const container = pod.spec?.containers[0] as Container;
    return images.ensureImageExists(
      { pod, container, image: container.image ?? "", pullPolicy: container.imagePullPolicy, sandbox },
      signal,
    );
  };
  return { clock, objects, here, events, pulls, put, state, images, ensure };
}

const at = "spec.containers{c}";

test("pulls what is not here, and says how long it took", async () => {
  const { ensure, events, clock, state, put } = node();
  state.pull = async (image) => {
    clock.advance(1234);
    return put(image, { uid: 7 });
  };
  assert.deepEqual(await ensure(podOf("nginx", "IfNotPresent")), { ref: "sha256:nginx:latest", uid: 7, username: "" });
  assert.deepEqual(events, [
    `Normal Pulling ${at}: Pulling image "nginx"`,
    `Normal Pulled ${at}: Successfully pulled image "nginx" in 1.234s (1.234s including waiting). Image size: 4096 bytes.`,
  ]);
});

test("the image of a volume is the whole Pod's matter, by a policy of its own", async () => {
  const { images, pulls, events } = node();
  const pod = podOf("nginx", "Never");
  assert.equal((await images.ensureImageExists({ pod, image: "data:1", pullPolicy: "IfNotPresent", sandbox }, quiet)).ref, "sha256:data:1");
  assert.deepEqual(
    pulls.map(({ image }) => image),
    ["data:1"],
  );
  assert.equal(events[0], 'Normal Pulling -: Pulling image "data:1"');
});

for (const policy of ["Always", "IfNotPresent", "Never"])
  test(`pulls nothing, by policy ${policy}, where images are only names, and does not say that it has`, async () => {
    const pullImage = async (): Promise<never> => assert.fail("pulled");
    const { ensure, events } = node({ runtime: { imagesAreNames: true, pullImage, imageStatus: async () => undefined } });
    assert.deepEqual(await ensure(podOf("nginx", policy)), { ref: "nginx:latest", uid: undefined, username: "" });
    assert.deepEqual(events, [
      `Normal ImageIgnored ${at}: Container image "nginx" is only a name here: nothing is pulled, the command runs on the machine itself`,
    ]);
  });

test("takes what is here", async () => {
  const { ensure, events, put, pulls } = node();
  put("nginx:1", { username: "web" });
  assert.deepEqual(await ensure(podOf("nginx:1", "IfNotPresent")), { ref: "sha256:nginx:1", uid: undefined, username: "web" });
  assert.deepEqual(events, [`Normal Pulled ${at}: Container image "nginx:1" already present on machine and can be accessed by the pod`]);
  assert.equal(pulls.length, 0);
});

test("pulls always where that is wanted", async () => {
  const { ensure, put, pulls } = node();
  put("nginx:1");
  await ensure(podOf("nginx:1", "Always"));
  assert.equal(pulls.length, 1);
});

test("never pulls where that is wanted", async () => {
  const { ensure, events } = node();
  const message = 'Container image "nginx" is not present with pull policy of Never';
  await assert.rejects(ensure(podOf("nginx", "Never")), { name: "SyncError", reason: "ErrImageNeverPull", message });
  assert.deepEqual(events, [`Warning ErrImageNeverPull ${at}: ${message}`]);
});

const names = [
  { image: "a b", why: "invalid reference format" },
  { image: "Upper", why: "invalid reference format: repository name (library/Upper) must be lowercase" },
  { image: "registry.example.com/Team/app:1", why: "invalid reference format: repository name (Team/app) must be lowercase" },
  { image: "a".repeat(64), why: `invalid repository name (${"a".repeat(64)}), cannot specify 64-byte hexadecimal strings` },
];
for (const { image, why } of names)
  test(`${image.slice(0, 40)} is no image`, async () => {
    const { ensure, events } = node();
    const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${why}`;
    await assert.rejects(ensure(podOf(image, "Always")), { reason: "InvalidImageName", message });
    assert.deepEqual(events, [`Warning InspectFailed ${at}: ${message}`]);
  });

test("an image status that the runtime cannot return fails with its reason", async () => {
  const { ensure, state, events } = node();
  state.inspect = () => Promise.reject(new Error("disk on fire"));
  await assert.rejects(ensure(podOf("nginx", "IfNotPresent")), { reason: "ImageInspectError" });
  assert.deepEqual(events, [`Warning InspectFailed ${at}: Failed to inspect image "": disk on fire`]);
});

test("the backoff grows with each failure, and restarts after a long time without one", async () => {
  const { ensure, state, clock, events, pulls } = node();
  state.pull = () => Promise.reject(new Error("no such image"));
  const pod = podOf("nginx:no", "IfNotPresent");
  const failure = { reason: "ErrImagePull", message: "no such image" };
  for (const [index, seconds] of [10, 20, 40, 80, 160, 300, 300].entries()) {
    await assert.rejects(ensure(pod), failure);
    assert.equal(pulls.length, index + 1);
    clock.advance(seconds * 1000 - 1);
    const message = 'Back-off pulling image "nginx:no": ErrImagePull: no such image';
    await assert.rejects(ensure(pod), { reason: "ImagePullBackOff", message });
    clock.advance(1);
  }
  assert.deepEqual(events.slice(0, 3), [
    `Normal Pulling ${at}: Pulling image "nginx:no"`,
    `Warning Failed ${at}: Failed to pull image "nginx:no": no such image`,
    `Normal BackOff ${at}: Back-off pulling image "nginx:no"`,
  ]);
  clock.advance(601_000);
  await assert.rejects(ensure(pod), failure);
  clock.advance(10_000);
  await assert.rejects(ensure(pod), failure);
});

test("a registry that does not answer has a reason of its own", async () => {
  const { ensure, state } = node();
  state.pull = () => Promise.reject(new Error("RegistryUnavailable: connection refused"));
  const message = "image pull failed for nginx because the registry is unavailable: connection refused";
  await assert.rejects(ensure(podOf("nginx", "Always")), { reason: "RegistryUnavailable", message });
});

test("several Pods share a pull, which is aborted when no Pod waits for it", async () => {
  const { ensure, state, pulls, put } = node();
  const gate = Promise.withResolvers<void>();
  state.pull = async (image) => {
    await gate.promise;
    return put(image);
  };
  const [first, second] = [new AbortController(), new AbortController()];
  const one = ensure(podOf("nginx", "Always", { uid: "u1" }), first.signal);
  const two = ensure(podOf("nginx", "Always", { uid: "u2" }), second.signal);
  await quiescence({ observe: () => pulls.length });
  first.abort(new Error("gone"));
  await assert.rejects(one, { message: "gone" });
  assert.deepEqual([pulls.length, pulls[0]?.signal.aborted], [1, false]);
  gate.resolve();
  assert.equal((await two).ref, "sha256:nginx:latest");
  state.pull = () => new Promise(() => undefined);
  const three = ensure(podOf("other", "Always"), second.signal);
  await quiescence({ observe: () => pulls.length });
  second.abort(new Error("gone"));
  await assert.rejects(three, { message: "gone" });
  assert.equal(pulls[1]?.signal.aborted, true);
});

test("no more images are pulled at a time than wanted", async () => {
  const { ensure, state, put } = node({ parallelPulls: 2 });
  const gates = new Map<string, () => void>();
  let running = 0;
  let most = 0;
  state.pull = async (image) => {
    most = Math.max(most, ++running);
    await new Promise<void>((resolve) => gates.set(image, resolve));
    running--;
    return put(image);
  };
  const all = ["a", "b", "c", "d"].map((name) => ensure(podOf(name, "Always", { uid: name })));
  for (let done = 0; done < 4; ) {
    await quiescence({ observe: () => [gates.size, running] });
    for (const [image, open] of [...gates]) {
      gates.delete(image);
      open();
      done++;
    }
  }
  await Promise.all(all);
  assert.equal(most, 2);
});

const dockerConfig = (auths: object, uid = "s1"): coreV1.Secret => ({
  metadata: { namespace: "default", name: "regcred", uid },
  type: "kubernetes.io/dockerconfigjson",
  data: { ".dockerconfigjson": base64(JSON.stringify({ auths })) },
});

test("credentials of secrets are tried one after another", async () => {
  const { ensure, objects, pulls, state, put } = node();
  objects.secrets.set(
    "default/regcred",
    dockerConfig({
      "https://reg.example.com/v1/": { auth: base64("me:pass:word") },
      "reg.example.com/team": { username: "t", password: "p" },
    }),
  );
  state.pull = async (image) => {
    if (pulls.length === 1) throw new Error("denied");
    return put(image);
  };
  await ensure(podOf("reg.example.com/team/app:1", "Always", { secrets: ["regcred"] }));
  assert.deepEqual(
    pulls.map(({ auth }) => auth),
    [
      { username: "t", password: "p" },
      { username: "me", password: "pass:word" },
    ],
  );
});

test("a pull secret that does not exist is reported, and the image is pulled without it", async () => {
  const { ensure, events, pulls } = node();
  await ensure(podOf("nginx", "Always", { secrets: ["no"] }));
  assert.equal(
    events[0],
    "Warning FailedToRetrieveImagePullSecret -: Unable to retrieve some image pull secrets (no); attempting to pull the image may not succeed.",
  );
  assert.deepEqual(
    pulls.map(({ auth }) => auth),
    [undefined],
  );
});

test("an image that was pulled with credentials is only for Pods that have them, after a restart, too", async () => {
  const rootDir = await mkdtemp(join(tmpdir(), "images-"));
  const before = node({ rootDir });
  const secret = dockerConfig({ "reg.example.com": { username: "me", password: "p" } });
  before.objects.secrets.set("default/regcred", secret);
  const mine = podOf("reg.example.com/app:1", "IfNotPresent", { secrets: ["regcred"] });
  const others = podOf("reg.example.com/app:1", "IfNotPresent", { uid: "u2" });
  await before.ensure(mine);
  const after = node({ rootDir });
  after.put("reg.example.com/app:1");
  after.objects.secrets.set("default/regcred", secret);
  after.state.pull = () => Promise.reject(new Error("denied"));
  await after.ensure(mine);
  assert.equal(after.pulls.length, 0);
  await assert.rejects(after.ensure(others), { reason: "ErrImagePull", message: "denied" });
  await assert.rejects(after.ensure(podOf("reg.example.com/app:1", "Never")), { reason: "ErrImageNeverPull" });
  await rm(rootDir, { recursive: true });
});

test("an image that is being pulled with credentials does not count as preloaded", async () => {
  const rootDir = await mkdtemp(join(tmpdir(), "images-"));
  const { ensure, objects, state, put, pulls } = node({ rootDir, parallelPulls: 2 });
  objects.secrets.set("default/regcred", dockerConfig({ "reg.example.com": { username: "me", password: "p" } }));
  const hasImage = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  state.pull = async (image) => {
    if (pulls.at(-1)?.auth === undefined) throw new Error("denied");
    put(image);
    hasImage.resolve();
    await gate.promise;
    return `sha256:${image}`;
  };
  const mine = ensure(podOf("reg.example.com/app:1", "IfNotPresent", { secrets: ["regcred"] }));
  await hasImage.promise;
  const others = podOf("reg.example.com/app:1", "IfNotPresent", { uid: "u2" });
  await assert.rejects(ensure(others), { reason: "ErrImagePull", message: "denied" });
  const after = node({ rootDir });
  after.put("reg.example.com/app:1");
  after.state.pull = () => Promise.reject(new Error("denied"));
  await assert.rejects(after.ensure(others), { reason: "ErrImagePull", message: "denied" });
  gate.resolve();
  assert.equal((await mine).ref, "sha256:reg.example.com/app:1");
  await assert.rejects(ensure(podOf("reg.example.com/app:1", "IfNotPresent", { uid: "u3" })), { message: "denied" });
  await rm(rootDir, { recursive: true });
});

for (const { name, takesMs, logged } of [
  {
    name: "takes long is logged",
    takesMs: 65_000,
    logged: ['pulling an image {"image":"web:1"}', 'pulled an image {"image":"web:1","bytes":4096,"seconds":65}'],
  },
  { name: "is quick is not", takesMs: 1_000, logged: [] },
])
  test(`a pull that ${name}`, async () => {
    const lines: string[] = [];
    const { ensure, clock, state, put } = node({
      log: { info: (fields, message) => void lines.push(`${message} ${JSON.stringify(fields)}`) },
    });
    const done = Promise.withResolvers<void>();
    state.pull = async (image) => {
      await done.promise;
      return put(image);
    };
    const pulled = ensure(podOf("web:1", "Always"));
    await quiescence({ clock });
    clock.advance(takesMs);
    await quiescence({ clock });
    done.resolve();
    await pulled;
    assert.deepEqual(lines, logged);
  });
