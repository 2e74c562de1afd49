/**
 * Writes zip files: as much of the format as packages of other languages need. The same files make the same bytes.
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  /** With `/` in between. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

const version = 20;
const utf8Names = 0x0800;
const deflated = 8;
/** The first of January 1980, the first day that there is in a zip file. */
const date = 0x0021;

export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, bytes } of entries) {
    const name = Buffer.from(path);
    const data = deflateRawSync(bytes, { level: 9 });
    const common = facts({ name, data, bytes });
    const file = Buffer.concat([u32(0x04034b50), u16(version), common, u16(0), name, data]);
    // In the directory: who made it, what the file has, no comment, disk 0, no attributes, and where it begins.
    directory.push(
      Buffer.concat([u32(0x02014b50), u16(version), u16(version), common, u16(0), u16(0), u16(0), u16(0), u32(0), u32(offset), name]),
    );
    files.push(file);
    offset += file.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = [u32(0x06054b50), u16(0), u16(0), u16(entries.length), u16(entries.length), u32(size), u32(offset), u16(0)];
  return Buffer.concat([...files, ...directory, ...end]);
}

interface Facts {
  readonly name: Uint8Array;
  readonly data: Uint8Array;
  readonly bytes: Uint8Array;
}

/** What stands of a file before it and in the directory: flags, method, time, checksum, sizes. */
const facts = ({ name, data, bytes }: Facts): Buffer =>
  Buffer.concat([
    u16(utf8Names),
    u16(deflated),
    u16(0),
    u16(date),
    u32(crc32(bytes)),
    u32(data.length),
    u32(bytes.length),
    u16(name.length),
  ]);

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
