/** What stands between brackets of any kind: expressions in parentheses, lists, maps, and the items of whatever has some. */
import type { Expr, ListExpr, MapEntry } from "./ast.ts";
import type { Token } from "./lexer.ts";
import type { ParserState } from "./parser-state.ts";
import { expressionStart } from "./token-stream.ts";

/** Each parses from its opening bracket on, but `items` from behind it. */
export interface CollectionParser {
  parenthesized(): Expr;
  list(): Expr;
  map(): Expr;
  /** Up to the closing bracket, with a comma after the last item if one likes; `start` is what an item may begin with. */
  items(close: "]" | "}", start: readonly Token["type"][], item: () => void): void;
}

export function createCollectionParser({ tokens, context, expression }: ParserState): CollectionParser {
  function parenthesized(): Expr {
    tokens.next();
    const inner = tokens.until([")"], expression);
    tokens.close(")");
    return inner;
  }

  function list(): ListExpr {
    const id = context.newId(tokens.next().start);
    const elements: Expr[] = [];
    const optional = new Set<number>();
    items("]", [...expressionStart, "?"], () => {
      if (tokens.take("?")) optional.add(elements.length);
      elements.push(expression());
    });
    return { kind: "list", id, elements, optional };
  }

  function map(): Expr {
    const id = context.newId(tokens.next().start);
    const entries: MapEntry[] = [];
    items("}", [...expressionStart, "?"], () => {
      const optional = tokens.take("?") !== undefined;
      const key = tokens.until([":"], expression);
      const entryId = context.newId(tokens.expect([":"], expressionStart).start);
      entries.push({ id: entryId, key, value: expression(), optional });
    });
    return { kind: "map", id, entries };
  }

  function items(close: "]" | "}", start: readonly Token["type"][], item: () => void): void {
    if (!tokens.take(",")) {
      if (tokens.take(close)) return;
      if (!start.includes(tokens.peek().type)) tokens.recover([...start, close, ","]);
      do {
        tokens.until([close, ","], item);
        if (!tokens.take(",")) {
          tokens.expect([close, ","]);
          return;
        }
      } while (start.includes(tokens.peek().type));
    }
    tokens.close(close);
  }

  return { parenthesized, list, map, items };
}
