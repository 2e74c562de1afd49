/** How each field of a message is read and written. */
import { isObject, type JsonObject, type ProtobufReader, type ProtobufWriter, setOwn } from "@coxswain/machinery";
import type { FieldType, ProtoEnum, ProtoField, ProtoMessage, ScalarType } from "./proto-file.ts";

/** How the messages of one type are read and written, within others too. */
export interface MessagePlan {
  zero(): JsonObject;
  /** The next field of a message. */
  readField(reader: ProtobufReader, message: JsonObject): void;
  /** All fields, as the writer wants it from the last to the first. */
  write(writer: ProtobufWriter, message: Readonly<JsonObject>): void;
}

export interface FieldPlan {
  readonly name: string;
  readonly number: number;
  zero(): unknown;
  /** False, and nothing read, where the field is written as another type would be. */
  read(reader: ProtobufReader, kind: number, message: JsonObject): boolean;
  /** With its tag. */
  write(writer: ProtobufWriter, value: unknown): void;
}

/** One value without its tag. */
interface ValuePlan {
  readonly kind: 0 | 2;
  zero(): unknown;
  /** `before` is what the field has so far: messages that come in parts are put together. */
  read(reader: ProtobufReader, before: unknown): unknown;
  write(writer: ProtobufWriter, value: unknown): void;
}

type PlanOf = (type: ProtoMessage) => MessagePlan;

export function planField(field: ProtoField, planOf: PlanOf): FieldPlan {
  const value = planValue(field.type, planOf);
  const { name, number } = field;
  switch (field.label) {
    case "single":
      return { name, number, ...single(field, value) };
    case "repeated":
      return { name, number, ...repeated(field, value) };
    case "map":
      return { name, number, ...map(field, value) };
  }
}

type FieldVerbs = Omit<FieldPlan, "name" | "number">;

function single({ name, number }: ProtoField, value: ValuePlan): FieldVerbs {
  const zero = value.zero();
  return {
    zero: () => zero,
    read(reader, kind, message) {
      if (kind !== value.kind) return false;
      message[name] = value.read(reader, message[name]);
      return true;
    },
    write(writer, given) {
      if (given === zero || (given instanceof Uint8Array && given.length === 0)) return;
      value.write(writer, given);
      writer.tag(number, value.kind);
    },
  };
}

/** Numbers are packed into one run of bytes, which not every writer does. */
function repeated({ name, number }: ProtoField, value: ValuePlan): FieldVerbs {
  const isPacked = value.kind === 0;
  return {
    zero: () => [],
    read(reader, kind, message) {
      const list = message[name] as unknown[];
      const readOne = (): void => void list.push(value.read(reader, undefined));
      if (kind === value.kind) readOne();
      else if (kind === 2 && isPacked) reader.message(readOne);
      else return false;
      return true;
    },
    write(writer, given) {
      const list = given as readonly unknown[];
      if (list.length === 0) return;
      const start = writer.mark;
      for (let i = list.length - 1; i >= 0; i--) {
        value.write(writer, list[i]);
        if (!isPacked) writer.tag(number, value.kind);
      }
      if (!isPacked) return;
      writer.lengthSince(start);
      writer.tag(number, 2);
    },
  };
}

function map({ name, number }: ProtoField, value: ValuePlan): FieldVerbs {
  return {
    zero: () => ({}),
    read(reader, kind, message) {
      if (kind !== 2) return false;
      let key = "";
      let entry = value.zero();
      reader.message(() => {
        const tag = reader.tag();
        if (tag === 0o12) key = reader.string();
        else if (tag === 0o20 + value.kind) entry = value.read(reader, entry);
        else reader.skip(tag & 7);
      });
      setOwn(message[name] as JsonObject, key, entry);
      return true;
    },
    write(writer, given) {
      for (const [key, entry] of Object.entries(given as JsonObject).toReversed()) {
        const start = writer.mark;
        value.write(writer, entry);
        writer.tag(2, value.kind);
        writer.string(key);
        writer.tag(1, 2);
        writer.lengthSince(start);
        writer.tag(number, 2);
      }
    },
  };
}

function planValue(type: FieldType, planOf: PlanOf): ValuePlan {
  switch (type.kind) {
    case "scalar":
      return scalars[type.scalar];
    case "enum":
      return enumValue(type.type);
    case "message":
      return messageValue(type.type, planOf);
  }
}

const noBytes = Buffer.alloc(0);

const int64: ValuePlan = {
  kind: 0,
  zero: () => 0,
  read: (reader) => Number(reader.int64()),
  write: (writer, value) => writer.varint(value as number),
};

const scalars: Readonly<Record<ScalarType, ValuePlan>> = {
  string: {
    kind: 2,
    zero: () => "",
    read: (reader) => reader.string(),
    write: (writer, value) => writer.string(value as string),
  },
  bytes: {
    kind: 2,
    zero: () => noBytes,
    read: (reader) => reader.bytes(),
    write: (writer, value) => writer.bytes(value as Uint8Array),
  },
  bool: {
    kind: 0,
    zero: () => false,
    read: (reader) => reader.boolean(),
    write: (writer, value) => writer.varint(value === true ? 1 : 0),
  },
  int32: { ...int64, read: (reader) => reader.int32() },
  uint32: int64,
  int64,
  "int64 as text": {
    kind: 0,
    zero: () => "0",
    read: (reader) => String(reader.int64()),
    write: (writer, value) => writer.varint(BigInt(value as string)),
  },
  uint64: { ...int64, read: (reader) => Number(BigInt.asUintN(64, BigInt(reader.int64()))) },
};

/** A number without a name is its text. */
function enumValue({ name, names, numbers }: ProtoEnum): ValuePlan {
  const [zero] = numbers.keys();
  return {
    kind: 0,
    zero: () => zero,
    read(reader) {
      const number = reader.int32();
      return names.get(number) ?? String(number);
    },
    write(writer, value) {
      const number = numbers.get(value as string);
      if (number === undefined) throw new Error(`${name} has no ${value}`);
      writer.varint(number);
    },
  };
}

function messageValue(type: ProtoMessage, planOf: PlanOf): ValuePlan {
  let plan: MessagePlan | undefined;
  return {
    kind: 2,
    zero: () => null,
    read(reader, before) {
      plan ??= planOf(type);
      const { zero, readField } = plan;
      const message = isObject(before) ? before : zero();
      reader.message(() => readField(reader, message));
      return message;
    },
    write(writer, value) {
      const start = writer.mark;
      plan ??= planOf(type);
      plan.write(writer, value as JsonObject);
      writer.lengthSince(start);
    },
  };
}
