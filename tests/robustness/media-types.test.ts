/** Headers that say in which form something is or is wanted, and say it wrong. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Answer, configMap, configMaps, startTarget, type Target, within } from "./target.ts";

let target: Target;
before(async () => {
  target = await startTarget();
  assert.equal((await target.fresh("POST", configMaps, { body: configMap("cm") })).status, 201);
});
after(() => target[Symbol.asyncDispose]());

const one = `${configMaps}/cm`;
const ask = (accept: string, path = one): Promise<Answer> => target.fresh("GET", path, { headers: { accept } });

const accepts: readonly { readonly accept: string; readonly expect: number | string }[] = [
  { accept: "", expect: "application/json" },
  { accept: "*/*", expect: "application/json" },
  { accept: "text/html, application/yaml;q=0.1", expect: "application/yaml" },
  { accept: "application/json;q=0.00000000001", expect: "application/json" },
  { accept: "*/*;q=1e999", expect: "application/json" },
  { accept: "*/*;q=-1", expect: "application/json" },
  { accept: "*/*;q=NaN", expect: "application/json" },
  { accept: "*/*;q=", expect: "application/json" },
  { accept: "application/json;q=abc;q=;;;=", expect: "application/json" },
  { accept: 'application/json;charset="', expect: "application/json" },
  { accept: "application/json,".repeat(2_000), expect: "application/json" },
  { accept: `application/json;${"a=b;".repeat(5_000)}`, expect: "application/json" },
  { accept: "application/json;q=0", expect: "application/json" },
  { accept: "APPLICATION/JSON", expect: 406 },
  { accept: "text/html", expect: 406 },
  { accept: "application/cbor", expect: 406 },
  { accept: ",,,,", expect: 406 },
  { accept: ";;;;", expect: 406 },
  { accept: "/", expect: 406 },
  { accept: "*", expect: 406 },
  { accept: "a".repeat(10_000), expect: 406 },
  { accept: "application/json;as=Table;g=meta.k8s.io;v=v9", expect: 406 },
  { accept: "application/json;as=Nothing;g=meta.k8s.io;v=v1", expect: 406 },
];
for (const { accept, expect } of accepts)
  test(`Accept: ${JSON.stringify(accept.slice(0, 60))} → ${expect}`, async () => {
    const { status, headers, body } = await ask(accept);
    if (typeof expect === "string") {
      assert.equal(status, 200);
      assert.equal(headers["content-type"], expect);
    } else {
      assert.equal(status, expect);
      assert.equal(body.reason, "NotAcceptable");
      for (const path of [configMaps, "/api", ...(accept.includes("as=") ? [] : ["/openapi/v2"])])
        assert.equal((await ask(accept, path)).status, expect, path);
    }
  });

const contents: readonly { readonly type: string; readonly post: number; readonly patch: number }[] = [
  { type: "application/json", post: 201, patch: 415 },
  { type: "application/json; charset=latin1", post: 201, patch: 415 },
  { type: "APPLICATION/JSON;", post: 201, patch: 415 },
  { type: "application/json;;;", post: 415, patch: 415 },
  { type: "application/merge-patch+json", post: 415, patch: 200 },
  { type: "application/merge-patch+json; a=b", post: 415, patch: 200 },
  // The type of a patch is compared as it is written, up to the semicolon.
  { type: "Application/Merge-Patch+JSON", post: 415, patch: 415 },
  { type: "application/merge-patch+json ; a=b", post: 415, patch: 415 },
  { type: "text/plain", post: 415, patch: 415 },
  { type: "application/cbor", post: 415, patch: 415 },
  { type: "multipart/form-data; boundary=x", post: 415, patch: 415 },
  { type: "application/json, text/plain", post: 415, patch: 415 },
  { type: "a".repeat(10_000), post: 415, patch: 415 },
];
for (const { type, post, patch } of contents)
  test(`Content-Type: ${type.slice(0, 60)}`, async () => {
    const body = configMap("cm");
    assert.equal((await target.fresh("POST", `${configMaps}?dryRun=All`, { body: configMap("new"), type })).status, post);
    assert.equal((await target.fresh("PATCH", `${one}?dryRun=All`, { body, type })).status, patch);
    if (post === 415) assert.equal((await target.fresh("DELETE", `${one}?dryRun=All`, { body: "{}", type })).status, 415);
  });

test("a Content-Encoding is not understood: the body is read as it came", async () => {
  for (const encoding of ["gzip", "br", "identity", "nonsense", "gzip, gzip, gzip"]) {
    const { status } = await target.fresh("POST", `${configMaps}?dryRun=All`, {
      body: configMap("new"),
      headers: { "content-encoding": encoding },
    });
    assert.equal(status, 201, encoding);
  }
});

test("unusual Accept-Encoding headers get an answer", async () => {
  for (const encoding of ["gzip;q=0", "gzip;q=NaN", "*", ",,,", "identity;q=0", "gzip,".repeat(3_000)])
    assert.equal(
      (await target.fresh("GET", "/openapi/v3/api/v1", { headers: { "accept-encoding": encoding } })).status,
      200,
      encoding.slice(0, 20),
    );
});

const rawHeaders: readonly { readonly name: string; readonly lines: string; readonly expect: RegExp }[] = [
  { name: "bytes over 127 in a header", lines: "user-agent: \u00ff\u00fe\u0080", expect: /^HTTP\/1\.1 200 / },
  { name: "NUL in a header", lines: "user-agent: a\u0000b", expect: /^HTTP\/1\.1 400 / },
  { name: "a header without a colon", lines: "nonsense", expect: /^HTTP\/1\.1 400 / },
  { name: "a header without a name", lines: ": x", expect: /^HTTP\/1\.1 400 / },
  { name: "a line that goes on", lines: "user-agent: a\r\n b", expect: /^HTTP\/1\.1 (200|400) / },
  {
    name: "a thousand headers",
    lines: Array.from({ length: 1_000 }, (_, i) => `x-${i}: y`).join("\r\n"),
    expect: /^HTTP\/1\.1 (200|431) /,
  },
  { name: "a header of 200 KB", lines: `x: ${"y".repeat(200_000)}`, expect: /^HTTP\/1\.1 431 |^closed$/ },
  { name: "both a length and chunks", lines: "content-length: 5\r\ntransfer-encoding: chunked", expect: /^HTTP\/1\.1 400 / },
  { name: "two lengths", lines: "content-length: 0\r\ncontent-length: 1", expect: /^HTTP\/1\.1 400 / },
  { name: "an encoding of the transfer that is none", lines: "transfer-encoding: nonsense", expect: /^HTTP\/1\.1 (200|400|501) / },
  { name: "an upgrade to nothing known", lines: "connection: upgrade\r\nupgrade: nonsense", expect: /^HTTP\/1\.1 (200|400) / },
  { name: "an expectation that cannot be met", lines: "expect: nonsense", expect: /^HTTP\/1\.1 (200|417) / },
];
for (const { name, lines, expect } of rawHeaders)
  test(`HTTP/1.1: ${name}`, async () => {
    const socket = await target.raw("http/1.1");
    const answered = new Promise<string>((resolve) => {
      socket.once("data", (data: Buffer) => resolve(data.toString("latin1")));
      socket.once("close", () => resolve("closed"));
    });
    socket.write(Buffer.from(`GET ${one} HTTP/1.1\r\nhost: x\r\nauthorization: ${target.authorization}\r\n${lines}\r\n\r\n`, "latin1"));
    assert.match(await within(name, answered), expect);
    socket.destroy();
    assert.equal((await ask("*/*")).status, 200);
  });
