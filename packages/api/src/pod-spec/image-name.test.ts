import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuTimeOf } from "../../../../tests/cpu-time.ts";
import { defaultPullPolicy, imageTag, parseImageName } from "./image-name.ts";

const digest = `sha256:${"a".repeat(64)}`;
const cases = [
  { image: "nginx", tag: "latest" },
  { image: "nginx:1.21", tag: "1.21" },
  { image: "registry.example.com:5000/team/app", tag: "latest" },
  { image: "registry.example.com:5000/team/app:v1", tag: "v1" },
  { image: `nginx@${digest}`, tag: undefined },
  { image: `nginx:latest@${digest}`, tag: "latest" },
  { image: "Upper", tag: undefined },
  { image: "a".repeat(64), tag: undefined },
  { image: "", tag: undefined },
  { image: " nginx", tag: undefined },
];

for (const { image, tag } of cases) test(`the tag of "${image.slice(0, 40)}"`, () => assert.equal(imageTag(image), tag));

const repositories = {
  nginx: "docker.io/library/nginx",
  "team/app:1": "docker.io/team/app",
  "docker.io/nginx": "docker.io/library/nginx",
  "index.docker.io/team/app": "docker.io/team/app",
  "localhost/app": "localhost/app",
  "registry:5000/app": "registry:5000/app",
  "registry.example.com/team/app": "registry.example.com/team/app",
};
for (const [image, repository] of Object.entries(repositories))
  test(`"${image}" is in ${repository}`, () => assert.equal(parseImageName(image)?.repository, repository));

test("what moves is pulled each time", () => {
  assert.deepEqual(["nginx", "nginx:latest", "nginx:1", `nginx@${digest}`].map(defaultPullPolicy), [
    "Always",
    "Always",
    "IfNotPresent",
    "IfNotPresent",
  ]);
});

test("a name made to be slow is not", () => {
  const [short, long] = [2_000, 32_000].map((length) => {
    const name = `${"a-".repeat(length)}!`;
    assert.equal(imageTag(name), undefined);
    return cpuTimeOf(() => imageTag(name));
  });
  // Sixteen times as long takes sixteen times as long, and not the square of that.
  assert.ok(long! / short! < 80, `${short} and ${long} µs`);
});
