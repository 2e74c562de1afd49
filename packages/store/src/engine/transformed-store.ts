import type { Entry, KeyChange, ListResult, Revision, Store, StoreEvent, Write } from "../storage/store.ts";
import { TransformError, type ValueTransformer } from "../storage/value-transformer.ts";
import type { ChangeLog } from "./change-log.ts";
import { type HistoryOptions, HistoryStore } from "./history-store.ts";
import type { StoredValues } from "./stored-values.ts";
import { getEntry } from "./tree.ts";

/** Where entries go through something on their way to the medium and back. */
export interface TransformedOptions extends HistoryOptions {
  /** What values go through on their way to the medium and back. */
  readonly transformer?: ValueTransformer | undefined;
}

/** What drivers share whose medium holds values in another form than memory: what cannot be read is an error for who asks for it, and for nobody else. */
export abstract class TransformedStore extends HistoryStore {
  protected readonly values: StoredValues;
  protected readonly transforms: boolean;

  constructor(options: TransformedOptions, log: ChangeLog, values: StoredValues) {
    super(options, log);
    this.values = values;
    this.transforms = options.transformer !== undefined;
  }

  /** Whether what is stored is something else than what is in memory. */
  get isTransformed(): boolean {
    return this.transforms;
  }

  /** Whether what is read is checked before it is given out. */
  get areChecked(): boolean {
    return this.values.areChecked;
  }

  /** Whether its value in memory is still the stored one. */
  isUnreadable(entry: Entry): boolean {
    return this.values.isUnreadable(entry);
  }

  override get(key: string, opts?: { at?: Revision }): Promise<{ revision: Revision; entry: Entry | undefined }> {
    const found = super.get(key, opts);
    return this.values.areChecked ? this.#checked(found) : found;
  }

  /** @throws TransformError for the first entry that cannot be read */
  override async list(prefix: string, opts?: { at?: Revision; after?: string; limit?: number }): Promise<ListResult> {
    const found = await super.list(prefix, opts);
    if (this.values.areChecked) for (const entry of found.entries) await this.#checkListed(entry);
    return found;
  }

  /** What cannot be read any more, and all before it, counts as compacted. */
  override async history(key: string, opts?: { after?: Revision; last?: number }): Promise<readonly KeyChange[]> {
    const changes = await super.history(key, opts);
    return changes.slice(changes.findLastIndex(({ entry }) => this.values.isUnreadable(entry)) + 1);
  }

  isStale(key: string): boolean {
    if (!this.transforms) return false;
    const entry = getEntry(this.log.tree, key);
    return entry !== undefined && this.values.isStale(entry);
  }

  /** As the medium has it. */
  protected storedKeyOf(key: string): string {
    return key;
  }

  /** @throws TransformError for what may not be written now, or would replace what cannot be read */
  protected checkWrite(op: Write): void {
    if (!this.transforms && !this.values.areChecked) return;
    const { tree } = this.log;
    this.values.checkWrite(op.key, getEntry(tree, op.key));
    for (const { key } of op.also ?? []) this.values.checkWrite(key, getEntry(tree, key));
  }

  /** Nobody learns of changes that cannot be read: watches begin anew with a list. */
  protected override checkEvents(events: readonly StoreEvent[]): void {
    this.values.checkEvents(events);
  }

  async #checked(found: ReturnType<Store["get"]>): ReturnType<Store["get"]> {
    const { entry } = await found;
    if (entry !== undefined) await this.values.check(entry);
    return found;
  }

  async #checkListed(entry: Entry): Promise<void> {
    try {
      await this.values.check(entry);
    } catch (error) {
      if (!(error instanceof TransformError)) throw error;
      throw new TransformError(`unable to transform key ${JSON.stringify(this.storedKeyOf(entry.key))}: ${error.message}`, {
        cause: error,
      });
    }
  }
}
