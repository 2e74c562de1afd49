/** Bodies in protobuf: what client-go writes of each kind is read as its JSON says, and written again byte for byte. */
import assert from "node:assert/strict";
import { builtinResources, builtinTypes, wireFacts } from "@coxswain/api";
import { createProtobufCodec, DecodeReport, decodeInto, type KubeObject, parseJson, type StructType } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { run } from "./client-program.ts";
import { testWithGoProgram } from "./go-program.ts";

/** Random objects of each kind; the same in every run. */
const seeds = 20;

interface Line {
  readonly Name: string;
  /** What client-go sends of the object, in base64. */
  readonly Protobuf: string;
  /** What that says. */
  readonly JSON: KubeObject;
  /** What client-go sends of that, in base64. */
  readonly FromJSON: string;
}

testWithGoProgram("protobuf: random objects of every kind are read and written as client-go does", "protobuf", async (_t, program) => {
  const kinds = servedKinds();
  const { code, stdout, stderr } = await run(program, ["-seeds", String(seeds), ...kinds], { timeoutMs: hangMs });
  assert.equal(code, 0, stderr);
  const lines = stdout.split("\n").filter((line) => line !== "");
  assert.equal(lines.length, kinds.length * seeds);
  const codec = createProtobufCodec(builtinTypes, wireFacts);
  for (const line of lines) {
    // Read once for the encoder, for decoding changes in place.
    const [written, expected] = [parseJson(line), parseJson(line)] as [Line, Line];
    const { Name, Protobuf, JSON: object, FromJSON } = expected;
    const type = codec.typeOf(object.apiVersion ?? "", object.kind ?? "");
    assert.ok(type !== undefined, Name);
    decodeStrictly(type, object, Name);
    assert.deepEqual(codec.decode(Buffer.from(Protobuf, "base64")), object, Name);
    assert.equal(Buffer.from(codec.encode(type, written.JSON)).toString("base64"), FromJSON, Name);
  }
});

/** All that a body or an answer can be: the resources' kinds, their lists, and those of subresources; options are no bodies. */
function servedKinds(): readonly string[] {
  const kinds = builtinResources().flatMap(({ group, version, kind, verbs, subresources }) => [
    ...["", ...(verbs.has("list") ? ["List"] : [])].map((suffix) => `${group}/${version}/${kind}${suffix}`),
    ...[...subresources.values()].filter((sub) => !sub.kind.endsWith("Options")).map((sub) => `${sub.group}/${sub.version}/${sub.kind}`),
  ]);
  return [...new Set(kinds)];
}

/** As a body; every field must be known. */
function decodeStrictly(type: StructType, object: KubeObject, name: string): void {
  const report = new DecodeReport();
  decodeInto(type, object, report);
  assert.deepEqual(report, new DecodeReport(), name);
}
