/** Paths that try to be other paths: each names exactly what it says, or nothing. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Api, startApi } from "../integration/api.ts";
import { configMap, configMaps, startTarget, type Target, within } from "./target.ts";

let api: Api;
let target: Target;
let untouched: string;
before(async () => {
  target = await startTarget();
  api = await startApi();
  await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "other" } } });
  await api.send("POST", configMaps, { body: configMap("mine") });
  await api.send("POST", "/api/v1/namespaces/default/secrets", { body: { metadata: { name: "mine" }, stringData: { a: "secret" } } });
  untouched = await everything();
});
after(() => target[Symbol.asyncDispose]());

/** All keys and values of the store. */
async function everything(): Promise<string> {
  const { entries } = await api.store.list("/registry/");
  return entries.map(({ key, value, modified }) => `${key} ${modified} ${Buffer.from(value)}`).join("\n");
}

const names = [
  "%2F",
  "%2f%2F",
  "..",
  ".",
  "%2e%2e",
  "%2e%2e%2f%2e%2e%2fsecrets%2fdefault%2fmine",
  "..%2Fsecrets%2Fmine",
  "a%2Fb",
  "..%5c..",
  "%00",
  "mine%00",
  "mine%20",
  "%20mine",
  "MINE",
  "mine%0d%0aX-Injected:%201",
  "%c0%af",
  "%c0%ae%c0%ae",
  "%ff",
  "%ed%a0%80",
  "%",
  "%zz",
  "%2",
  "mine%252F",
  "%E2%80%8Bmine",
  "mine;a=b",
  "mine%3Fa",
  "mine%23a",
  "registry",
  "a".repeat(16_384),
];
const shortened = (text: string): string => (text.length > 50 ? `${text.slice(0, 50)}…` : text);

for (const name of names)
  test(`the name ${shortened(name)} gets 404`, async () => {
    const requests: readonly [method: string, path: string, body?: object][] = [
      ["GET", `${configMaps}/${name}`],
      ["DELETE", `${configMaps}/${name}`],
      ["PUT", `${configMaps}/${name}`, { metadata: { name: "mine" }, data: { a: "changed" } }],
      ["PATCH", `${configMaps}/${name}`, { data: { a: "changed" } }],
      ["GET", `/api/v1/namespaces/${name}/configmaps/mine`],
      ["DELETE", `/api/v1/namespaces/${name}/configmaps/mine`],
      ["POST", `/api/v1/namespaces/${name}/configmaps`, { metadata: { name: "new" } }],
      ["GET", `/api/v1/namespaces/${name}`],
      ["DELETE", `/api/v1/namespaces/${name}`],
      ["GET", `${configMaps}/mine/${name}`],
    ];
    for (const [method, path, body] of requests) {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const { status, text } = await api.send(method, path, body === undefined ? {} : { body, type });
      assert.ok(status >= 400 && status < 500, `${method} ${shortened(path)}: ${status} ${text.slice(0, 200)}`);
    }
    const list = await api.send("GET", `/api/v1/namespaces/${name}/configmaps`);
    assert.ok(list.status >= 400 || list.body.items.length === 0, `the list of ${shortened(name)}`);
    assert.equal(await everything(), untouched);
  });

const deletions = [
  "/api/v1/namespaces//default",
  "/api/v1/namespaces//configmaps",
  "/api/v1/namespaces//configmaps/mine",
  "/api/v1/namespaces/default//configmaps",
  "/api/v1/namespaces/default//configmaps/mine",
  "/api/v1/namespaces/default/configmaps//mine",
  "/api/v1//namespaces/default",
  "//api/v1/namespaces/other",
  "/api//v1/namespaces/other",
  "/api/v1/./namespaces/other",
  "/api/v1/nodes/../namespaces/other",
  "/api/v1/namespaces/other/../other",
  "/api/v1/namespaces/%2Fother",
  "/apis/../api/v1/namespaces/other",
  "api/v1/namespaces/x/../other",
  "http://127.0.0.1/api/v1/namespaces/other",
];
for (const path of deletions)
  test(`DELETE ${path} deletes nothing`, async () => {
    const { status } = await api.send("DELETE", path);
    assert.ok(status >= 400 && status < 500, `${status}`);
    assert.equal(await everything(), untouched);
  });

test("an encoded letter is that letter", async () => {
  assert.equal((await api.send("GET", "/api/v1/namespaces/%64efault/config%6daps/min%65")).body.metadata.name, "mine");
});

test("paths over the wire: bytes that no client library would send", async () => {
  const lines = [
    "GET /api/v1/namespaces/default/configmaps/\u00ff\u00fe HTTP/1.1",
    "GET /api/v1/namespaces/default/configmaps/a b HTTP/1.1",
    "GET /api/v1/namespaces/default/configmaps/\u0000 HTTP/1.1",
    "GET ../../etc/passwd HTTP/1.1",
    "GET * HTTP/1.1",
    "GET  HTTP/1.1",
    "GET /%00 HTTP/9.9",
    "\u0000\u0001\u0002\u0003",
    `GET /${"a/".repeat(8_192)} HTTP/1.1`,
    `GET /${"a".repeat(200_000)} HTTP/1.1`,
  ];
  for (const line of lines) {
    const socket = await target.raw("http/1.1");
    const answered = new Promise<string>((resolve) => {
      socket.once("data", (data: Buffer) => resolve(data.toString("latin1")));
      socket.once("close", () => resolve(""));
    });
    socket.write(Buffer.from(`${line}\r\nhost: x\r\nauthorization: ${target.authorization}\r\n\r\n`, "latin1"));
    const answer = await within(shortened(line), answered);
    assert.match(answer, /^$|^HTTP\/1\.1 4\d\d /, shortened(line));
    socket.destroy();
  }
  assert.equal((await target.fresh("GET", configMaps)).status, 200);
});

test("paths over HTTP/2 of 16 KB and of more than the headers may have", async () => {
  assert.equal((await target.fresh("GET", `${configMaps}/${"a".repeat(16_384)}`)).status, 404);
  const tooLong = await target.fresh("GET", `${configMaps}/${"a".repeat(60_000)}`).then(
    ({ status }) => status,
    () => "refused",
  );
  assert.ok(tooLong === "refused" || tooLong === 404 || tooLong === 431, String(tooLong));
  assert.equal((await target.fresh("GET", configMaps)).status, 200);
});
