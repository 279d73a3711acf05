import { type DocumentNode, GraphQLError, type GraphQLSchema, validate } from 'graphql';
import { overDocumentLimits, withoutRepeats } from './document-limits.js';
import { lruByText } from './lru.js';

/** An invalid document, with all its errors. */
export class InvalidDocument extends GraphQLError {
  constructor(readonly faults: readonly unknown[]) {
    super('The document is not valid.');
  }
}

/** Results of checking documents, by their text: within the limits, valid, or their fixed errors. */
export class Documents {
  private readonly known = lruByText<'small' | 'valid' | readonly unknown[]>(2_000, 8_000_000);

  /** Why a document is refused before it is parsed: it is over the limits, or was refused before. */
  refusalOf(source: string): readonly unknown[] | undefined {
    const known = this.known.get(source);
    if (known !== undefined) return typeof known === 'string' ? undefined : known;
    const overLimits = overDocumentLimits(source);
    this.known.set(source, overLimits ? [overLimits] : 'small');
    return overLimits && [overLimits];
  }

  /** Every request with this document gets these errors. */
  refuse(source: string, errors: readonly unknown[]): void {
    this.known.set(source, errors);
  }

  /**
   * Once a document. Not left to Apollo: graphql-js gives up comparing fields of one name after half a million steps,
   * which documents within the limits reach by repeating a field; so repeats, which mean nothing, are taken out first.
   * @throws InvalidDocument
   */
  requireValid(schema: GraphQLSchema, document: DocumentNode, source: string): void {
    if (this.known.get(source) === 'valid') return;
    const faults = faultsOf(schema, document);
    this.known.set(source, faults.length > 0 ? faults : 'valid');
    if (faults.length > 0) throw new InvalidDocument(faults);
  }
}

function faultsOf(schema: GraphQLSchema, document: DocumentNode): readonly unknown[] {
  try {
    return validate(schema, withoutRepeats(document));
  } catch (error) {
    // nested too deeply, which formatting words; anything else is a bug
    return [error];
  }
}
