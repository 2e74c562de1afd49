/** The container image as it is run: by a containerd of the test's own, with a read-only root file system. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, test } from "node:test";
import { configMaps, nodes } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { waitUntil } from "@coxswain/machinery/testing";
import { executablesDir } from "../../scripts/build/executable/build-executable.ts";
import { chosenArchitectures, imageDir, imagePath } from "../../scripts/build/image/build-image.ts";
import { debianBase } from "../../scripts/build/image/debian-base.ts";
import { root } from "../../scripts/checks/tree.ts";
import { type Containerd, startContainerd } from "../kubelet/containerd/containerd.ts";
import { binary, whyNoContainers } from "../kubelet/containerd/why-no-containers.ts";
import { buildOnce } from "./built.ts";

const without = ["apt-get", "dpkg-deb"].filter((program) => binary(program) === undefined);
const skip = without.length > 0 ? `not installed: ${without.join(", ")}` : false;
/** The user in the image's configuration. */
const nonroot = 65_532;

before(async () => {
  if (skip === false) await buildOnce({ folder: imageDir, args: ["--image"], files: [imagePath] });
});

test("runs without root on a file system that is read only, says how it is, and keeps its state in the volume", {
  skip: skip === false ? (whyNoContainers() ?? false) : skip,
}, async () => {
  await using containerd = await startContainerd();
  containerd.ctr("images", "import", imagePath);
  const data = join(containerd.folder, "data");
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, nonroot, nonroot);
  await using first = await runImage(containerd, { name: "first", data });
  const status = readFileSync(`/proc/${first.pid}/status`, "utf8");
  assert.match(status, new RegExp(`^Uid:\\s+${nonroot}\\s+${nonroot}\\s+${nonroot}\\s+${nonroot}$`, "m"));
  assert.match(status, /^CapEff:\s+0+$/m);
  {
    await using client = await clientFromKubeconfig({ paths: [join(data, "kubeconfig")] });
    await waitUntil("the node to be ready", async () => {
      const { items } = await client.resource(nodes).list();
      return items.some(({ status: { conditions = [] } = {} }) =>
        conditions.some(({ type, status }) => type === "Ready" && status === "True"),
      );
    });
    await client.resource(configMaps, "default").create({ metadata: { name: "kept" } });
  }
  await first.stop();
  await using _second = await runImage(containerd, { name: "second", data });
  await using client = await clientFromKubeconfig({ paths: [join(data, "kubeconfig")] });
  assert.equal((await client.resource(configMaps, "default").get("kept")).metadata?.name, "kept");
});

interface Running extends AsyncDisposable {
  readonly pid: number;
  stop(): Promise<void>;
}

/** Resolves once the image's own probe has found it ready. */
async function runImage({ ctr }: Containerd, options: { readonly name: string; readonly data: string }): Promise<Running> {
  const { version } = JSON.parse(readFileSync(join(root, "packages/coxswain/package.json"), "utf8"));
  const { data } = options;
  // What runs containers knows them by name on the whole machine.
  const name = `coxswain-${process.pid}-${options.name}`;
  const volume = `type=bind,src=${data},dst=/var/lib/coxswain,options=rbind:rw`;
  const words = ["/usr/bin/coxswain", "--address=127.0.0.1", "--port=0"];
  ctr("run", "--detach", "--read-only", "--net-host", "--mount", volume, `docker.io/library/coxswain:${version}`, name, ...words);
  const task = (): readonly string[] => new RegExp(`^${name}\\s+(\\d+)\\s+(\\w+)`, "m").exec(ctr("tasks", "list")) ?? [];
  const isRunning = (): boolean => task()[2] === "RUNNING";
  const stop = async (): Promise<void> => {
    if (task().length === 0) return;
    ctr("tasks", "kill", name);
    await waitUntil(`${name} to stop`, () => !isRunning());
    ctr("tasks", "delete", name);
    ctr("containers", "delete", name);
  };
  let probe = 0;
  await waitUntil(`${name} to be ready`, () => {
    if (!isRunning()) throw new Error(`${name} has ended`);
    try {
      return ctr("tasks", "exec", "--exec-id", `probe-${probe++}`, name, "/usr/bin/coxswain", "healthz") === "ok\n";
    } catch {
      return false;
    }
  });
  return { pid: Number(task()[1]), stop, [Symbol.asyncDispose]: stop };
}

test("the Dockerfile makes the same image", {
  skip: skip === false && binary("buildah") === undefined ? "not installed: buildah" : skip,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-dockerfile-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const buildah = (...args: readonly string[]): string => {
    const own = ["--storage-driver=vfs", `--root=${folder}/root`, `--runroot=${folder}/run`];
    const { status, stdout, stderr } = spawnSync("buildah", [...own, ...args], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  const [architecture = "amd64"] = chosenArchitectures([]);
  const base = buildah("from", "scratch");
  buildah("copy", base, debianBase(architecture), "/");
  buildah("commit", base, "coxswain-base");
  const { config: expected } = imageConfig();
  const version = expected.Labels["org.opencontainers.image.version"];
  const settings = ["BASE=localhost/coxswain-base", `TARGETARCH=${architecture}`, `VERSION=${version}`].map((one) => `--build-arg=${one}`);
  buildah(
    "build",
    "--isolation=chroot",
    "--format=docker",
    "-f",
    join(root, "deploy/image/Dockerfile"),
    ...settings,
    "-t",
    "coxswain",
    executablesDir,
  );
  const { Docker, OCIv1 } = JSON.parse(buildah("inspect", "--type=image", "coxswain"));
  const { Env, Labels, ...config } = OCIv1.config;
  const { Env: expectedEnv, Labels: expectedLabels, WorkingDir, ...expectedConfig } = expected;
  assert.deepEqual(config, expectedConfig);
  assert.ok(
    expectedEnv.filter((one: string) => !one.startsWith("PATH=")).every((one: string) => Env.includes(one)),
    Env,
  );
  for (const [name, value] of Object.entries(expectedLabels)) assert.equal(Labels[name], value);
  assert.deepEqual(Docker.config.Healthcheck.Test, ["CMD", "/usr/bin/coxswain", "healthz"]);
});

/** What the archive says of how the image is run. */
function imageConfig() {
  const blob = (digest: string): string => `blobs/sha256/${digest.replace("sha256:", "")}`;
  const read = (path: string) => JSON.parse(spawnSync("tar", ["-xOf", imagePath, path], { encoding: "utf8" }).stdout);
  const index = read(blob(read("index.json").manifests[0].digest));
  return read(blob(read(blob(index.manifests[0].digest)).config.digest));
}
