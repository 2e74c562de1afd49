/** A schema, or something else: what JSON distinguishes by shape, protobuf does by field number. */
import type { ProtobufReader } from "./reader.ts";
import type { WireValue } from "./value.ts";
import type { ProtobufWriter } from "./writer.ts";

/** @param protoType JSONSchemaPropsOrArray, -OrBool or -OrStringArray */
export function schemaUnion(protoType: string, schema: WireValue): WireValue {
  if (protoType.endsWith("OrBool")) return schemaOrBool(schema);
  return schemaOrList(schema, protoType.endsWith("OrStringArray") ? stringItem : schema);
}

const stringItem: WireValue = {
  kind: 2,
  read: (reader) => reader.string(),
  write: (writer, value) => writer.string(typeof value === "string" ? value : ""),
};

/** {1: schema, 2: items}. */
const schemaOrList = (schema: WireValue, item: WireValue): WireValue =>
  fields(
    (reader, tag, before) => {
      if (tag === 0o12) return schema.read(reader, before);
      if (tag !== 0o22) return skip(reader, tag, before);
      return [...(Array.isArray(before) ? before : []), item.read(reader, undefined)];
    },
    (writer, value) => {
      if (Array.isArray(value)) {
        for (const element of value.toReversed()) {
          item.write(writer, element);
          writer.tag(2, 2);
        }
      } else if (typeof value === "object" && value !== null) {
        schema.write(writer, value);
        writer.tag(1, 2);
      }
    },
  );

/** {1: allows, 2: schema}; a schema wins. */
const schemaOrBool = (schema: WireValue): WireValue =>
  fields(
    (reader, tag, before) => {
      if (tag === 0o22) return schema.read(reader, before);
      if (tag !== 0o10) return skip(reader, tag, before);
      const allows = reader.boolean();
      return typeof before === "object" ? before : allows;
    },
    (writer, value) => {
      const isSchema = typeof value === "object" && value !== null;
      if (isSchema) {
        schema.write(writer, value);
        writer.tag(2, 2);
      }
      writer.varint(isSchema || value === true ? 1 : 0);
      writer.tag(1, 0);
    },
  );

function fields(
  readField: (reader: ProtobufReader, tag: number, before: unknown) => unknown,
  write: (writer: ProtobufWriter, value: unknown) => void,
): WireValue {
  return {
    kind: 2,
    read(reader) {
      let value: unknown;
      reader.message(() => {
        value = readField(reader, reader.tag(), value);
      });
      return value;
    },
    write(writer, value) {
      const start = writer.mark;
      write(writer, value);
      writer.lengthSince(start);
    },
  };
}

function skip(reader: ProtobufReader, tag: number, before: unknown): unknown {
  reader.skip(tag & 7);
  return before;
}
