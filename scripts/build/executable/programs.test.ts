import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { signMachO } from "./sign-mach-o.ts";
import { stripElf } from "./strip-elf.ts";

test("a stripped program is smaller and runs", { skip: process.platform === "linux" ? false : "needs a program for Linux" }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-strip-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const node = readFileSync(process.execPath);
  const stripped = stripElf(node);
  assert.ok(stripped.length < 0.9 * node.length, `${stripped.length} of ${node.length}`);
  const file = join(folder, "node");
  writeFileSync(file, stripped);
  chmodSync(file, 0o755);
  const { stdout, stderr } = spawnSync(file, ["--print", "process.version"], { encoding: "utf8" });
  assert.equal(stdout, `${process.version}\n`, stderr);
});

test("what is no ELF file is not stripped", () => {
  assert.throws(() => stripElf(Buffer.alloc(100)), /no 64-bit ELF file/);
});

/** A program for Macs without code: 16 KiB of text with one section, and the segment that a signature belongs to. */
function machO(): Buffer {
  const file = Buffer.alloc(16_384 + 100, 7);
  file.fill(0, 0, 1024);
  [0xfeedfacf, 0x0100000c, 0, 2, 2, 152 + 72, 0, 0].forEach((word, i) => {
    file.writeUInt32LE(word, 4 * i);
  });
  const segment = (at: number, name: string, { bytes, offset, length }: { bytes: number; offset: number; length: number }): void => {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(bytes, at + 4);
    file.write(name, at + 8, "latin1");
    file.writeBigUInt64LE(BigInt(offset), at + 40);
    file.writeBigUInt64LE(BigInt(length), at + 48);
    file.writeUInt32LE(bytes > 72 ? 1 : 0, at + 64);
  };
  segment(32, "__TEXT", { bytes: 152, offset: 0, length: 16_384 });
  file.writeUInt32LE(1024, 32 + 72 + 48);
  segment(184, "__LINKEDIT", { bytes: 72, offset: 16_384, length: 100 });
  return file;
}

test("a signed program names its signature, which holds the hash of each page before it", () => {
  const signed = signMachO(machO(), "coxswain");
  assert.deepEqual([signed.readUInt32LE(16), signed.readUInt32LE(20)], [3, 152 + 72 + 16]);
  const [kind, bytes, offset, length] = [0, 4, 8, 12].map((field) => signed.readUInt32LE(256 + field));
  assert.deepEqual([kind, bytes, offset], [0x1d, 16, 16_384 + 112]);
  assert.equal(offset! + length!, signed.length);
  assert.equal(Number(signed.readBigUInt64LE(184 + 48)), signed.length - 16_384);
  const directory = signed.subarray(offset! + 20);
  assert.equal(directory.readUInt32BE(0), 0xfade0c02);
  assert.equal(directory.toString("latin1", 88, 96), "coxswain");
  const hashes = directory.readUInt32BE(16);
  for (let page = 0; page < directory.readUInt32BE(28); page++) {
    const code = signed.subarray(page * 4096, Math.min((page + 1) * 4096, offset!));
    const hash = directory.subarray(hashes + 32 * page, hashes + 32 * page + 32);
    assert.deepEqual(hash, createHash("sha256").update(code).digest(), `page ${page}`);
  }
  assert.throws(() => signMachO(signed, "coxswain"), /signed already/);
});
