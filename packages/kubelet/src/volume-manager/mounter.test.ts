import assert from "node:assert/strict";
import { test } from "node:test";
import { mountPoints } from "./mounter.ts";

test("mounts at a path and below it are named, the last first, and those beside it are not", () => {
  const line = (path: string) => `36 35 98:0 / ${path} rw,noatime shared:1 - tmpfs tmpfs rw`;
  const table = ["/", "/run/a", "/run/a/one", "/run/ab/two", "/run/a/with\\040space", "/run/a/one/in"].map(line).join("\n");
  assert.deepEqual(mountPoints(table, "/run/a"), ["/run/a/one/in", "/run/a/with space", "/run/a/one", "/run/a"]);
});
