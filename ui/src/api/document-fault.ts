import { faultOf, type DocumentFault } from '../kit/document-editor.js';
import { ApiError, wordsFor } from './errors.js';

/** What is wrong with a document: what the server says of it, at its line, or why it could not be read. */
export const documentFault = (source: string, failure: unknown): Promise<DocumentFault> =>
  failure instanceof ApiError
    ? faultOf(source, failure, { words: wordsFor(failure), path: [failure.code, ...failure.detail].join(' ') })
    : faultOf(source, failure);
