/** How large an expression may be before it is refused. */
export interface Limits {
  /** Of the source, in code points. 100,000. */
  readonly sourceLength: number;
  /** Of expressions within expressions. 250. */
  readonly nesting: number;
  /** Of the nodes that an expression becomes: some macros copy what they are called on, and copies of copies grow fast. 250,000. */
  readonly nodes: number;
}
