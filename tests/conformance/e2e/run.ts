/** Kubernetes' conformance suite against real containers: `npm run conformance -- [FOCUS [SKIP]]`, both regular expressions. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { enterPrivateNetwork } from "../../kubelet/containerd/private-network.ts";
import { binary, whyNoContainers } from "../../kubelet/containerd/why-no-containers.ts";
import { whyNotSeveral } from "../../kubelet/real-containers/several-nodes.ts";
import { run } from "../client-program.ts";
import { startCommand } from "../command-under-test.ts";
import { builtImages } from "./images.ts";
import { readResults, summary } from "./results.ts";
import { builtSuite } from "./suite.ts";

const nodes = 2;
const [focus = "\\[Conformance\\]", skip] = process.argv.slice(2);

const missing = whyNoContainers() ?? whyNotSeveral() ?? ["go", "debootstrap", "etcd", "kubectl"].find((name) => binary(name) === undefined);
if (missing !== undefined) {
  console.error(`the suite needs what is not here: ${missing}`);
  process.exit(1);
}
// What is fetched is fetched before: nothing is to be had in a network of one's own.
const suite = await builtSuite();
const images = await builtImages(suite);
enterPrivateNetwork();

const reports = mkdtempSync(join(tmpdir(), "coxswain-conformance-"));
const command = await startCommand("--ephemeral", "--runtime=cri", `--nodes=${nodes}`, `--node-images=${images}`);
try {
  await nodesReady();
  console.log(`${reports}/log.txt has what the suite says`);
  await runSuite();
} finally {
  await command.stop();
}
const report = join(reports, "junit_01.xml");
if (!existsSync(report)) throw new Error(`the suite has made no report: ${reports}/log.txt`);
const results = readResults(readFileSync(report, "utf8"));
console.log(summary(results));
process.exitCode = results.length > 0 && results.every(({ passed }) => passed) ? 0 : 1;

async function nodesReady(): Promise<void> {
  for (const deadline = Date.now() + 6 * 60_000; ; await delay(1_000)) {
    const args = ["--kubeconfig", command.kubeconfig, "wait", "--for=condition=Ready", "nodes", "--all", "--timeout=60s"];
    const { code, stdout, stderr } = await run("kubectl", args, { timeoutMs: 2 * 60_000 });
    if (code === 0 && stdout.split("\n").length > nodes) return;
    if (Date.now() > deadline) throw new Error(`${stderr}\n${command.log()}`);
  }
}

async function runSuite(): Promise<void> {
  const args = [
    ...["--provider=skeleton", `--kubeconfig=${command.kubeconfig}`, `--num-nodes=${nodes}`, `--report-dir=${reports}`],
    ...["--disable-log-dump", "--ginkgo.v", "--ginkgo.no-color", "--ginkgo.timeout=6h", `--ginkgo.focus=${focus}`],
    ...(skip === undefined ? [] : [`--ginkgo.skip=${skip}`]),
  ];
  const child = spawn(suite.program, args, { cwd: reports, stdio: ["ignore", "pipe", "pipe"] });
  const log = createWriteStream(join(reports, "log.txt"));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  await once(child, "close");
  log.end();
}
