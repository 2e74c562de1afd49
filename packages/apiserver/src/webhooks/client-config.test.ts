import assert from "node:assert/strict";
import { test } from "node:test";
import { targetOf } from "./client-config.ts";

const paths = [
  { path: "/validate", asks: "/validate" },
  { path: "//validate", asks: "/validate" },
  { path: "/a//b/../c/", asks: "/a/c" },
  { path: "", asks: "/" },
];
for (const { path, asks } of paths) {
  test(`the path ${JSON.stringify(path)} of a webhook's URL asks for ${asks}`, () => {
    const target = targetOf({ url: `https://hooks.example:8443${path}?q=1` }, assert.fail);
    assert.deepEqual([target.path, target.url], [asks, `https://hooks.example:8443${asks}`]);
  });

  test(`the path ${JSON.stringify(path)} of a webhook's Service asks for ${asks}`, () => {
    const target = targetOf({ service: { namespace: "ops", name: "hooks", path } }, assert.fail);
    assert.deepEqual([target.path, target.url], [asks, `https://hooks.ops.svc:443${asks}`]);
  });
}
