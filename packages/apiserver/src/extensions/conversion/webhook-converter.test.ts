/** What is expected was recorded from Kubernetes 1.36.3's own converter. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type KubeObject, ManualClock } from "@coxswain/machinery";
import { ConversionSeries } from "../../metrics/conversions.ts";
import type { WebhookCall } from "../../webhooks/webhook-caller.ts";
import { WebhookError } from "../../webhooks/webhook-error.ts";
import { webhookConverter } from "./webhook-converter.ts";

const uid = "00000000-0000-4000-8000-000000000001";
const head = "conversion webhook for example.com/v1, Kind=Room";

const room = (index: number, apiVersion = "example.com/v1"): KubeObject => ({
  apiVersion,
  kind: "Room",
  metadata: { name: `a${index}`, namespace: "ns", uid: "u1", resourceVersion: "7", labels: { a: "b" } },
  spec: { x: 1 },
});

type Answer = (body: string) => string;

function setup(answer: Answer, versions: readonly string[] = ["v1", "v1beta1"]) {
  const calls: WebhookCall[] = [];
  const metrics = new ConversionSeries();
  const clientConfig = { url: "https://example.com/convert" };
  const converter = webhookConverter(
    { name: "rooms.example.com", clientConfig, conversionReviewVersions: versions },
    {
      clock: new ManualClock(),
      random: { next: () => 0, uuid: () => uid },
      metrics: { conversions: metrics },
      webhooks: {
        async call(call) {
          calls.push(call);
          return Buffer.from(answer(String(call.body)));
        },
      },
    },
  );
  return { calls, metrics, convert: (...objects: readonly KubeObject[]) => converter.convert(objects, "example.com/v2") };
}

const review = (response: string, version = "v1"): string =>
  `{"apiVersion":"apiextensions.k8s.io/${version}","kind":"ConversionReview","response":${response}}`;
const success = (objects: string): string => review(`{"uid":"${uid}","result":{"status":"Success"},"convertedObjects":[${objects}]}`);
const failed = (result: string): string => review(`{"uid":"${uid}","result":${result},"convertedObjects":[]}`);
const meta = (more: string): string =>
  success(`{"apiVersion":"example.com/v2","kind":"Room","metadata":{"name":"a0","namespace":"ns","uid":"u1",${more}}}`);
const plain = '{"apiVersion":"example.com/v2","kind":"Room","metadata":{"name":"a0","namespace":"ns","uid":"u1"}}';

test("objects are sent in one review, as they are stored", async () => {
  const second = plain.replace("a0", "a2");
  const { convert, calls } = setup(() => success(`${plain},${second}`));
  const converted = await convert(room(0), room(1, "example.com/v2"), room(2));
  assert.deepEqual(
    converted.map(({ metadata, apiVersion }) => [metadata?.name, apiVersion]),
    [
      ["a0", "example.com/v2"],
      ["a1", "example.com/v2"],
      ["a2", "example.com/v2"],
    ],
  );
  assert.equal(calls.length, 1);
  assert.equal(calls[0]?.timeoutMs, 30_000);
  const sent = (name: string): string =>
    `{"apiVersion":"example.com/v1","kind":"Room","metadata":{"name":"${name}","namespace":"ns","uid":"u1","labels":{"a":"b"}},"spec":{"x":1}}`;
  assert.equal(
    String(calls[0]?.body),
    `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"${uid}","desiredAPIVersion":"example.com/v2","objects":[${sent("a0")},${sent("a2")}]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}}\n`,
  );
});

test("no webhook is called for objects that are in the version already", async () => {
  const { convert, calls } = setup(() => "");
  const object = room(0, "example.com/v2");
  assert.deepEqual(await convert(object), [object]);
  assert.equal(calls.length, 0);
});

const accepted = [
  {
    name: "labels and annotations are the webhook's",
    more: '"labels":{"c":"d"},"annotations":{"n":"1"}',
    expect: { labels: { c: "d" }, annotations: { n: "1" } },
  },
  { name: "labels that are missing are gone", more: '"labels":null', expect: {} },
  { name: "empty labels stay", more: '"labels":{}', expect: { labels: {} } },
  { name: "other metadata is restored", more: '"generation":7,"finalizers":["x"],"resourceVersion":"9"', expect: {} },
];
for (const { name, more, expect } of accepted)
  test(name, async () => {
    const [converted] = await setup(() => meta(more)).convert(room(0));
    assert.deepEqual(converted?.metadata, { name: "a0", namespace: "ns", uid: "u1", resourceVersion: "7", ...expect });
  });

test("integers that a double does not hold survive", async () => {
  const answer = success(plain.replace('"metadata"', '"spec":{"n":9007199254740993},"metadata"'));
  const [converted] = await setup(() => answer).convert(room(0));
  assert.deepEqual(converted?.spec, { n: 9007199254740993n });
});

const structured =
  'into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
const label = "metadata.labels";
const refused: readonly { name: string; answer: string; message: string }[] = [
  {
    name: "text",
    answer: "hello",
    message: `${head} failed: couldn't get version/kind; json parse error: json: cannot unmarshal string ${structured}`,
  },
  {
    name: "a list",
    answer: "[]",
    message: `${head} failed: couldn't get version/kind; json parse error: json: cannot unmarshal array ${structured}`,
  },
  {
    name: "half a review",
    answer: '{"response":{',
    message: `${head} failed: couldn't get version/kind; json parse error: unexpected end of JSON input`,
  },
  {
    name: "{}",
    answer: "{}",
    message: `${head} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
  },
  {
    name: "null",
    answer: "null",
    message: `${head} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
  },
  {
    name: "another kind",
    answer: '{"kind":"Foo","apiVersion":"apiextensions.k8s.io/v1"}',
    message: `${head} failed: no kind "Foo" is registered for version "apiextensions.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"`,
  },
  {
    name: "an unknown version",
    answer: '{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v2"}',
    message: `${head} failed: no kind "ConversionReview" is registered for version "apiextensions.k8s.io/v2" in scheme "pkg/runtime/scheme.go:111"`,
  },
  {
    name: "another version",
    answer: review("{}", "v1beta1"),
    message: `${head} failed: converting (v1beta1.ConversionReview) to (v1.ConversionReview): unknown conversion`,
  },
  {
    name: "a Status",
    answer: '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"no"}',
    message: `${head} failed: converting (v1.Status) to (v1.ConversionReview): unknown conversion`,
  },
  { name: "no response", answer: review("null"), message: `${head} failed: no response provided` },
  {
    name: "a response that is a string",
    answer: review('"x"'),
    message: `${head} failed: json: cannot unmarshal string into Go struct field ConversionReview.response of type v1.ConversionResponse`,
  },
  { name: "another uid", answer: review('{"uid":"xx"}'), message: `${head} failed: expected response.uid="${uid}", got "xx"` },
  { name: "a failure", answer: failed('{"status":"Failure","message":"no way"}'), message: `${head} failed: no way` },
  {
    name: "a failure without a message",
    answer: failed('{"status":"Failure"}'),
    message: `${head} failed: response.result.status was 'Failure', not 'Success'`,
  },
  { name: "no result", answer: failed("null"), message: `${head} failed: response.result.status was '', not 'Success'` },
  {
    name: "a status that is a number",
    answer: failed('{"status":3}'),
    message: `${head} failed: json: cannot unmarshal number into Go struct field Status.response.result.status of type string`,
  },
  { name: "too few objects", answer: success(""), message: `${head} returned 0 objects, expected 1` },
  { name: "too many objects", answer: success(`${plain},${plain}`), message: `${head} returned 2 objects, expected 1` },
  { name: "null for an object", answer: success("null"), message: "unexpected end of JSON input" },
  {
    name: "a number for an object",
    answer: success("3"),
    message: "json: cannot unmarshal number into Go value of type map[string]interface {}",
  },
  { name: "an empty object", answer: success("{}"), message: "Object 'Kind' is missing in '{}'" },
  {
    name: "an object without apiVersion",
    answer: success('{"kind":"Room"}'),
    message: `${head} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received )`,
  },
  {
    name: "an object in its old version",
    answer: success(plain.replace("v2", "v1")),
    message: `${head} returned invalid object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
  },
  {
    name: "another kind of object",
    answer: success(plain.replace("Room", "Rooms")),
    message: `${head} returned invalid object at index 0: invalid kind (expected Room, received Rooms)`,
  },
  {
    name: "another name",
    answer: success(plain.replace("a0", "b")),
    message: `${head} returned invalid object: must have the same name: a0 != b`,
  },
  {
    name: "another namespace",
    answer: success(plain.replace('"ns"', '"n"')),
    message: `${head} returned invalid object: must have the same namespace: ns != n`,
  },
  {
    name: "another uid of the object",
    answer: success(plain.replace("u1", "")),
    message: `${head} returned invalid object: must have the same UID: u1 != `,
  },
  {
    name: "metadata that is none",
    answer: success(plain.replace(/"metadata":.*/, '"metadata":"x"}')),
    message: `${head} returned invalid object: must have the same name: a0 != `,
  },
  {
    name: "labels that are a string",
    answer: meta('"labels":"x"'),
    message: `${head} returned invalid metadata: invalid metadata.labels of type string in converted object`,
  },
  {
    name: "annotations that are a list",
    answer: meta('"annotations":[]'),
    message: `${head} returned invalid metadata: invalid metadata.annotations of type []interface {} in converted object`,
  },
  ...(
    [
      ["1", "int64"],
      ["1.5", "float64"],
      ["true", "bool"],
      ["null", "<nil>"],
      ["{}", "map[string]interface {}"],
      ["[]", "[]interface {}"],
    ] as const
  ).map(([value, type]) => ({
    name: `a label of type ${type}`,
    answer: meta(`"labels":{"a":${value}}`),
    message: `${head} returned invalid metadata: metadata.labels[a] must be a string, but is ${type} in converted object`,
  })),
  {
    name: "invalid labels",
    answer: meta('"labels":{"a b":"c d"}'),
    message: `${head} returned invalid metadata: [${label}: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'), ${label}: Invalid value: "c d": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]`,
  },
  {
    name: "invalid annotations",
    answer: meta('"annotations":{"a b":"c"}'),
    message: `${head} returned invalid metadata: metadata.annotation: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
  },
];
for (const { name, answer, message } of refused)
  test(`a webhook that answers ${name} is reported`, async () => {
    await assert.rejects(setup(() => answer).convert(room(0)), { name: "StatusError", code: 500, message });
  });

test("objects in the wrong order are reported", async () => {
  const swapped = success(`${plain.replace("a0", "a1")},${plain}`);
  await assert.rejects(setup(() => swapped).convert(room(0), room(1)), {
    message: `${head} returned invalid object: must have the same name: a0 != a1`,
  });
});

test("a webhook that only knows v1beta1 need not name the request that it answers", async () => {
  const { convert, calls } = setup(() => `{"response":{"result":{"status":"Success"},"convertedObjects":[${plain}]}}`, ["v1beta1"]);
  await convert(room(0));
  assert.match(String(calls[0]?.body), /"apiVersion":"apiextensions.k8s.io\/v1beta1"/);
});

test("a webhook without a version in common is not asked", async () => {
  const { convert, calls } = setup(() => "", ["v9"]);
  await assert.rejects(convert(room(0)), { message: "no supported conversion review versions" });
  assert.equal(calls.length, 0);
});

test("calls are counted by what became of them", async () => {
  const counted = async (answer: Answer): Promise<readonly string[]> => {
    const { convert, metrics } = setup(answer);
    await convert(room(0)).catch(() => undefined);
    return [...metrics.byFailure.keys(), ...metrics.byDefinition.keys()];
  };
  const unreachable: Answer = () => {
    throw new WebhookError("no");
  };
  assert.deepEqual(await counted(() => success(plain)), ["", "rooms.example.com v1 v2 true"]);
  assert.deepEqual(await counted(unreachable), ["conversion_webhook_call_failure", "rooms.example.com v1 v2 false"]);
  assert.equal((await counted(() => "{}"))[0], "conversion_webhook_malformed_response_failure");
  assert.equal((await counted(() => success("")))[0], "conversion_webhook_partial_response_failure");
  assert.equal((await counted(() => success("{}")))[0], "conversion_webhook_invalid_converted_object_failure");
});
