/** The libraries that the executable needs, from packages of the Debian that the machine has its own from; nothing is installed. */
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { root } from "../../checks/tree.ts";
import { run } from "../executable/platforms.ts";

/** By the names that images and Debian have for them. */
export type Architecture = "amd64" | "arm64";

const packages = ["libc6", "libgcc-s1", "libstdc++6", "libatomic1"];

/** Of each package: its libraries without those for other character sets, and its licence. Node has certificates and time zones itself. */
const kept = ["{usr/,}lib64/*", "{usr/,}lib/*-linux-gnu/*.so*", "{usr/,}lib/ld-linux-*", "usr/share/doc/*/copyright"];

/** Returns the folder of its files, which is kept for the next build. @throws Error with what apt printed */
export function debianBase(architecture: Architecture): string {
  const folder = join(root, ".cache/image-base", architecture);
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(`${folder}.`);
  using _ = { [Symbol.dispose]: () => rmSync(scratch, { recursive: true, force: true }) };
  const unpacked = join(scratch, "unpacked");
  const unpack = (names: readonly string[]): void => {
    for (const name of names) {
      download(name);
      run("dpkg-deb", ["-x", join(scratch, globSync(`${name}_*.deb`, { cwd: scratch })[0] ?? name), unpacked], scratch);
    }
  };
  const download = downloader(architecture, scratch);
  unpack(packages);
  unpack(packagesOfLicences(unpacked));
  const base = join(scratch, "base");
  for (const path of globSync(kept, { cwd: unpacked })) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    cpSync(join(unpacked, path), join(base, path), { verbatimSymlinks: true });
  }
  for (const name of ["lib", "lib64"])
    if (!existsSync(join(base, name)) && existsSync(join(base, "usr", name))) symlinkSync(`usr/${name}`, join(base, name));
  writeAccounts(base);
  renameSync(base, folder);
  return folder;
}

/** Packages that are made of the same sources have their licence in one of them, which the others have a link to. */
const packagesOfLicences = (unpacked: string): string[] => [
  ...new Set(
    globSync("usr/share/doc/*", { cwd: unpacked })
      .map((path) => join(unpacked, path))
      .filter((path) => lstatSync(path).isSymbolicLink())
      .map((path) => readlinkSync(path)),
  ),
];

/** With lists of its own: those of the machine may be old, and are of its own processor alone. */
function downloader(architecture: Architecture, scratch: string): (name: string) => void {
  for (const name of ["lists/partial", "archives/partial"]) mkdirSync(join(scratch, name), { recursive: true });
  writeFileSync(join(scratch, "status"), "");
  const settings = [
    `Dir::State::lists=${scratch}/lists`,
    `Dir::State::status=${scratch}/status`,
    `Dir::Cache=${scratch}`,
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    "APT::Sandbox::User=root",
    "Acquire::Languages=none",
  ].flatMap((setting) => ["-q", "-o", setting]);
  if (spawnSync("apt-get", ["--version"]).error !== undefined)
    throw new Error("the base is made with apt-get, which is not installed here");
  run("apt-get", [...settings, "update"], scratch);
  return (name) => run("apt-get", [...settings, "download", name], scratch);
}

/** The user that the server runs as has no rights and no shell. */
function writeAccounts(base: string): void {
  const files = {
    passwd: "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/var/lib/coxswain:/sbin/nologin\n",
    group: "root:x:0:\nnonroot:x:65532:\n",
    "nsswitch.conf": "hosts: files dns\n",
  };
  mkdirSync(join(base, "etc"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(base, "etc", name), text);
}
