/**
 * Signs a program for Macs as their linker does: ad hoc, without anybody's name, as arm64 demands of everything that runs.
 * @see https://github.com/apple-oss-distributions/xnu/blob/main/osfmk/kern/cs_blobs.h
 */
import { createHash } from "node:crypto";

/** Load commands, and where their fields are. */
const command = { segment64: 0x19, codeSignature: 0x1d };
const headerBytes = 32;
const header = { commands: 16, commandBytes: 20 };
const segment = { name: 8, memoryBytes: 32, offset: 40, bytes: 48, sections: 64, firstSection: 72 };
const sectionOffset = 48;
const signatureCommandBytes = 16;

/** Of what is hashed, and of memory. */
const pageBytes = 4096;
const memoryPageBytes = 16_384;

/** Returns the program with its signature at the end. @throws Error when it is no 64-bit program, or is signed already */
export function signMachO(program: Buffer, identifier: string): Buffer {
  if (program.readUInt32LE(0) !== 0xfeedfacf) throw new Error("no 64-bit Mach-O file");
  const { commandsEnd, room, text, linkEdit } = layoutOf(program);
  if (commandsEnd + signatureCommandBytes > room) throw new Error("no room for the command that names the signature");
  const codeLimit = align(program.length, 16);
  const signatureBytes = align(signatureSize(codeLimit, identifier), 16);
  const signed = Buffer.alloc(codeLimit + signatureBytes);
  program.copy(signed);
  signed.writeUInt32LE(signed.readUInt32LE(header.commands) + 1, header.commands);
  signed.writeUInt32LE(signed.readUInt32LE(header.commandBytes) + signatureCommandBytes, header.commandBytes);
  [command.codeSignature, signatureCommandBytes, codeLimit, signatureBytes].forEach((word, i) => {
    signed.writeUInt32LE(word, commandsEnd + 4 * i);
  });
  const linkEditBytes = signed.length - Number(signed.readBigUInt64LE(linkEdit + segment.offset));
  signed.writeBigUInt64LE(BigInt(linkEditBytes), linkEdit + segment.bytes);
  signed.writeBigUInt64LE(BigInt(align(linkEditBytes, memoryPageBytes)), linkEdit + segment.memoryBytes);
  const executable = { offset: signed.readBigUInt64LE(text + segment.offset), bytes: signed.readBigUInt64LE(text + segment.bytes) };
  signatureOf(signed.subarray(0, codeLimit), identifier, executable).copy(signed, codeLimit);
  return signed;
}

interface Layout {
  readonly commandsEnd: number;
  /** Where what follows the commands begins. */
  readonly room: number;
  /** Where the commands of two segments are. */
  readonly text: number;
  readonly linkEdit: number;
}

function layoutOf(program: Buffer): Layout {
  const segments = new Map<string, number>();
  let at = headerBytes;
  let room = Number.POSITIVE_INFINITY;
  for (let left = program.readUInt32LE(header.commands); left > 0; left--) {
    const kind = program.readUInt32LE(at);
    if (kind === command.codeSignature) throw new Error("signed already");
    if (kind === command.segment64) {
      segments.set(program.toString("latin1", at + segment.name, at + segment.name + 16).replace(/\0+$/, ""), at);
      const isFirst = program.readBigUInt64LE(at + segment.offset) === 0n && program.readUInt32LE(at + segment.sections) > 0;
      if (isFirst) room = program.readUInt32LE(at + segment.firstSection + sectionOffset);
    }
    at += program.readUInt32LE(at + 4);
  }
  const [text, linkEdit] = [segments.get("__TEXT"), segments.get("__LINKEDIT")];
  if (text === undefined || linkEdit === undefined) throw new Error("no program: it has no __TEXT or no __LINKEDIT");
  return { commandsEnd: at, room, text, linkEdit };
}

const align = (bytes: number, to: number): number => Math.ceil(bytes / to) * to;

/** Of the blob that holds one code directory, and of the directory before its identifier. */
const superBlobBytes = 20;
const directoryBytes = 88;
const hashBytes = 32;

const signatureSize = (codeLimit: number, identifier: string): number =>
  superBlobBytes + directoryBytes + identifier.length + 1 + hashBytes * Math.ceil(codeLimit / pageBytes);

/** Ad hoc, and made by a linker: a signature that says so need hold nothing but hashes. */
const flags = 0x20002;

interface Range {
  readonly offset: bigint;
  readonly bytes: bigint;
}

/** Its words are big-endian, other than the rest of the file. */
function signatureOf(code: Buffer, identifier: string, executable: Range): Buffer {
  const blob = Buffer.alloc(signatureSize(code.length, identifier));
  const pages = Math.ceil(code.length / pageBytes);
  const hashesAt = directoryBytes + identifier.length + 1;
  // One blob, of kind 0, right behind.
  [0xfade0cc0, blob.length, 1, 0, superBlobBytes].forEach((word, i) => {
    blob.writeUInt32BE(word, 4 * i);
  });
  const directory = blob.subarray(superBlobBytes);
  // Version, flags, where hashes and identifier are, no special slots, and how much is hashed.
  [0xfade0c02, directory.length, 0x20400, flags, hashesAt, directoryBytes, 0, pages, code.length].forEach((word, i) => {
    directory.writeUInt32BE(word, 4 * i);
  });
  // SHA-256, and pages of two to the twelfth.
  directory.set([hashBytes, 2, 0, 12], 36);
  directory.writeBigUInt64BE(executable.offset, 64);
  directory.writeBigUInt64BE(executable.bytes, 72);
  // The main program, no library.
  directory.writeBigUInt64BE(1n, 80);
  directory.write(identifier, directoryBytes, "latin1");
  for (let page = 0; page < pages; page++) {
    const bytes = code.subarray(page * pageBytes, (page + 1) * pageBytes);
    directory.set(createHash("sha256").update(bytes).digest(), hashesAt + page * hashBytes);
  }
  return blob;
}
