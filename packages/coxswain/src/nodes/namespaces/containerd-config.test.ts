import assert from "node:assert/strict";
import { test } from "node:test";
import { containerdConfig } from "./containerd-config.ts";

const paths = { root: "/data/root", state: "/run/state", socket: "/run/c.sock", cniConfDir: '/data/"net".d', cniBinDir: "/usr/lib/cni" };

test("a containerd has its own root, state, socket and CNI configurations", () => {
  const text = containerdConfig(paths, { snapshotter: "overlayfs", sandboxImage: undefined });
  for (const line of ['root = "/data/root"', 'state = "/run/state"', '  address = "/run/c.sock"', '    snapshotter = "overlayfs"'])
    assert.ok(text.split("\n").includes(line), line);
  assert.ok(text.includes('conf_dir = "/data/\\"net\\".d"'));
  assert.ok(!text.includes("sandbox_image"));
});

test("the image of sandboxes is named where it was chosen", () => {
  const text = containerdConfig(paths, { snapshotter: "native", sandboxImage: "pause:1" });
  assert.ok(text.includes('  sandbox_image = "pause:1"\n'));
});
