import { type DocumentNode, GraphQLError, Kind, Lexer, type SelectionNode, Source, TokenKind, visit } from 'graphql';

/**
 * Limits of a document (docs/reference/tracker.md#transport, Document limits): checked before anything traverses it.
 */
const MAX_TOKENS = 10_000;
const MAX_ALIASES = 1_000;
/** Nesting of braces, brackets and parentheses. */
const MAX_DEPTH = 100;

/**
 * The refusal of a document that is too large, else undefined; also for one with syntax errors, which the parser
 * reports. Reads tokens only, and no more than the limit.
 */
export function overDocumentLimits(query: string): GraphQLError | undefined {
  const lexer = new Lexer(new Source(query));
  let depth = 0;
  let parentheses = 0;
  let aliases = 0;
  for (let tokens = 1; ; tokens++) {
    let kind: TokenKind;
    try {
      kind = lexer.advance().kind;
    } catch {
      return undefined;
    }
    if (kind === TokenKind.EOF) return undefined;
    if (tokens > MAX_TOKENS) return tooLarge(`has more than ${MAX_TOKENS} tokens`);
    if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L) depth++;
    else if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R) depth--;
    else if (kind === TokenKind.PAREN_L) parentheses++;
    else if (kind === TokenKind.PAREN_R) parentheses--;
    // a colon outside all arguments follows an alias
    else if (kind === TokenKind.COLON && parentheses === 0 && ++aliases > MAX_ALIASES) {
      return tooLarge(`has more than ${MAX_ALIASES} aliases`);
    }
    if (depth + parentheses > MAX_DEPTH) return tooLarge(`is nested more than ${MAX_DEPTH} levels deep`);
  }
}

const tooLarge = (what: string): GraphQLError =>
  new GraphQLError(`The document ${what}.`, { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } });

/** The document with each plain field (no alias, arguments, directives or selection) once in its selection set. */
export function withoutRepeats(document: DocumentNode): DocumentNode {
  return visit(document, {
    SelectionSet(set) {
      const seen = new Set<string>();
      const isNew = (node: SelectionNode): boolean => {
        if (!isPlain(node)) return true;
        if (seen.has(node.name.value)) return false;
        seen.add(node.name.value);
        return true;
      };
      const selections = set.selections.filter(isNew);
      return selections.length === set.selections.length ? undefined : { ...set, selections };
    },
  });
}

const isPlain = (node: SelectionNode): node is SelectionNode & { kind: Kind.FIELD } =>
  node.kind === Kind.FIELD && !node.alias && !node.selectionSet && !node.arguments?.length && !node.directives?.length;
