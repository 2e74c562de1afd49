import type { FieldError } from "@coxswain/machinery";
import type { AllocationOperation } from "./allocation-operation.ts";

/** Of which Service addresses and ports are allocated, and how. */
export interface Allocating {
  readonly allocation: AllocationOperation;
  /** @throws invalid() */
  readonly refuse: (error: FieldError) => never;
  /** Of the Service. */
  readonly name: string;
}
