/** Who may come in: the administrator that the server makes itself, and the users of a token file. */
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseTokenFile, type TokenUser } from "@coxswain/apiserver";
import { startErrorOf } from "../process/start-error.ts";
import { readIfThere, writePrivately } from "./private-file.ts";

/** `path` keeps the token between starts; without one it is made for this process. */
export function administrator(path: string | undefined): TokenUser {
  const kept = path === undefined ? undefined : readIfThere(path)?.trim();
  const token = kept === undefined || kept === "" ? randomBytes(32).toString("base64url") : kept;
  if (path !== undefined && token !== kept) writePrivately(path, `${token}\n`);
  return { token, name: "coxswain-admin", uid: "coxswain-admin", groups: ["system:masters"] };
}

/** @throws StartError when the file cannot be read or understood. */
export function tokenFileUsers(path: string, warn: (message: string) => void): TokenUser[] {
  try {
    return parseTokenFile(readFileSync(path, "utf8"), { path, warn });
  } catch (error) {
    throw startErrorOf("cannot use the token file", error);
  }
}

/** Identifies tokens in logs without revealing them. */
export const fingerprint = (token: string): string => `sha256:${createHash("sha256").update(token).digest("hex").slice(0, 12)}`;
