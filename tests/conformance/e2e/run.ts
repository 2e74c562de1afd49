/**
 * Kubernetes' conformance suite against real containers: `npm run conformance -- [--procs N] [--resume FOLDER] [FOCUS [SKIP]]`, both
 * regular expressions. What has ended stands in `specs.txt` of the folder at once; with `--resume` only the rest is run, and what had failed.
 */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { builtContainerd } from "../../kubelet/containerd/built-containerd.ts";
import { enterPrivateNetwork } from "../../kubelet/containerd/private-network.ts";
import { binary } from "../../kubelet/containerd/why-no-containers.ts";
import { whyNotSeveral } from "../../kubelet/real-containers/several-nodes.ts";
import { run } from "../client-program.ts";
import { startCommand } from "../command-under-test.ts";
import { builtGinkgo } from "./ginkgo.ts";
import { builtImages } from "./images.ts";
import { recordSuite } from "./record-suite.ts";
import { summary } from "./results.ts";
import { serveImages } from "./served-images.ts";
import { builtSuite } from "./suite.ts";

const nodes = 2;
const { values, positionals } = parseArgs({
  options: { resume: { type: "string" }, procs: { type: "string", default: "1" } },
  allowPositionals: true,
});
const [focus = "\\[Conformance\\]", skip] = positionals;
if (values.resume !== undefined && !existsSync(values.resume)) throw new Error(`no such folder: ${values.resume}`);

const missing = whyNotSeveral() ?? ["go", "debootstrap", "etcd", "kubectl"].find((name) => binary(name) === undefined);
if (missing !== undefined) {
  console.error(`the suite needs what is not here: ${missing}`);
  process.exit(1);
}
// What is fetched is fetched before: nothing is to be had in a network of one's own.
const containerd = process.env.COXSWAIN_CONTAINERD ?? (await programOfBuilt());
const suite = await builtSuite();
const images = await builtImages(suite);
const ginkgo = values.procs === "1" ? undefined : await builtGinkgo(suite);
enterPrivateNetwork({ containerd });

await using _registry = await serveImages(images);
const reports = values.resume === undefined ? mkdtempSync(join(tmpdir(), "coxswain-conformance-")) : resolve(values.resume);
const command = await startCommand(
  ...["--ephemeral", "--runtime=cri", `--nodes=${nodes}`, `--node-images=${images}`],
  // Each containerd has a default of its own.
  "--pod-infra-container-image=registry.k8s.io/pause:3.10.2",
);
try {
  await nodesReady();
  const print = (text: string): void => void process.stdout.write(text);
  const { results, hasEnded } = await recordSuite({ ...suiteCommand(), folder: reports, print });
  console.log(summary(results));
  if (!hasEnded) console.log(`the suite has not come to its end: npm run conformance -- --resume ${reports} goes on`);
  process.exitCode = hasEnded && results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1;
} finally {
  await command.stop();
}

/** The suite has specs of image volumes. */
async function programOfBuilt(): Promise<string> {
  const built = await builtContainerd();
  if ("missing" in built) throw new Error(built.missing);
  return built.program;
}

async function nodesReady(): Promise<void> {
  for (const deadline = Date.now() + 6 * 60_000; ; await delay(1_000)) {
    const args = ["--kubeconfig", command.kubeconfig, "wait", "--for=condition=Ready", "nodes", "--all", "--timeout=60s"];
    const { code, stdout, stderr } = await run("kubectl", args, { timeoutMs: 2 * 60_000 });
    if (code === 0 && stdout.split("\n").length > nodes) return;
    if (Date.now() > deadline) throw new Error(`${stderr}\n${command.log()}`);
  }
}

/** In several processes it is Ginkgo that is told which specs to run. */
function suiteCommand(): { readonly program: string; readonly args: readonly string[] } {
  const chosen = ["v", "no-color", "timeout=6h", `focus=${focus}`, ...(skip === undefined ? [] : [`skip=${skip}`])];
  const own = [
    "--provider=skeleton",
    `--kubeconfig=${command.kubeconfig}`,
    `--num-nodes=${nodes}`,
    `--report-dir=${reports}`,
    "--disable-log-dump",
  ];
  if (ginkgo === undefined) return { program: suite.program, args: [...own, ...chosen.map((one) => `--ginkgo.${one}`)] };
  const args = [`--procs=${values.procs}`, ...chosen.map((one) => (one === "v" ? "-v" : `--${one}`)), suite.program, "--", ...own];
  return { program: ginkgo, args };
}
