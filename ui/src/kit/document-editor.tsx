import { lazy, Suspense, type ReactNode } from 'react';
import { ErrorLine } from './field.js';
import { lineOfPath } from './line-of-path.js';
import { Skeleton } from './misc.js';

// the editor is large, so it is loaded when a form needs it
const Editor = lazy(() => import('./code-editor.js').then(({ CodeEditor }) => ({ default: CodeEditor })));

export type Language = 'yaml' | 'json';

/** An error in a document, with its line. */
export interface DocumentFault {
  readonly words: string;
  readonly line: number | null;
}

/** An editor for a document, with errors at their lines. */
export function DocumentEditor({
  label,
  language,
  source,
  fault,
  onChange,
}: {
  label: string;
  language: Language;
  source: string;
  fault: DocumentFault | null;
  onChange: (source: string) => void;
}): ReactNode {
  return (
    <>
      <Suspense fallback={<Skeleton />}>
        <Editor label={label} language={language} value={source} onChange={onChange} faultyLine={fault?.line ?? null} />
      </Suspense>
      <ErrorLine>{fault && `${fault.line === null ? '' : `Line ${fault.line}: `}${fault.words}`}</ErrorLine>
    </>
  );
}

/**
 * Parses YAML, which includes JSON.
 * @throws errors that `faultOf` understands
 */
export async function parseDocument(source: string): Promise<unknown> {
  const { parse } = await import('yaml');
  return parse(source) as unknown;
}

/**
 * The same document in the other format.
 * @throws errors that `faultOf` understands
 */
export async function translate(source: string, to: Language): Promise<string> {
  const { parse, stringify } = await import('yaml');
  const value = parse(source) as unknown;
  return to === 'json' ? JSON.stringify(value, null, 2) : stringify(value);
}

/** @param words the message to show; if `path` names a place in the document, its line is found */
export async function faultOf(
  source: string,
  failure: unknown,
  reported?: { words: string; path: string },
): Promise<DocumentFault> {
  if (reported) return { words: reported.words, line: await lineOfPath(source, reported.path) };
  const { message, linePos } = failure as { message: string; linePos?: { line: number }[] };
  return { words: message, line: linePos?.[0]?.line ?? null };
}
