import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContainerStatus } from "../runtime/runtime-status.ts";
import { isOutdated, recordOf } from "./container-record.ts";

const container = { name: "test_container", image: "foo/image:v1" };
const record = (own: typeof container) => ({ annotations: recordOf({ metadata: {} }, own, 0) }) as ContainerStatus;

test("Kubernetes' own kubelet gives the same hash", () => {
  assert.equal(record(container).annotations["io.kubernetes.container.hash"], "8e45cbd0");
});

test("a container of another image is not what is wanted", () => {
  assert.equal(isOutdated(container, record(container)), false);
  assert.equal(isOutdated({ ...container, image: "foo/image:v2" }, record(container)), true);
  assert.equal(isOutdated(container, { annotations: {} } as ContainerStatus), false);
});
