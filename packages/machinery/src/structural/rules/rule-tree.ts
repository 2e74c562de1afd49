/** Where in a schema rules stand. They are compiled when a value first comes to them. */
import { additionalOf, itemsOf, propertiesOf } from "../check/parts.ts";
import type { JsonSchema } from "../schema.ts";
import { type CompiledRule, RuleCompiler } from "./compile-rule.ts";
import { isEmbedded } from "./resource-fields.ts";
import { ValueNode } from "./value-node.ts";

/** A schema with rules, or with such schemas inside it. */
export class RuleTree {
  readonly node: ValueNode;
  readonly hasRules: boolean;
  readonly #schema: JsonSchema;
  readonly #resource: boolean;
  readonly #compiler: RuleCompiler;
  readonly #inside: TreesInside;
  #rules: readonly CompiledRule[] | undefined;

  constructor(schema: JsonSchema, resource: boolean, compiler: RuleCompiler, inside: TreesInside) {
    this.#schema = schema;
    this.#resource = resource;
    this.#compiler = compiler;
    this.#inside = inside;
    this.node = new ValueNode(schema, resource);
    this.hasRules = ownRules(schema).length > 0;
  }

  get properties(): TreesInside["properties"] {
    return this.#inside.properties;
  }

  get entries(): RuleTree | undefined {
    return this.#inside.entries;
  }

  /** None where rules can see nothing of the values. */
  get rules(): readonly CompiledRule[] {
    if (this.#rules === undefined) {
      const declared = this.#compiler.declarations.of(this.#schema, this.#resource);
      this.#rules = declared === undefined ? [] : this.#compiler.compile(this.#schema, declared);
    }
    return this.#rules;
  }
}

interface TreesInside {
  readonly properties: readonly (readonly [name: string, tree: RuleTree])[];
  /** Of items of a list or values of a map. */
  readonly entries: RuleTree | undefined;
}

/** Undefined where there are no rules. */
export const ruleTree = (schema: JsonSchema, resource: boolean): RuleTree | undefined => treeOf(schema, resource, new RuleCompiler());

function treeOf(schema: JsonSchema, resource: boolean, compiler: RuleCompiler): RuleTree | undefined {
  const entry = itemsOf(schema) ?? additionalOf(schema);
  const entries = entry && treeOf(entry, isEmbedded(entry), compiler);
  const properties: [string, RuleTree][] = [];
  for (const [name, property] of propertiesOf(schema)) {
    const tree = treeOf(property, isEmbedded(property), compiler);
    if (tree !== undefined) properties.push([name, tree]);
  }
  if (entries === undefined && properties.length === 0 && ownRules(schema).length === 0) return undefined;
  return new RuleTree(schema, resource, compiler, { properties, entries });
}

const ownRules = (schema: JsonSchema) => schema["x-kubernetes-validations"] ?? [];
