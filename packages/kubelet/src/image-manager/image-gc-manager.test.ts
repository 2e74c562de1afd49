import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import type { ContainerStatus, ImageInfo } from "../runtime/runtime-status.ts";
import { createImageGcManager, type ImageGcManagerOptions } from "./image-gc-manager.ts";
import type { Credential } from "./keyring.ts";
import { PullRecords } from "./pull-records.ts";

const quiet = new AbortController().signal;
const minute = 60_000;

const imageOf = (name: string, more: Partial<ImageInfo> = {}): ImageInfo => ({
  id: `id-${name}`,
  tags: [`docker.io/library/${name}:latest`],
  digests: [`docker.io/library/${name}@sha256:${name}`],
  sizeBytes: 10,
  pinned: false,
  uid: undefined,
  username: "",
  ...more,
});
const containerOf = (image: string, imageRef = image, mounts: ContainerStatus["mounts"] = []) =>
  ({ image, imageRef, mounts }) as ContainerStatus;

function garbage({ images, usedBytes = 100, ...more }: { images: ImageInfo[]; usedBytes?: number } & Partial<ImageGcManagerOptions>) {
  const clock = new ManualClock();
  const here = new Map(images.map((image) => [image.id, image]));
  const containers: ContainerStatus[] = [];
  const events: string[] = [];
  const left: string[] = [];
  const state = { usedBytes, capacityBytes: 100 };
  const collector = createImageGcManager({
    runtime: {
      listImages: async () => [...here.values()],
      listContainers: async () => containers,
      removeImage: async (id) => {
        state.usedBytes -= here.get(id)?.sizeBytes ?? 0;
        here.delete(id);
      },
      imageFileSystem: async () => ({ ...state, imageBytes: 0, path: "/" }),
    },
    clock,
    events: { record: (_, { reason, message }) => void events.push(`${reason}: ${message}`) },
    node: () => ({ metadata: { name: "n" } }),
    log: { info: () => undefined, warn: () => undefined },
    left: (ids) => left.push(...ids),
    ...more,
  });
  return { collector, clock, here, containers, events, state, left };
}

test("deletes until there is room again, that first which was not used for longest", async () => {
  const { collector, clock, here, containers, state } = garbage({
    images: ["a", "b", "c", "d"].map((name) => imageOf(name)),
    usedBytes: 0,
  });
  for (const name of ["b", "a", "d", "c"]) {
    containers.splice(0, 1, containerOf(name));
    await collector.collect(quiet);
    clock.advance(minute);
  }
  containers.length = 0;
  state.usedBytes = 95;
  await collector.collect(quiet);
  assert.deepEqual([...here.keys()], ["id-c", "id-d"]);
});

test("while there is room all stay", async () => {
  const { collector, clock, here } = garbage({ images: [imageOf("a")], usedBytes: 84 });
  clock.advance(10 * minute);
  await collector.collect(quiet);
  assert.equal(here.size, 1);
});

const kept = [
  { name: "used by its id", image: imageOf("a"), container: containerOf("x", "id-a") },
  { name: "used by its short name", image: imageOf("a"), container: containerOf("a") },
  { name: "used by its digest", image: imageOf("a", { tags: [] }), container: containerOf("x", "docker.io/library/a@sha256:a") },
  { name: "for sandboxes", image: imageOf("pause"), container: undefined },
  { name: "pinned", image: imageOf("a", { pinned: true }), container: undefined },
];
for (const { name, image, container } of kept)
  test(`what is ${name} stays, whatever comes`, async () => {
    const { collector, clock, here, containers, events } = garbage({ images: [image] });
    if (container !== undefined) containers.push(container);
    await collector.deleteUnused(quiet);
    clock.advance(10 * minute);
    await assert.rejects(collector.collect(quiet), /^Error: Insufficient free disk space/);
    assert.equal(await collector.deleteUnused(quiet), 0);
    assert.equal(here.size, 1);
    assert.deepEqual(events, [
      "FreeDiskSpaceFailed: Insufficient free disk space on the node's image filesystem (100% of 100 B used). Failed to free sufficient space by deleting unused images (freed 0 bytes). Investigate disk usage, as it could be used by active images, logs, volumes, or other data.",
    ]);
  });

test("what has just come stays for two minutes", async () => {
  const { collector, clock, here } = garbage({ images: [imageOf("a", { sizeBytes: 20 })] });
  await assert.rejects(collector.collect(quiet), /Failed to free sufficient space by deleting unused images \(freed 0 bytes\)/);
  clock.advance(2 * minute - 1);
  await assert.rejects(collector.collect(quiet), /Failed to free sufficient space by deleting unused images \(freed 0 bytes\)/);
  clock.advance(1);
  await collector.collect(quiet);
  assert.equal(here.size, 0);
});

test("an image that was unused for the maximum age is deleted though there is room, but not before the kubelet has run that long", async () => {
  const { collector, clock, here } = garbage({ images: [imageOf("a")], usedBytes: 0, maxAgeMs: 60 * minute });
  await collector.collect(quiet);
  clock.advance(60 * minute);
  await collector.collect(quiet);
  assert.equal(here.size, 1);
  clock.advance(1);
  await collector.collect(quiet);
  assert.equal(here.size, 0);
});

test("reports the images that are left", async () => {
  const { collector, left } = garbage({ images: [imageOf("a")], usedBytes: 0 });
  await collector.collect(quiet);
  assert.deepEqual(left, ["id-a"]);
});

test("who may use an image that is pulled while images are listed is not forgotten", async () => {
  const records = new PullRecords(undefined);
  const credential = { auth: { username: "u" }, secret: { uid: "1", namespace: "n", name: "s" } } as Credential;
  const name = { image: "registry/new:1", repository: "registry/new" };
  const isPrivate = () => !records.mayUse("id-new", name, () => []);
  const { collector } = garbage({
    images: [],
    usedBytes: 0,
    runtime: {
      listImages: async () => [],
      // The pull ends after the images were listed.
      listContainers: async () => {
        if (!isPrivate()) records.pulled("id-new", name, credential);
        return [];
      },
      removeImage: async () => undefined,
      imageFileSystem: async () => ({ usedBytes: 0, capacityBytes: 100, path: "/" }),
    },
    listing: () => records.listing(),
    left: (ids) => records.keep(ids),
  });
  await collector.collect(quiet);
  assert.ok(isPrivate());
  await collector.collect(quiet);
  assert.ok(!isPrivate(), "by the next look it is gone");
});

test("the image of a volume is used as long as a container has it", async () => {
  const { collector, clock, containers, here } = garbage({ images: [imageOf("app"), imageOf("data")] });
  const mounts = [
    { containerPath: "/data", hostPath: "/run/images/data", image: "id-data" },
    { containerPath: "/etc/hosts", hostPath: "/hosts" },
  ];
  containers.push(containerOf("app", "app", mounts));
  await collector.deleteUnused(quiet);
  clock.advance(5 * minute);
  await collector.deleteUnused(quiet);
  assert.deepEqual([...here.keys()], ["id-app", "id-data"]);
  containers.splice(0, 1, containerOf("app"));
  await collector.deleteUnused(quiet);
  assert.deepEqual([...here.keys()], ["id-app"]);
});
