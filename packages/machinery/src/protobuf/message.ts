/**
 * Structs as protobuf messages, planned once from their types. Written as Kubernetes writes them: what is no pointer
 * is always there, fields by number, maps by key. Read into the form that decodeInto gives.
 */
import type { Field, StructType, Type } from "../types/type.ts";
import { entryZeroOf, fillZeros, isZero, zeroOf } from "../types/zero.ts";
import { DecodeError } from "../values/decode-error.ts";
import { isObject, type JsonObject, setOwn } from "../values/json-object.ts";
import type { ProtobufReader } from "./reader.ts";
import { schemaUnion } from "./union.ts";
import { type ReadEnvelope, scalarWireValues, type WireValue } from "./value.ts";
import type { ProtobufWriter } from "./writer.ts";

export interface Message {
  /** Adds the next field to the object. */
  readField(reader: ProtobufReader, object: JsonObject): void;
  /** After the last field. */
  complete(object: JsonObject): void;
  /** Without a length. */
  write(writer: ProtobufWriter, object: JsonObject): void;
}

/** Plans messages and remembers the plans. */
export function planMessages(readEnvelope: ReadEnvelope): (type: StructType) => Message {
  const scalars = scalarWireValues(readEnvelope);
  const plans = new WeakMap<StructType, Message>();
  const messageOf = (type: StructType): Message => {
    let plan = plans.get(type);
    if (plan === undefined) {
      plan = new StructMessage(type, wireValueOf);
      plans.set(type, plan);
    }
    return plan;
  };
  const wireValueOf = (type: Type, protoType: string): WireValue => {
    switch (type.kind) {
      case "scalar":
        return type.holds === undefined ? scalars[type.scalar] : schemaUnion(protoType, structValue(type.holds, messageOf));
      case "struct":
        return structValue(type, messageOf);
      case "list":
        return wrappedList(wireValueOf(type.item, ""));
      case "map":
        throw new Error("protobuf has no maps of maps");
    }
  };
  return messageOf;
}

/** One field of a message, by its number; several when the JSON inlines what protobuf nests. */
interface Slot {
  readonly number: number;
  read(reader: ProtobufReader, object: JsonObject, kind: number): void;
  write(writer: ProtobufWriter, object: JsonObject): void;
}

class StructMessage implements Message {
  readonly #type: StructType;
  readonly #wireValueOf: (type: Type, protoType: string) => WireValue;
  #slots: SlotTable | undefined;

  constructor(type: StructType, wireValueOf: (type: Type, protoType: string) => WireValue) {
    this.#type = type;
    this.#wireValueOf = wireValueOf;
  }

  readField(reader: ProtobufReader, object: JsonObject): void {
    this.#table().readField(reader, object);
  }

  complete(object: JsonObject): void {
    fillZeros(this.#type, object);
  }

  write(writer: ProtobufWriter, object: JsonObject): void {
    this.#table().write(writer, object);
  }

  #table(): SlotTable {
    this.#slots ??= new SlotTable(
      [...this.#type.fields.values()].filter((f) => f.proto.length > 0),
      0,
      this.#wireValueOf,
    );
    return this.#slots;
  }
}

class SlotTable {
  readonly #byNumber: readonly (Slot | undefined)[];
  /** The last first, as they are written. */
  readonly #backwards: readonly Slot[];

  /** @param level how many steps of the fields' paths lead here */
  constructor(fields: readonly Field[], level: number, wireValueOf: (type: Type, protoType: string) => WireValue) {
    const groups = Map.groupBy(fields, (field) => field.proto[level] ?? 0);
    const slots = [...groups].map(([number, group]) => {
      const [field] = group;
      if (field !== undefined && field.proto.length === level + 1) return fieldSlot(number, field, wireValueOf);
      return inlinedSlot(number, new SlotTable(group, level + 1, wireValueOf));
    });
    this.#backwards = slots.sort((a, b) => b.number - a.number);
    const byNumber: (Slot | undefined)[] = [];
    for (const slot of slots) byNumber[slot.number] = slot;
    this.#byNumber = byNumber;
  }

  readField(reader: ProtobufReader, object: JsonObject): void {
    const tag = reader.tag();
    const slot = this.#byNumber[tag >>> 3];
    if (slot === undefined) reader.skip(tag & 7);
    else slot.read(reader, object, tag & 7);
  }

  write(writer: ProtobufWriter, object: JsonObject): void {
    for (const slot of this.#backwards) slot.write(writer, object);
  }
}

function inlinedSlot(number: number, table: SlotTable): Slot {
  return {
    number,
    read(reader, object, kind) {
      checkKind(kind, 2, String(number));
      reader.message(() => table.readField(reader, object));
    },
    write(writer, object) {
      const start = writer.mark;
      table.write(writer, object);
      writer.lengthSince(start);
      writer.tag(number, 2);
    },
  };
}

function fieldSlot(number: number, field: Field, wireValueOf: (type: Type, protoType: string) => WireValue): Slot {
  const { type, protoType } = field;
  if (type.kind === "list" && protoType.startsWith("repeated ")) {
    return listSlot(number, field, wireValueOf(type.item, protoType.slice("repeated ".length)), type.item);
  }
  if (type.kind === "map") {
    const valueType = protoType.slice(protoType.indexOf(",") + 1, -1);
    return mapSlot(number, field, wireValueOf(type.value, valueType), type.value);
  }
  return singleSlot(number, field, wireValueOf(type, protoType));
}

function singleSlot(number: number, { name, type, presence }: Field, wire: WireValue): Slot {
  const optional = presence === "pointer" || type.kind === "list" || (type.kind === "scalar" && type.scalar === "bytes");
  return {
    number,
    read(reader, object, kind) {
      checkKind(kind, wire.kind, name);
      const value = wire.read(reader, object[name]);
      if (value === undefined || value === null || (presence === "omit" && isZero(value, type))) delete object[name];
      else object[name] = value;
    },
    write(writer, object) {
      const value = object[name];
      if (optional && (value === undefined || value === null)) return;
      wire.write(writer, value);
      writer.tag(number, wire.kind);
    },
  };
}

/** Numbers may come packed into one piece; Kubernetes sends them one by one. */
function listSlot(number: number, { name }: Field, wire: WireValue, item: Type): Slot {
  return {
    number,
    read(reader, object, kind) {
      const existing = object[name];
      const list: unknown[] = Array.isArray(existing) ? existing : [];
      object[name] = list;
      const readItem = (): void => {
        list.push(wire.read(reader, undefined) ?? zeroOf(item));
      };
      if (kind === wire.kind) readItem();
      else if (kind === 2) reader.message(readItem);
      else checkKind(kind, wire.kind, name);
    },
    write(writer, object) {
      const list = object[name];
      if (!Array.isArray(list)) return;
      for (let i = list.length - 1; i >= 0; i--) {
        wire.write(writer, list[i]);
        writer.tag(number, wire.kind);
      }
    },
  };
}

/** Each entry is a message of a key and a value. */
function mapSlot(number: number, { name }: Field, wire: WireValue, valueType: Type): Slot {
  return {
    number,
    read(reader, object, kind) {
      checkKind(kind, 2, name);
      const existing = object[name];
      const map = isObject(existing) ? existing : {};
      object[name] = map;
      let key = "";
      let value: unknown;
      reader.message(() => {
        const tag = reader.tag();
        if (tag === 0o12) key = reader.string();
        else if (tag === 0o20 + wire.kind) value = wire.read(reader, undefined);
        else reader.skip(tag & 7);
      });
      setOwn(map, key, value ?? entryZeroOf(valueType));
    },
    write(writer, object) {
      const map = object[name];
      if (!isObject(map)) return;
      for (const key of Object.keys(map).sort(byCodePoint).reverse()) {
        const start = writer.mark;
        wire.write(writer, map[key]);
        writer.tag(2, wire.kind);
        writer.string(key);
        writer.tag(1, 2);
        writer.lengthSince(start);
        writer.tag(number, 2);
      }
    },
  };
}

function structValue(type: StructType, messageOf: (type: StructType) => Message): WireValue {
  let plan: Message | undefined;
  return {
    kind: 2,
    read(reader, before) {
      plan ??= messageOf(type);
      const message = plan;
      const object = isObject(before) ? before : {};
      reader.message(() => message.readField(reader, object));
      message.complete(object);
      return object;
    },
    write(writer, value) {
      const start = writer.mark;
      plan ??= messageOf(type);
      plan.write(writer, isObject(value) ? value : {});
      writer.lengthSince(start);
    },
  };
}

/** Verbs and ExtraValue: lists that are messages of their own. */
function wrappedList(item: WireValue): WireValue {
  return {
    kind: 2,
    read(reader) {
      const list: unknown[] = [];
      reader.message(() => {
        const tag = reader.tag();
        if (tag === 0o10 + item.kind) list.push(item.read(reader, undefined));
        else reader.skip(tag & 7);
      });
      return list;
    },
    write(writer, value) {
      const start = writer.mark;
      const list: readonly unknown[] = Array.isArray(value) ? value : [];
      for (const element of list.toReversed()) {
        item.write(writer, element);
        writer.tag(1, item.kind);
      }
      writer.lengthSince(start);
    },
  };
}

function checkKind(kind: number, expected: number, name: string): void {
  if (kind !== expected) throw new DecodeError(`proto: wrong wireType = ${kind} for field ${name.charAt(0).toUpperCase()}${name.slice(1)}`);
}

/** UTF-8's order, which is Go's; UTF-16's differs beyond the first plane. */
function byCodePoint(a: string, b: string): number {
  if (a === b) return 0;
  for (let i = 0; i < a.length && i < b.length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    const surrogates = Number(x >= 0xd800 && x < 0xe000) - Number(y >= 0xd800 && y < 0xe000);
    return surrogates === 0 ? x - y : surrogates;
  }
  return a.length - b.length;
}
