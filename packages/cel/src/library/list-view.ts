import { CelList, type CelValue } from "../values/value.ts";

/** A list whose items are found elsewhere when they are asked for: nothing is copied. */
export class ListView extends CelList {
  override readonly size: number;
  readonly #item: (index: number) => CelValue;

  constructor(size: number, item: (index: number) => CelValue) {
    super();
    this.size = size;
    this.#item = item;
  }

  override at(index: number): CelValue {
    return this.#item(index);
  }
}
