/** What users do with a running container, with each kubectl of this machine: old ones speak SPDY, new ones WebSockets. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { run } from "../../conformance/client-program.ts";
import { chosenKubectls, Follower, type Kubectl, runKubectl } from "../../conformance/kubectl/kubectl.ts";
import { startEcho } from "./echo-server.ts";
import { line, type NodeUnderTest, startNode } from "./start-node.ts";

const kubectls = chosenKubectls();
const python = await run("python3", ["--version"], { timeoutMs: hangMs });

if (kubectls.length === 0) test("kubectl", { skip: "kubectl is not installed" });
for (const kubectl of kubectls) suite(kubectl.version, () => testWith(kubectl));

function testWith(kubectl: Kubectl): void {
  let node: NodeUnderTest;
  let env: Record<string, string>;
  before(async () => {
    node = await startNode();
    env = { KUBECONFIG: node.kubeconfig };
  });
  after(() => node[Symbol.asyncDispose]());
  const ask = (args: string, stdin?: string) => runKubectl(kubectl, args.split(" "), env, stdin);

  test("exec: both outputs, the exit code, and standard input", async () => {
    const ran = await runKubectl(kubectl, ["exec", "web", "--", "sh", "-c", "echo out; echo err >&2; exit 3"], env);
    assert.deepEqual(ran, { code: 3, stdout: "out\n", stderr: "err\ncommand terminated with exit code 3\n" });
    const text = "line\n".repeat(100_000);
    assert.equal((await ask("exec -i web -- cat", text)).stdout, text);
    const missing = await ask("exec web -- no-such-program");
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /executable file not found in \$PATH/);
  });

  test("exec -it: a terminal that follows the size of the user's own", {
    skip: python.code === 0 ? false : "Python is not installed",
  }, async () => {
    const script = join(import.meta.dirname, "terminal.py");
    const args = [script, kubectl.path, "exec", "-it", "web", "--", "sizes"];
    const { code, stdout } = await run("python3", args, { env, timeoutMs: hangMs });
    assert.equal(code, 0);
    // kubectl sends some sizes twice.
    assert.match(stdout, /^tty\r\n(80x24\r\n)+10[123]x3[123]\r\n/);
  });

  test("attach", async () => {
    const { code, stdout } = await ask("attach -i web", "hello\n");
    assert.deepEqual({ code, stdout }, { code: 0, stdout: "hello\n" });
  });

  test("cp: there and back, whole", async (t) => {
    const directory = mkdtempSync(join(tmpdir(), "coxswain-cp-"));
    t.after(() => rmSync(directory, { recursive: true }));
    const [here, there, back] = ["here", "there", "back"].map((name) => join(directory, name));
    mkdirSync(here!);
    writeFileSync(join(here!, "big"), Buffer.alloc(5_000_000, "0123456789abcdef"));
    assert.equal((await ask(`cp ${here} default/web:${there}`)).code, 0);
    assert.equal((await ask(`cp default/web:${there}/big ${back}`)).code, 0);
    assert.ok(readFileSync(back!).equals(readFileSync(join(here!, "big"))));
  });

  test("logs: all, some, and those to come", async () => {
    assert.equal((await ask("logs web")).stdout, "one\ntwo\nthree\n");
    assert.equal((await ask("logs web --previous")).stdout, "before\n");
    const waiting = await ask("logs web -c side");
    assert.equal(waiting.stderr, 'Error from server (BadRequest): container "side" in pod "web" is waiting to start: ContainerCreating\n');
    node.script.logs.set("c1", [line(1, "first")]);
    using follower = new Follower(kubectl, ["logs", "-f", "web"], env);
    assert.equal(await follower.next(), "first");
    node.script.logs.set("c1", [line(1, "first"), line(2, "second")]);
    assert.equal(await follower.next(), "second");
  });

  test("port-forward: many connections, each half closed", async () => {
    await using echo = await startEcho("at the end");
    const child = spawn(kubectl.path, ["port-forward", "web", `:${echo.port}`], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [first] = await once(child.stdout, "data");
    child.stdout.resume();
    const local = Number(/127\.0\.0\.1:(\d+)/.exec(String(first))?.[1]);
    await Promise.all(Array.from({ length: 12 }, (_, i) => repeated(local, String(i).repeat(100_000))));
    child.kill();
    await once(child, "close");
    await waitUntil("all connections to end", () => node.script.open.size === 0);
  });
}

async function repeated(port: number, text: string): Promise<void> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.end(text);
  await once(socket, "end");
  assert.equal(Buffer.concat(chunks).toString(), text);
}
