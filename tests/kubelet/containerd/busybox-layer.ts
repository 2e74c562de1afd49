/** The layer of an image that has busybox under all of its names, root, and little else. */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface BusyboxLayer {
  /** A new one, for the files. */
  readonly folder: string;
  /** A busybox that is linked statically. */
  readonly program: string;
  /** Besides root: by name, with user and group of this number. */
  readonly users?: Readonly<Record<string, number>>;
}

/** @returns the folder */
export function busyboxLayer({ folder, program, users = {} }: BusyboxLayer): string {
  for (const path of ["bin", "etc", "root", "tmp"]) mkdirSync(join(folder, path), { recursive: true });
  chmodSync(join(folder, "tmp"), 0o1777);
  copyFileSync(program, join(folder, "bin", "busybox"));
  const { stdout } = spawnSync(program, ["--list"], { encoding: "utf8" });
  for (const name of stdout.split("\n")) if (name !== "" && name !== "busybox") symlinkSync("busybox", join(folder, "bin", name));
  const all = Object.entries(users);
  const passwd = ["root:x:0:0:root:/root:/bin/sh", ...all.map(([name, id]) => `${name}:x:${id}:${id}::/tmp:/bin/sh`)];
  const group = ["root:x:0:", ...all.map(([name, id]) => `${name}:x:${id}:`)];
  writeFileSync(join(folder, "etc", "passwd"), `${passwd.join("\n")}\n`);
  writeFileSync(join(folder, "etc", "group"), `${group.join("\n")}\n`);
  return folder;
}
