/** Amounts with suffixes, `1.5Gi`. @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library */
import { parseQuantity, type Quantity, quantityOf, quantityProblem } from "@coxswain/machinery";
import { instanceAt, intAt, noSuchOverload, stringAt } from "../define/argument.ts";
import { traversesFirst } from "../define/call-cost.ts";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { boolType, type CelType, doubleType, intType, opaqueType, stringType } from "../types/type.ts";
import { CelError, CelOpaque, type CelValue } from "../values/value.ts";

/**
 * The type of quantities.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-quantity-library
 */
export const quantityType = opaqueType("kubernetes.Quantity");

/** A quantity as a value. */
export class QuantityValue extends CelOpaque {
  override readonly type = quantityType;
  readonly amount: Quantity;

  constructor(amount: Quantity) {
    super();
    this.amount = amount;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof QuantityValue)) throw noSuchOverload();
    return this.amount.compare(other.amount) === 0;
  }
}

export const quantity: CelLibrary = {
  name: "kubernetes.quantity",
  functions: functionsOf({
    quantity: [{ ...plain("string_to_quantity", [stringType], quantityType, (args) => parse(stringAt(args, 0))), ...traversesFirst() }],
    isQuantity: [
      {
        ...plain("is_quantity_string", [stringType], boolType, (args) => parseQuantity(stringAt(args, 0)) !== undefined),
        ...traversesFirst(),
      },
    ],
    // Not a method in Kubernetes either.
    sign: [plain("quantity_sign", [quantityType], intType, (args) => BigInt(amountAt(args).sign()))],
    isGreaterThan: [compares("quantity_is_greater_than", boolType, (order) => order > 0)],
    isLessThan: [compares("quantity_is_less_than", boolType, (order) => order < 0)],
    compareTo: [compares("quantity_compare_to", intType, BigInt)],
    asApproximateFloat: [method("quantity_get_float", [quantityType], doubleType, (args) => amountAt(args).toApproximateNumber())],
    asInteger: [method("quantity_get_int", [quantityType], intType, asInteger)],
    isInteger: [method("quantity_is_integer", [quantityType], boolType, (args) => amountAt(args).toInt64() !== undefined)],
    add: arithmetic("add", (a, b) => a.add(b)),
    sub: arithmetic("sub", (a, b) => a.sub(b)),
  }),
};

const amountAt = (args: readonly CelValue[], index = 0): Quantity => instanceAt(QuantityValue, args, index).amount;

function parse(text: string): QuantityValue {
  const amount = parseQuantity(text);
  if (amount === undefined) throw new CelError(quantityProblem(text) ?? "");
  return new QuantityValue(amount);
}

function asInteger(args: readonly CelValue[]): bigint {
  const value = amountAt(args).toInt64();
  if (value === undefined) throw new CelError("cannot convert value to integer");
  return value;
}

function compares(id: string, result: CelType, answer: (order: -1 | 0 | 1) => CelValue): CelOverload {
  return method(id, [quantityType, quantityType], result, (args) => answer(amountAt(args).compare(amountAt(args, 1))));
}

function arithmetic(name: string, of: (a: Quantity, b: Quantity) => Quantity): CelOverload[] {
  return [
    method(
      `quantity_${name}`,
      [quantityType, quantityType],
      quantityType,
      (args) => new QuantityValue(of(amountAt(args), amountAt(args, 1))),
    ),
    method(
      `quantity_${name}_int`,
      [quantityType, intType],
      quantityType,
      (args) => new QuantityValue(of(amountAt(args), quantityOf(intAt(args, 1), "DecimalExponent"))),
    ),
  ];
}
