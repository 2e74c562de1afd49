import assert from "node:assert/strict";
import { test } from "node:test";
import { environmentProxy } from "./environment-proxy.ts";

const proxy = "http://proxy:3128";
const cases: readonly { server: string; env: Readonly<Record<string, string>>; expect: string | undefined }[] = [
  { server: "https://a.example", env: {}, expect: undefined },
  { server: "https://a.example", env: { HTTPS_PROXY: proxy }, expect: proxy },
  { server: "https://a.example", env: { https_proxy: "proxy:3128" }, expect: proxy },
  { server: "https://a.example", env: { HTTP_PROXY: proxy }, expect: undefined },
  { server: "http://a.example", env: { HTTP_PROXY: proxy }, expect: proxy },
  { server: "https://localhost:6443", env: { HTTPS_PROXY: proxy }, expect: undefined },
  { server: "https://127.0.0.1:6443", env: { HTTPS_PROXY: proxy }, expect: undefined },
  { server: "https://[::1]:6443", env: { HTTPS_PROXY: proxy }, expect: undefined },
  { server: "https://a.example", env: { HTTPS_PROXY: proxy, NO_PROXY: "*" }, expect: undefined },
  { server: "https://a.example", env: { HTTPS_PROXY: proxy, NO_PROXY: "b.example, A.example" }, expect: undefined },
  { server: "https://x.a.example", env: { HTTPS_PROXY: proxy, no_proxy: "a.example" }, expect: undefined },
  { server: "https://a.example", env: { HTTPS_PROXY: proxy, NO_PROXY: ".a.example" }, expect: proxy },
  { server: "https://x.a.example", env: { HTTPS_PROXY: proxy, NO_PROXY: "*.a.example" }, expect: undefined },
  { server: "https://ba.example", env: { HTTPS_PROXY: proxy, NO_PROXY: "a.example" }, expect: proxy },
  { server: "https://a.example:6443", env: { HTTPS_PROXY: proxy, NO_PROXY: "a.example:6443" }, expect: undefined },
  { server: "https://a.example", env: { HTTPS_PROXY: proxy, NO_PROXY: "a.example:6443" }, expect: proxy },
  { server: "https://10.1.2.3", env: { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/8" }, expect: undefined },
  { server: "https://11.1.2.3", env: { HTTPS_PROXY: proxy, NO_PROXY: "10.0.0.0/8" }, expect: proxy },
  { server: "https://10.1.2.3", env: { HTTPS_PROXY: proxy, NO_PROXY: "10.1.2.3" }, expect: undefined },
  { server: "https://[fd00::1]:6443", env: { HTTPS_PROXY: proxy, NO_PROXY: "[fd00::1]:6443" }, expect: undefined },
  { server: "https://[fd00::1]:6443", env: { HTTPS_PROXY: proxy, NO_PROXY: "fd00::1" }, expect: undefined },
];
for (const { server, env, expect } of cases) {
  test(`${server} with ${JSON.stringify(env)}`, () => assert.equal(environmentProxy(new URL(server), env), expect));
}
