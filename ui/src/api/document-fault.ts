import { faultOf, type DocumentFault } from '../kit/document-editor.js';
import { ApiError, wordsFor } from './errors.js';

/** What is wrong with a document: the server's message at its line, or why the document could not be parsed. */
export const documentFault = (source: string, failure: unknown): Promise<DocumentFault> =>
  failure instanceof ApiError
    ? faultOf(source, failure, { words: wordsFor(failure), path: [failure.code, ...failure.detail].join(' ') })
    : faultOf(source, failure);
