import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProto } from "./proto-file.ts";

test("a file's messages, enums and services are read, with names as JSON has them", () => {
  const { messages, services } = parseProto(`
    syntax = "proto3"; // and a comment; message No {}
    package a.b;
    service S { rpc One(Ask) returns (Told); rpc Many(Ask) returns (stream Told); }
    message Ask { string first_name = 1; repeated int64 group_ids = 2; map<string, bytes> by_key2 = 15; Kind kind = 16; }
    message Told { enum Kind { X = 0; Y = 4; } Kind kind = 1; Ask asked = 2; }
    enum Kind { A = 0; }
  `);
  const fieldsOf = (name: string) =>
    messages.get(name)?.fields.map(({ name, number, label, type }) => {
      const of = type.kind === "scalar" ? type.scalar : type.kind === "enum" ? [...type.type.numbers] : type.type.name;
      return [name, number, label, of];
    });
  assert.deepEqual(fieldsOf("Ask"), [
    ["firstName", 1, "single", "string"],
    ["groupIds", 2, "repeated", "int64"],
    ["byKey2", 15, "map", "bytes"],
    ["kind", 16, "single", [["A", 0]]],
  ]);
  assert.deepEqual(fieldsOf("Told"), [
    [
      "kind",
      1,
      "single",
      [
        ["X", 0],
        ["Y", 4],
      ],
    ],
    ["asked", 2, "single", "Ask"],
  ]);
  assert.deepEqual(
    services.get("a.b.S")?.map(({ name, request, response, streams }) => [name, request.name, response.name, streams]),
    [
      ["One", "Ask", "Told", false],
      ["Many", "Ask", "Told", true],
    ],
  );
});

const refused = [
  { text: "message A { double x = 1; }", says: "no message double" },
  { text: "message A { optional string x = 1; }", says: "unexpected x for =" },
  { text: "message A { oneof x { string y = 1; } }", says: "unexpected { for =" },
  { text: "message A { map<int32, string> x = 1; }", says: "unexpected int32 for string" },
  { text: "message A { string x = one; }", says: "unexpected one for a number" },
  { text: "message A { string x = 1;", says: "unexpected end" },
  { text: 'import "b.proto";', says: "unexpected import" },
];
for (const { text, says } of refused)
  test(`refuses ${text}`, () => assert.throws(() => parseProto(text), { message: `cannot read a protobuf definition: ${says}` }));
