/** The folder of a server's state: made, or found to be its own, before anything is written into it. */
import { lstatSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@coxswain/machinery";
import { StartError } from "../process/start-error.ts";

/**
 * What a server writes there, by the beginnings of names; what file systems have at their roots; and what it notes of itself below its
 * home, which may be the same folder, as in a container.
 */
const ownNames = /^(?:\.local$|state\.db|history\.db|invariants\.json|admin-token|kubeconfig|pki$|kubelet$|lost\+found$)/;

/** @throws StartError when it cannot be made, or has files in it that are not coxswain's */
export function prepareDataDirectory(path: string): void {
  try {
    makeFolder(path);
    const names = readdirSync(path);
    checkOwners(path, names);
    const foreign = names.filter((name) => !ownNames.test(name)).sort();
    if (foreign.length > 0 && !names.includes("state.db")) throw holdsForeignFiles(path, foreign);
  } catch (error) {
    throw dataDirectoryError(path, error);
  }
}

/** One after the other: Node's own way to make all of them at once does not end where a file system takes none. */
function makeFolder(path: string, dataDir = path): void {
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.isDirectory() === true) return;
  if (present !== undefined) throw new StartError(`the data directory ${dataDir} cannot be used: ${path} is a file`);
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent, dataDir);
  mkdirSync(path, { mode: 0o700 });
}

/** Secrets and keys are kept there: whoever else owns something of it, or may put something in its place, could have them. */
function checkOwners(path: string, names: readonly string[]): void {
  const self = process.getuid?.();
  if (self === undefined) return;
  const { uid, mode } = statSync(path);
  const strange = names.find((name) => !isOwn(lstatSync(join(path, name)).uid));
  if (!isOwn(uid)) throw new StartError(`the data directory ${path} cannot be used: another user owns it`);
  if (strange !== undefined) throw new StartError(`the data directory ${path} cannot be used: another user owns ${strange} in it`);
  // Of what is sticky, nobody can take away what another one has.
  if ((mode & 0o1002) === 0o002) throw new StartError(`the data directory ${path} cannot be used: every user may write to it (chmod o-w)`);

  function isOwn(owner: number): boolean {
    return owner === self || owner === 0;
  }
}

const holdsForeignFiles = (path: string, names: readonly string[]): StartError =>
  new StartError(
    `the data directory ${path} has files that are not coxswain's (${names.slice(0, 3).join(", ")}${names.length > 3 ? ", …" : ""}); choose an empty folder, or one that coxswain has used`,
  );

/** Why nothing can be kept there, for errors of the system that say so; other errors stay what they are. */
export function dataDirectoryError(path: string, error: unknown): unknown {
  const reason = error instanceof Error && "syscall" in error && "code" in error ? reasonOf(String(error.code), error) : undefined;
  return reason === undefined ? error : new StartError(`the data directory ${path} cannot be used: ${reason}`, { cause: error });
}

function reasonOf(code: string, error: Error): string | undefined {
  switch (code) {
    case "EACCES":
    case "EPERM":
      return "this user may not write there";
    case "EROFS":
      return "its file system is read-only";
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full";
    case "ENOTDIR":
      return "a folder on the way to it is a file";
    case "ENOENT":
      return "its file system takes no new folders";
    case "EIO":
    case "ELOOP":
    case "ENAMETOOLONG":
      return messageOf(error);
    default:
      return undefined;
  }
}
