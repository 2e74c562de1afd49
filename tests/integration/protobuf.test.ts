/** Protobuf and every built-in type: against what Kubernetes' Go library wrote, and there and back for each type. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { builtinTypes, wireFacts } from "@coxswain/api";
import { createProtobufCodec, DecodeReport, decodeInto, parseJson, type Scalar, type StructType, type Type } from "@coxswain/machinery";
import fc from "fast-check";

const codec = createProtobufCodec(builtinTypes, wireFacts);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** JSON as k8s.io/client-go 0.36.3 read it, the bytes that it wrote, and the JSON that it made of those again. */
const recorded: readonly { readonly sent: string; readonly bytes: string; readonly answered: string }[] = [
  {
    sent: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"n","creationTimestamp":"2024-01-02T03:04:05Z","labels":{"b":"2","a":"1"},"finalizers":["f"],"managedFields":[{"manager":"m","fieldsV1":{"f:data":{}}}]},"data":{"k":"é"},"binaryData":{"b":"AAE="},"immutable":false}',
    bytes:
      "6b3873000a0f0a0276311209436f6e6669674d617012620a4c0a016112001a016e22002a0032003800420808a5facdac0610005a060a01611201315a060a01621201327201668a011c0a016d12001a0032003a0f0a0d7b22663a64617461223a7b7d7d420012070a016b1202c3a91a070a01621202000120001a002200",
    answered:
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"n","creationTimestamp":"2024-01-02T03:04:05Z","labels":{"a":"1","b":"2"},"finalizers":["f"],"managedFields":[{"manager":"m","fieldsV1":{"f:data":{}}}]},"immutable":false,"data":{"k":"é"},"binaryData":{"b":"AAE="}}',
  },
  {
    sent: '{"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"},"spec":{"holderIdentity":"","leaseDurationSeconds":0,"renewTime":"2024-01-02T03:04:05.678901Z","leaseTransitions":-1}}',
    bytes:
      "6b3873000a1f0a16636f6f7264696e6174696f6e2e6b38732e696f2f763112054c6561736512320a110a016c12001a0022002a00320038004200121d0a001000220c08a5facdac061088eadcc30228ffffffffffffffffff011a002200",
    answered:
      '{"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":{"name":"l"},"spec":{"holderIdentity":"","leaseDurationSeconds":0,"renewTime":"2024-01-02T03:04:05.678901Z","leaseTransitions":-1}}',
  },
  {
    sent: '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"100m","memory":"1Gi"}},"livenessProbe":{"httpGet":{"port":"http","path":"/"},"periodSeconds":5},"env":[{"name":"E","valueFrom":{"configMapKeyRef":{"name":"cm","key":"k"}}}]}],"volumes":[{"name":"v","emptyDir":{}}],"terminationGracePeriodSeconds":0}}',
    bytes:
      "6b3873000a090a0276311203506f6412c7010a110a017012001a0022002a00320038004200129c010a090a0176120412020a0012710a01631201692a003a120a014512001a0b1a090a040a02636d12016b42200a0d0a0363707512060a043130306d0a0f0a066d656d6f727912050a0331476952210a1512130a012f120a080110001a04687474701a002200100018002005280030006a007200800100880100900100a201001a002000320042004a0052005800600068008201008a01009a0100c201001a130a001a0022002a0032004a005a0072008801001a002200",
    answered:
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"volumes":[{"name":"v","emptyDir":{}}],"containers":[{"name":"c","image":"i","env":[{"name":"E","valueFrom":{"configMapKeyRef":{"name":"cm","key":"k"}}}],"resources":{"limits":{"cpu":"100m","memory":"1Gi"}},"livenessProbe":{"httpGet":{"path":"/","port":"http"},"periodSeconds":5}}],"terminationGracePeriodSeconds":0},"status":{}}',
  },
  {
    sent: '{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"t"},"status":{"user":{"username":"u","extra":{"a":["x","y"]}}}}',
    bytes:
      "6b3873000a270a1861757468656e7469636174696f6e2e6b38732e696f2f7631120b546f6b656e52657669657712310a100a0012001a0022002a0032003800420012030a01741a18080012120a01751200220b0a016112060a01780a01791a001a002200",
    answered:
      '{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{},"spec":{"token":"t"},"status":{"user":{"username":"u","extra":{"a":["x","y"]}}}}',
  },
  {
    sent: '{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"x"},"spec":{"group":"g","scope":"Namespaced","names":{"plural":"xs","kind":"X"},"versions":[{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["p",1]}},"b":{"additionalProperties":true},"c":{"additionalProperties":{"type":"integer"},"minimum":0.5}},"default":{"z":null}}}}]}}',
    bytes:
      "6b3873000a330a17617069657874656e73696f6e732e6b38732e696f2f76311218437573746f6d5265736f75726365446566696e6974696f6e12f3020a110a017812001a0022002a0032003800420012cf020a01671a0b0a02787312002201582a00220a4e616d657370616365643aae020a02763110011801229d020a9a020a00120022002a066f626a65637432003a00420c0a0a7b227a223a6e756c6c7d500060007a00900100ea015f0a0161125a0a00120022002a05617272617932003a00500060007a00900100c201340a320a00120022002a06737472696e6732003a00500060007a00900100a201050a03227022a201030a0131a80200b80200c00200a80200b80200c00200ea01280a016212230a00120022002a0032003a00500060007a00900100f201020801a80200b80200c00200ea01580a016312530a00120022002a0032003a00500059000000000000e03f60007a00900100f20129080112250a00120022002a07696e746567657232003a00500060007a00900100a80200b80200c00200a80200b80200c00200a80200b80200c002002a020a00380050001a0c12080a00120022002a0020001a002200",
    answered:
      '{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","metadata":{"name":"x"},"spec":{"group":"g","names":{"plural":"xs","kind":"X"},"scope":"Namespaced","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","default":{"z":null},"properties":{"a":{"type":"array","items":{"type":"string","enum":["p",1]}},"b":{"additionalProperties":true},"c":{"minimum":0.5,"additionalProperties":{"type":"integer"}}}}},"subresources":{"status":{}}}]},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}',
  },
];
for (const { sent, bytes, answered } of recorded) {
  const object = JSON.parse(sent) as { apiVersion: string; kind: string };
  const type = codec.typeOf(object.apiVersion, object.kind);
  test(`a ${object.kind} is what Go makes of it`, () => {
    assert.ok(type !== undefined);
    decodeInto(type, object, new DecodeReport());
    assert.equal(hex(codec.encode(type, object)), bytes);
    assert.deepEqual(codec.decode(Buffer.from(bytes, "hex")), JSON.parse(answered));
    assert.deepEqual(object, JSON.parse(answered));
  });
}

test("metadata alone has its kinds", () => {
  const list = {
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    metadata: { resourceVersion: "1" },
    items: [{ metadata: { name: "a" } }],
  };
  const type = codec.typeOf(list.apiVersion, list.kind);
  assert.ok(type !== undefined);
  assert.deepEqual(codec.decode(codec.encode(type, list)), list);
});

const scalars: Readonly<Record<Scalar, fc.Arbitrary<unknown>>> = {
  string: fc.oneof(fc.string(), fc.string({ unit: "binary" })),
  boolean: fc.boolean(),
  int32: fc.integer(),
  int64: fc.oneof(
    fc.maxSafeInteger(),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((n) => (Number.isSafeInteger(Number(n)) ? Number(n) : n)),
  ),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  bytes: fc.uint8Array({ minLength: 1 }).map((b) => Buffer.from(b).toString("base64")),
  time: fc.date({ noInvalidDate: true, min: new Date("0001-01-02"), max: new Date("9999-12-31") }).map((d) => d.toISOString()),
  microTime: fc
    .date({ noInvalidDate: true, min: new Date("0001-01-02"), max: new Date("9999-12-31") })
    .map((d) => d.toISOString().replace("Z", "123Z")),
  quantity: fc.constantFrom("0", "1", "100m", "1500Mi", "1.5", "1e3", "12345678901234567890"),
  intOrString: fc.oneof(fc.integer(), fc.string()),
  object: fc.dictionary(fc.string(), fc.boolean(), { minKeys: 1, noNullPrototype: true }),
  any: fc.dictionary(
    fc.string(),
    fc.json().map((text) => parseJson(text)),
    { minKeys: 1, noNullPrototype: true },
  ),
};

/** Any value of the type; below `depth` structs are empty. */
function arbitrary(type: Type, depth: number, minLength = 0): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case "scalar":
      return type.holds === undefined ? scalars[type.scalar] : arbitrary(type.holds, depth - 1);
    case "list":
      return fc.array(arbitrary(type.item, depth), { minLength, maxLength: 2 });
    case "map":
      return fc.dictionary(fc.string(), arbitrary(type.value, depth), { maxKeys: 2, noNullPrototype: true });
    case "struct":
      return depth <= 0 ? fc.constant({}) : objectOf(type, depth);
  }
}

function objectOf(type: StructType, depth: number): fc.Arbitrary<Record<string, unknown>> {
  const fields = [...type.fields.values()].filter((f) => f.proto.length > 0);
  // Protobuf has no empty lists.
  const values = fields.map((f) => [f.name, arbitrary(f.type, depth - 1, f.keepsEmpty === true ? 1 : 0)]);
  return fc.record(Object.fromEntries(values), {
    requiredKeys: [],
    noNullPrototype: true,
  });
}

test("every type survives protobuf", () => {
  for (const name of builtinTypes.names()) {
    const type = builtinTypes.get(name);
    if (type === undefined) continue;
    const survives = fc.property(objectOf(type, 3), (object) => {
      decodeInto(type, object, new DecodeReport());
      assert.deepEqual(codec.decodeMessage(type, codec.encodeMessage(type, object)), object, name);
    });
    fc.assert(survives, { numRuns: 3 });
  }
});

test("arbitrary bytes are read or refused, never worse", () => {
  const pod = builtinTypes.byKind("", "v1", "Pod");
  assert.ok(pod !== undefined);
  const valid = codec.encodeMessage(pod, {
    metadata: { name: "a", labels: { b: "c" } },
    spec: { containers: [{ name: "c", ports: [{ containerPort: 80 }] }] },
  });
  fc.assert(
    fc.property(fc.nat(), fc.uint8Array({ maxLength: 12 }), fc.nat(3), (at, noise, drop) => {
      const cut = at % valid.length;
      const bytes = Buffer.concat([valid.subarray(0, cut), noise, valid.subarray(cut + drop)]);
      try {
        codec.decodeMessage(pod, bytes);
      } catch (error) {
        assert.equal((error as Error).name, "DecodeError");
      }
    }),
    { numRuns: 2000 },
  );
});
