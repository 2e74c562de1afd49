/**
 * With whose credentials the images of this node were pulled: another Pod may use what is here only if it may pull it, too.
 * @see https://kep.k8s.io/2535
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Credential } from "./keyring.ts";

interface Known {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly hash: string;
}

/** `everyone`: it was pulled without credentials. */
type Access = "everyone" | readonly Known[];

export interface PulledName {
  /** With its tag or digest, as the runtime is asked for it. */
  readonly image: string;
  readonly repository: string;
}

/** So many credentials of one image are remembered; a newer one takes the place of the oldest. */
const maxKnown = 100;

export class PullRecords {
  readonly #path: string | undefined;
  /** By what the runtime calls the image, and by repository. */
  readonly #records: Map<string, Map<string, Access>>;

  /** Pulls of this process that are under way, by image as asked for. */
  readonly #intents = new Map<string, number>();
  /** Intents that an earlier process left behind: its pull may have succeeded, with unknown credentials. */
  readonly #leftIntents: Set<string>;

  /** Whether what is not recorded was never pulled: nobody knows where the file could not be read. */
  readonly #isWhole: boolean;

  /** How many pulls there were when an image was last pulled, and are. */
  readonly #pulledAt = new Map<string, number>();
  #pulls = 0;
  #pullsBefore = Number.POSITIVE_INFINITY;

  /** Kept in this file; without one, as long as this process lives. */
  constructor(path: string | undefined) {
    this.#path = path;
    const { records, intents, isWhole } = read(path);
    this.#records = records;
    this.#leftIntents = intents;
    this.#isWhole = isWhole;
  }

  /** What this kubelet has not pulled, and is not pulling, was preloaded for all. */
  mayUse(ref: string, { image, repository }: PulledName, credentials: () => readonly Credential[]): boolean {
    const record = this.#records.get(ref);
    if (record === undefined) return this.#isWhole && !this.#intents.has(image) && !this.#leftIntents.has(image);
    const access = record.get(repository);
    if (access === undefined || access === "everyone") return access === "everyone";
    const own = credentials().map(knownOf);
    const match = own.find((one) => access.some((known) => known.hash === one.hash || isSame(known, one)));
    if (match !== undefined && !access.some((known) => known.hash === match.hash && isSame(known, match)))
      this.#add(ref, repository, match);
    return match !== undefined;
  }

  /** To be called before the runtime is asked: it has the image a moment before `pulled` can be called. */
  intent(image: string): void {
    this.#intents.set(image, (this.#intents.get(image) ?? 0) + 1);
    this.#write();
  }

  /** Ends an intent, after `pulled` where the pull went well. */
  ended(image: string): void {
    const others = (this.#intents.get(image) ?? 0) - 1;
    if (others > 0) this.#intents.set(image, others);
    else this.#intents.delete(image);
    this.#write();
  }

  pulled(ref: string, { image, repository }: PulledName, credential: Credential | undefined): void {
    this.#leftIntents.delete(image);
    this.#pulledAt.set(ref, ++this.#pulls);
    if (credential === undefined || this.#records.get(ref)?.get(repository) === "everyone") this.#set(ref, repository, "everyone");
    else this.#add(ref, repository, knownOf(credential));
  }

  /** From now on pulls count as made after the next look at what is here. */
  listing(): void {
    this.#pullsBefore = this.#pulls;
  }

  /** Forgets images that are no longer here; what was pulled since they were listed cannot be among them. */
  keep(refs: ReadonlySet<string>): void {
    const gone = [...this.#records.keys()].filter((ref) => !refs.has(ref) && (this.#pulledAt.get(ref) ?? 0) <= this.#pullsBefore);
    for (const ref of gone) {
      this.#records.delete(ref);
      this.#pulledAt.delete(ref);
    }
    if (gone.length > 0) this.#write();
  }

  #add(ref: string, repository: string, known: Known): void {
    const before = this.#records.get(ref)?.get(repository);
    const others = before === undefined || before === "everyone" ? [] : before.filter((one) => !isSame(one, known));
    this.#set(ref, repository, [...others, known].slice(-maxKnown));
  }

  #set(ref: string, repository: string, access: Access): void {
    const record = this.#records.get(ref) ?? new Map<string, Access>();
    if (record.get(repository) === access) return;
    this.#records.set(ref, record.set(repository, access));
    this.#write();
  }

  #write(): void {
    if (this.#path === undefined) return;
    mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
    const records = Array.from(this.#records, ([ref, record]) => [ref, [...record]]);
    const content = {
      ...(this.#isWhole ? {} : { partial: true }),
      intents: [...new Set([...this.#leftIntents, ...this.#intents.keys()])],
      records,
    };
    writeFileSync(`${this.#path}.tmp`, JSON.stringify(content), { mode: 0o600 });
    renameSync(`${this.#path}.tmp`, this.#path);
  }
}

interface Content {
  readonly records: Map<string, Map<string, Access>>;
  readonly intents: Set<string>;
  readonly isWhole: boolean;
}

interface Kept {
  readonly records: [string, [string, Access][]][];
  readonly intents: string[];
  /** There were records before these that could not be read. */
  readonly partial?: boolean;
}

/** Without a file no image was pulled; with one that cannot be read, any may have been, with credentials that are not known. */
function read(path: string | undefined): Content {
  const empty = { records: new Map(), intents: new Set<string>() };
  if (path === undefined || !existsSync(path)) return { ...empty, isWhole: true };
  try {
    const content = JSON.parse(readFileSync(path, "utf8")) as Kept;
    return {
      records: new Map(content.records.map(([ref, record]) => [ref, new Map(record)])),
      intents: new Set(content.intents),
      isWhole: content.partial !== true,
    };
  } catch {
    return { ...empty, isWhole: false };
  }
}

const knownOf = ({ auth, secret }: Credential): Known => ({
  ...secret,
  hash: createHash("sha256").update(JSON.stringify(auth)).digest("hex"),
});

const isSame = (a: Known, b: Known): boolean => a.uid === b.uid && a.namespace === b.namespace && a.name === b.name;
