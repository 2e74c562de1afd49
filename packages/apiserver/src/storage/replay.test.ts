import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectConverter } from "@coxswain/api";
import type { KubeObject } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";
import { withConversions } from "./replay.ts";

const noConversion: ObjectConverter = { convert: async (objects) => objects };

/** As much of a resource as conversions look at. */
function resourceAt(version: string, conversion: ObjectConverter | undefined): ServedResource {
  const definition = { group: "example.com", version, kind: "Room", custom: { conversion } };
  return { apiVersion: `example.com/${version}`, definition } as ServedResource;
}

const room = (size: string): KubeObject => ({ apiVersion: "example.com/v1", kind: "Room", spec: { size } });

function counting() {
  const asked: string[][] = [];
  const conversion: ObjectConverter = {
    async convert(objects, apiVersion) {
      asked.push(objects.map(({ spec }) => JSON.stringify(spec)));
      return objects.map((object) => ({ ...object, apiVersion, converted: true }));
    },
  };
  return { asked, v1: resourceAt("v1", conversion), v2: resourceAt("v2", conversion) };
}

test("without a webhook a function is called once, and names are all that changes", async () => {
  const v1 = resourceAt("v1", undefined);
  const v2 = resourceAt("v2", undefined);
  let calls = 0;
  const made = await withConversions(v1, (convert) => {
    calls++;
    return convert(room("1x1"), v1, v2);
  });
  assert.deepEqual([calls, made], [1, { ...room("1x1"), apiVersion: "example.com/v2" }]);
});

test("what a function asks at once is asked at once, and nothing twice", async () => {
  const { asked, v1, v2 } = counting();
  let calls = 0;
  const made = await withConversions(v1, (convert) => {
    calls++;
    const first = [room("1x1"), room("2x2")].map((object) => convert(object, v1, v2));
    return [...first, convert(room("1x1"), v1, v2)].map(({ converted }) => converted);
  });
  assert.deepEqual(made, [true, true, true]);
  assert.equal(calls, 2);
  assert.deepEqual(asked, [['{"size":"1x1"}', '{"size":"2x2"}']]);
});

test("questions that follow from answers are asked too", async () => {
  const { asked, v1, v2 } = counting();
  const made = await withConversions(v1, (convert) => {
    const there = convert(room("1x1"), v1, v2);
    return convert({ ...there, back: there.converted ?? false }, v2, v1);
  });
  assert.equal(made.back, true);
  assert.ok(asked.length >= 2);
});

test("what fails for want of an answer is tried again with it; what fails with it fails", async () => {
  const { v1, v2 } = counting();
  const strict = withConversions(v1, (convert) => {
    if (convert(room("1x1"), v1, v2).converted !== true) throw new Error("not yet");
    return "fine";
  });
  assert.equal(await strict, "fine");
  const hopeless = withConversions(v1, (convert) => {
    convert(room("1x1"), v1, v2);
    throw new Error("never");
  });
  await assert.rejects(hopeless, /never/);
});

test("a webhook that fails fails the write", async () => {
  const failing: ObjectConverter = { ...noConversion, convert: () => Promise.reject(new Error("down")) };
  const v1 = resourceAt("v1", failing);
  await assert.rejects(async () => withConversions(v1, (convert) => convert(room("1x1"), v1, resourceAt("v2", failing))), /down/);
});
