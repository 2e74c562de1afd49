/** Where in a schema rules stand. They are compiled when a value first comes to them. */
import { additionalOf, itemsOf, propertiesOf } from "../check/parts.ts";
import type { JsonSchema } from "../structural/schema.ts";
import type { CompiledRule, RuleCompiler } from "./compile-rule.ts";
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
    this.#rules ??= this.#compiler.compile(this.#schema, this.#resource) ?? [];
    return this.#rules;
  }
}

interface TreesInside {
  readonly properties: readonly (readonly [name: string, tree: RuleTree])[];
  /** Of items of a list or values of a map. */
  readonly entries: RuleTree | undefined;
}

/** The trees of one schema and of what is inside it, each made once. */
export class RuleTrees {
  readonly #compiler: RuleCompiler;
  readonly #known = new Map<JsonSchema, RuleTree | undefined>();

  constructor(compiler: RuleCompiler) {
    this.#compiler = compiler;
  }

  /** Undefined where there are no rules. */
  of(schema: JsonSchema, resource = isEmbedded(schema)): RuleTree | undefined {
    if (resource !== isEmbedded(schema)) return this.#make(schema, resource);
    if (!this.#known.has(schema)) this.#known.set(schema, this.#make(schema, resource));
    return this.#known.get(schema);
  }

  #make(schema: JsonSchema, resource: boolean): RuleTree | undefined {
    const entry = itemsOf(schema) ?? additionalOf(schema);
    const entries = entry && this.of(entry);
    const properties: [string, RuleTree][] = [];
    for (const [name, property] of propertiesOf(schema)) {
      const tree = this.of(property);
      if (tree !== undefined) properties.push([name, tree]);
    }
    if (entries === undefined && properties.length === 0 && ownRules(schema).length === 0) return undefined;
    return new RuleTree(schema, resource, this.#compiler, { properties, entries });
  }
}

const ownRules = (schema: JsonSchema) => schema["x-kubernetes-validations"] ?? [];
