import assert from "node:assert/strict";
import test from "node:test";
import { processFacts } from "./process-identity.ts";
import { openedRuntime, readAll } from "./process-runtime-under-test.ts";

const { signal } = new AbortController();
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test("Exec runs a command beside the container, returns its output and exit code, and ends it at the timeout", async (t) => {
  const { shell, runtime } = await openedRuntime(t);
  const id = await shell("sleep 1000", { env: [{ name: "COLOUR", value: "red" }] });
  const { exitCode, stdout, stderr } = await runtime.execSync(id, ["sh", "-c", "echo $COLOUR; echo no >&2; exit 4"], 10, signal);
  assert.deepEqual({ exitCode, stdout: text(stdout), stderr: text(stderr) }, { exitCode: 4, stdout: "red\n", stderr: "no\n" });
  await assert.rejects(runtime.execSync(id, ["sleep", "1000"], 0.1, signal), { kind: "timeout" });
  await assert.rejects(runtime.execSync(id, ["no-such-program"], 0, signal), /executable file not found in \$PATH/);
  const request = { command: ["cat"], stdin: true, stdout: true, stderr: true, tty: false };
  using terminal = await runtime.exec(id, request, signal);
  await terminal.writeStdin(Buffer.from("hello"));
  terminal.endStdin();
  assert.equal(await readAll(terminal.stdout), "hello");
  assert.equal(await terminal.exited, 0);
});

test("A background process that a command started runs on with the container, and ends with it", async (t) => {
  const { shell, runtime } = await openedRuntime(t);
  const id = await shell("sleep 1000");
  const { stdout } = await runtime.execSync(id, ["sh", "-c", "sleep 1001 >/dev/null 2>&1 & echo $!"], 0, signal);
  const left = Number(text(stdout));
  assert.notEqual(await processFacts(left), undefined);
  const hanging = runtime.execSync(id, ["sleep", "1002"], 0, signal);
  await runtime.stopContainer(id, 0, signal);
  assert.equal((await hanging).exitCode, 137);
  assert.equal(await processFacts(left), undefined);
});

test("A terminal echoes its input and has the size that it was resized to", async (t) => {
  const { shell, runtime } = await openedRuntime(t);
  const id = await shell("sleep 1000");
  const request = { command: ["sh", "-c", "read line; stty size; exit 5"], stdin: true, stdout: true, stderr: false, tty: true };
  using terminal = await runtime.exec(id, request, signal);
  terminal.resize({ width: 100, height: 40 });
  await terminal.writeStdin(Buffer.from("go\r"));
  assert.equal(await readAll(terminal.stdout), "go\r\n40 100\r\n");
  assert.equal(await terminal.exited, 5);
});

test("A client that attaches reads the output and writes the input, and with stdinOnce its end of input ends the container's", async (t) => {
  const { start, runtime, ended } = await openedRuntime(t);
  for (const [attempt, tty] of [false, true].entries()) {
    const id = await start({ command: ["cat"], stdin: true, stdinOnce: true, tty, attempt });
    using terminal = await runtime.attach(id, { stdin: true, stdout: true, stderr: !tty, tty }, signal);
    await terminal.writeStdin(Buffer.from("hello\n"));
    terminal.endStdin();
    assert.equal(await readAll(terminal.stdout), tty ? "hello\r\nhello\r\n" : "hello\n");
    assert.equal(await terminal.exited, 0);
    assert.equal((await ended(id)).exitCode, 0);
  }
});
