/** The specification's own cases, as far as they need no protocol buffers. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decl, Type } from "@bufbuild/cel-spec/cel/expr/checked_pb.js";
import type { SimpleTest } from "@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js";
import type { Value } from "@bufbuild/cel-spec/cel/expr/value_pb.js";
import { getConformanceSuite, type IncrementalTestSuite } from "@bufbuild/cel-spec/testdata/tests.js";
import { type Any, anyUnpack, DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { functionsOf, method, plain } from "../define/declare.ts";
import type { CelLibrary } from "../environment/library.ts";
import { strings } from "../library/strings.ts";
import { bindings } from "../standard/bindings.ts";
import { optionals } from "../standard/optional.ts";
import { twoVariables } from "../standard/two-variables.ts";
import * as types from "../types/type.ts";
import { runtimeTypeName, showType } from "../types/type-text.ts";
import { ArrayList, EntriesMap, entriesOf } from "../values/collections.ts";
import { equalValues } from "../values/equality.ts";
import { CelDuration, CelError, CelList, CelMap, CelTimestamp, CelTypeValue, CelUint, type CelValue } from "../values/value.ts";
import { typeOfValue } from "../values/value-type.ts";
import { createEnvironment } from "./create-environment.ts";

/** Whole sections that say nothing about Kubernetes' CEL. */
const excludedSections: Readonly<Record<string, string>> = {
  block_ext: "cel.block is made by an optimizer, and cannot be written",
  encoders_ext: "Kubernetes has no base64 functions",
  math_ext: "Kubernetes has no math functions",
  proto2_ext: "protocol buffers' extensions",
  enums: "protocol buffers' enums",
  proto2: "protocol buffers' messages",
  proto3: "protocol buffers' messages",
  wrappers: "protocol buffers' wrapper messages",
  dynamic: "protocol buffers' wrapper messages and google.protobuf.Any",
  "comparisons/eq_wrapper": "protocol buffers' wrapper messages",
};

/** Within the other sections, cases that name a message. */
const messages = /TestAllTypes|NestedTestAllTypes|google\.protobuf\.(?!Timestamp|Duration)|conformance\.proto[23]/;

/** Kubernetes keeps an older version of the strings library, whose texts differ. */
const olderFormat = "formats as version 2 of the strings library does";
const olderIndex = "an index behind the end finds nothing in version 2 of the strings library";
const lenientSelect = "in Kubernetes an optional field of something that has no fields is absent";
const duplicateKey = "cel-go takes the last of entries with the same key";
/** Cases that fail, and why that is right for Kubernetes. */
const knownFailures: Readonly<Record<string, string>> = {
  "fields/qualified_identifier_resolution/map_key_float": "cel-go allows doubles as keys",
  "fields/qualified_identifier_resolution/map_value_repeat_key": duplicateKey,
  "fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous": duplicateKey,
  "timestamps/duration_converters/get_milliseconds": "cel-go counts all milliseconds, not those beyond the seconds",
  "optionals/optionals/map_null_entry_no_such_key": lenientSelect,
  "optionals/optionals/map_present_key_invalid_field": lenientSelect,
  "string_ext/value_errors/indexof_out_of_range": olderIndex,
  "string_ext/value_errors/lastindexof_out_of_range": olderIndex,
  "type_deductions/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate": "cel-go finds a list of null",
  "string_ext/format/scientific notation formatting clause": olderFormat,
  "string_ext/format/default precision for scientific notation": olderFormat,
  "string_ext/format/NaN support for scientific notation": olderFormat,
  "string_ext/format/positive infinity support for scientific notation": olderFormat,
  "string_ext/format/negative infinity support for scientific notation": olderFormat,
  "string_ext/format/NaN support for decimal": olderFormat,
  "string_ext/format/positive infinity support for decimal": olderFormat,
  "string_ext/format/negative infinity support for decimal": olderFormat,
  "string_ext/format/positive infinity support for fixed-point": olderFormat,
  "string_ext/format/negative infinity support for fixed-point": olderFormat,
  "string_ext/format/list support for string": olderFormat,
  "string_ext/format/map support for string": olderFormat,
  "string_ext/format/map support (all key types)": olderFormat,
  "string_ext/format/dyntype support for scientific notation": olderFormat,
  "string_ext/format/dyntype NaN/infinity support": olderFormat,
  "string_ext/format/dyntype support for lists": olderFormat,
  "string_ext/format/dyntype support for maps": olderFormat,
  "string_ext/format/scientific notation formatting clause in a string variable": olderFormat,
};

interface Case {
  readonly name: string;
  readonly test: SimpleTest;
}

const cases = (suite: IncrementalTestSuite, path: string): readonly Case[] => [
  ...suite.tests.map(({ name, original }) => ({ name: `${path}/${name}`, test: original })),
  ...suite.suites.flatMap((inner) => cases(inner, path === "" ? inner.name : `${path}/${inner.name}`)),
];

test("the specification's cases", (t) => {
  const all = cases(getConformanceSuite(), "");
  const included = all.filter((each) => !isExcluded(each));
  const failures = new Map(
    included.flatMap((each) => {
      const problem = problemOf(each.test);
      return problem === undefined ? [] : [[each.name, problem]];
    }),
  );
  const passed = included.length - failures.size;
  t.diagnostic(`${passed} of ${included.length} pass; ${all.length - included.length} need protocol buffers or what Kubernetes has not`);
  const unexpected = [...failures].filter(([name]) => !Object.hasOwn(knownFailures, name)).map(([name, problem]) => `${name}: ${problem}`);
  assert.deepEqual(unexpected, []);
  assert.deepEqual(
    Object.keys(knownFailures).filter((name) => !failures.has(name)),
    [],
    "no longer fail",
  );
  assert.ok(passed / included.length >= 0.98);
});

function isExcluded({ name, test }: Case): boolean {
  const [suite = "", section = ""] = name.split("/");
  if (Object.hasOwn(excludedSections, suite) || Object.hasOwn(excludedSections, `${suite}/${section}`)) return true;
  const expected = [
    ...Object.values(test.bindings).map((bound) => (bound.kind.case === "value" ? bound.kind.value : undefined)),
    resultOf(test),
  ];
  const named = [test.expr, test.container, ...test.typeEnv.map(declaredType), ...expected.map(objectTypeOf)];
  return messages.test(named.join(" "));
}

const resultOf = ({ resultMatcher }: SimpleTest): Value | undefined => {
  if (resultMatcher.case === "value") return resultMatcher.value;
  return resultMatcher.case === "typedResult" ? resultMatcher.value.result : undefined;
};

const objectTypeOf = (value: Value | undefined): string =>
  value?.kind.case === "objectValue" ? value.kind.value.typeUrl.replace(/.*\//, "") : "";

const declaredType = ({ declKind }: Decl): string =>
  declKind.case === "ident" && declKind.value.type ? showType(typeFrom(declKind.value.type)) : "";

/** Undefined when all is as it should be. */
function problemOf(test: SimpleTest): string | undefined {
  const { resultMatcher: expected } = test;
  const compilation = environmentOf(test).compile(test.expr);
  if (!compilation.ok) return expected.case === "evalError" ? undefined : compilation.message;
  const { type } = compilation.compiled;
  const deduced = expected.case === "typedResult" ? expected.value.deducedType : undefined;
  if (deduced && showType(typeFrom(deduced)) !== showType(type)) return `is ${showType(type)}, not ${showType(typeFrom(deduced))}`;
  if (test.checkOnly) return undefined;
  try {
    const { value } = compilation.compiled.program().evaluate(bindingsOf(test));
    if (expected.case === "evalError") return `evaluates to ${String(value)} instead of failing`;
    const wanted = resultOf(test);
    return sameResult(value, wanted ? valueFrom(wanted) : true)
      ? undefined
      : `evaluates to ${runtimeTypeName(typeOfValue(value))} ${String(value)}`;
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return expected.case === "evalError" ? undefined : error.message;
  }
}

function environmentOf({ typeEnv, container, disableCheck }: SimpleTest) {
  const idents = typeEnv.flatMap(({ name, declKind }) =>
    declKind.case === "ident" && declKind.value.type ? [[name, typeFrom(declKind.value.type)] as const] : [],
  );
  const declared: CelLibrary = { name: "declared", functions: typeEnv.flatMap(functionFrom) };
  return createEnvironment({
    variables: new Map(idents),
    libraries: [optionals, bindings, twoVariables, strings, declared],
    container,
    features: { escapedFields: true, mixedLiterals: true, checks: !disableCheck },
  });
}

function functionFrom({ name, declKind }: Decl): NonNullable<CelLibrary["functions"]> {
  if (declKind.case !== "function") return [];
  const overloads = declKind.value.overloads.map((each) => {
    const declare = each.isInstanceFunction ? method : plain;
    return declare(each.overloadId, each.params.map(typeFrom), each.resultType ? typeFrom(each.resultType) : types.dynType, () => null);
  });
  return functionsOf({ [name]: overloads });
}

const bindingsOf = ({ bindings }: SimpleTest): ReadonlyMap<string, CelValue> =>
  new Map(Object.entries(bindings).flatMap(([name, { kind }]) => (kind.case === "value" ? [[name, valueFrom(kind.value)] as const] : [])));

function sameResult(actual: CelValue, wanted: CelValue): boolean {
  if (runtimeTypeName(typeOfValue(actual)) !== runtimeTypeName(typeOfValue(wanted))) return false;
  if (actual instanceof CelList && wanted instanceof CelList)
    return actual.size === wanted.size && [...actual].every((item, index) => sameResult(item, wanted.at(index)));
  if (actual instanceof CelMap && wanted instanceof CelMap)
    return (
      actual.size === wanted.size &&
      [...entriesOf(actual)].every(([key, item]) => sameResult(item, wanted.get(key) ?? new CelTypeValue("none")))
    );
  return (Number.isNaN(actual) && Number.isNaN(wanted)) || (Object.is(actual, -0) === Object.is(wanted, -0) && equalValues(actual, wanted));
}

function valueFrom({ kind }: Value): CelValue {
  switch (kind.case) {
    case "uint64Value":
      return new CelUint(kind.value);
    case "nullValue":
      return null;
    case "listValue":
      return new ArrayList(kind.value.values.map(valueFrom));
    case "mapValue":
      return EntriesMap.of(
        kind.value.entries.map(({ key, value }) => [key ? valueFrom(key) : null, value ? valueFrom(value) : null] as const),
      );
    case "typeValue":
      return new CelTypeValue(kind.value);
    case "objectValue":
      return wellKnown(kind.value);
    case "boolValue":
    case "int64Value":
    case "doubleValue":
    case "stringValue":
    case "bytesValue":
      return kind.value;
    default:
      throw new Error(`no such value: ${kind.case}`);
  }
}

function wellKnown(any: Any): CelValue {
  const [time, span] = [anyUnpack(any, TimestampSchema), anyUnpack(any, DurationSchema)];
  const nanos = (of: { seconds: bigint; nanos: number }) => of.seconds * 1_000_000_000n + BigInt(of.nanos);
  if (time) return new CelTimestamp(nanos(time));
  if (span) return new CelDuration(nanos(span));
  throw new Error(`no such message: ${any.typeUrl}`);
}

/** By the numbers that checked.proto gives them. */
const primitives = [types.dynType, types.boolType, types.intType, types.uintType, types.doubleType, types.stringType, types.bytesType];
const wellKnownTypes = [types.dynType, types.dynType, types.timestampType, types.durationType];
const namedTypes: Readonly<Record<string, types.CelType>> = {
  "google.protobuf.Timestamp": types.timestampType,
  "google.protobuf.Duration": types.durationType,
};

function typeFrom({ typeKind }: Type): types.CelType {
  switch (typeKind.case) {
    case "null":
      return types.nullType;
    case "primitive":
      return primitives[typeKind.value] ?? types.errorType;
    case "wrapper":
      return types.wrapperOf(primitives[typeKind.value] ?? types.errorType);
    case "wellKnown":
      return wellKnownTypes[typeKind.value] ?? types.errorType;
    case "listType":
      return types.listOf(typeKind.value.elemType ? typeFrom(typeKind.value.elemType) : types.dynType);
    case "mapType": {
      const { keyType, valueType } = typeKind.value;
      return types.mapOf(keyType ? typeFrom(keyType) : types.dynType, valueType ? typeFrom(valueType) : types.dynType);
    }
    case "messageType":
      return namedTypes[typeKind.value] ?? types.objectType(typeKind.value);
    case "typeParam":
      return types.typeParam(typeKind.value);
    case "type":
      return types.typeOfTypes(typeKind.value.typeKind.case ? typeFrom(typeKind.value) : types.dynType);
    case "abstractType":
      return types.opaqueType(typeKind.value.name, ...typeKind.value.parameterTypes.map(typeFrom));
    default:
      return types.dynType;
  }
}
