/** The end of the server: watches end as if their time were up, and no client blocks it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { configMap, configMaps, startTarget, within } from "./target.ts";

test("watches end in order and the process exits with clients connected", async () => {
  await using target = await startTarget();
  await target.fresh("POST", configMaps, { body: configMap("cm") });
  const watchPath = `${configMaps}?watch=1`;

  const session = await target.http2();
  const stream = session.request({ ":path": watchPath, authorization: target.authorization });
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (chunk: string) => {
    text += chunk;
  });
  await within("the first event", new Promise((resolve) => stream.once("data", resolve)));
  const ended = new Promise<string>((resolve) => {
    stream.once("end", () => resolve("end"));
    stream.once("error", () => resolve("reset"));
  });

  const socket = await target.raw("http/1.1");
  let raw = "";
  socket.on("data", (chunk: Buffer) => {
    raw += chunk.toString();
  });
  socket.write(`GET ${watchPath} HTTP/1.1\r\nhost: x\r\nauthorization: ${target.authorization}\r\n\r\n`);
  await within("the first event", new Promise((resolve) => socket.once("data", resolve)));
  const socketClosed = new Promise((resolve) => void socket.once("close", resolve));

  const idle = [await target.raw("http/1.1"), await target.raw("h2"), await target.raw("http/1.1")];
  idle[2]?.write("POST / HTTP/1.1\r\ncontent-le");

  assert.equal(await within("the process to end", target.command.stop()), 0);
  assert.equal(await within("the watch on HTTP/2 to end", ended), "end");
  assert.equal(stream.rstCode, 0);
  assert.ok(text.endsWith("}\n"));
  await within("the watch on HTTP/1.1 to end", socketClosed);
  assert.ok(raw.endsWith("\r\n0\r\n\r\n"), JSON.stringify(raw.slice(-40)));
  session.destroy();
  for (const one of idle) one.destroy();
});
