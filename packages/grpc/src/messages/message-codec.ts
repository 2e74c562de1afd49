/**
 * Messages as plain objects: 64-bit numbers are JavaScript's, enums are names, and whatever a message that is read does not
 * have is there as its zero, messages as null. Those that are written may leave fields out.
 */
import { type JsonObject, ProtobufReader, ProtobufWriter } from "@coxswain/machinery";
import { type FieldPlan, type MessagePlan, planField } from "./field-plan.ts";
import { messageFrame } from "./message-frames.ts";
import type { ProtoMessage } from "./proto-file.ts";

/** Reads and writes the messages of one type. */
export interface MessageCodec {
  /** Bytes stay views of those given. @throws DecodeError */
  decode(bytes: Uint8Array): object;
  /** @throws Error for an enum's name that there is not */
  encode(message: object): Uint8Array;
  /** As a stream sends it: encoded, behind its length. @throws as `encode` */
  frame(message: object): Buffer;
}

/** Codecs that share what they have found out about types. */
export function createMessageCodecs(): (type: ProtoMessage) => MessageCodec {
  const plans = new Map<ProtoMessage, MessagePlan>();
  const planOf = (type: ProtoMessage): MessagePlan => {
    const known = plans.get(type);
    if (known !== undefined) return known;
    const plan = planMessage(type.fields.map((field) => planField(field, planOf)));
    plans.set(type, plan);
    return plan;
  };
  // Bytes of their own for each message would be more work than to write it.
  const writer = new ProtobufWriter(4096);
  const written = (type: ProtoMessage, message: object): Uint8Array => {
    writer.restart();
    planOf(type).write(writer, message as JsonObject);
    return writer.finish();
  };
  return (type) => ({
    decode(bytes) {
      const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      // No encoding is UTF-8 too, in half of the time.
      const reader = new ProtobufReader(buffer, (start, end) => buffer.toString(undefined, start, end));
      const plan = planOf(type);
      const message = plan.zero();
      while (!reader.done) plan.readField(reader, message);
      return message;
    },
    encode: (message) => written(type, message).slice(),
    frame: (message) => messageFrame(written(type, message)),
  });
}

function planMessage(fields: readonly FieldPlan[]): MessagePlan {
  const byNumber: FieldPlan[] = [];
  for (const field of fields) byNumber[field.number] = field;
  const lastFirst = fields.toReversed();
  // Copied whole, which is faster than field by field; only what can be changed is made anew.
  const empty: JsonObject = Object.fromEntries(fields.map((field) => [field.name, field.zero()]));
  const changeable = fields.filter((field) => !Object.is(field.zero(), field.zero()));
  return {
    zero() {
      const message = { ...empty };
      for (const field of changeable) message[field.name] = field.zero();
      return message;
    },
    readField(reader, message) {
      const tag = reader.tag();
      const field = byNumber[tag >>> 3];
      const isRead = field?.read(reader, tag & 7, message) ?? false;
      if (!isRead) reader.skip(tag & 7);
    },
    write(writer, message) {
      for (const field of lastFirst) {
        const value = message[field.name];
        if (value !== undefined && value !== null) field.write(writer, value);
      }
    },
  };
}
