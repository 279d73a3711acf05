import { lazy, Suspense, type ReactNode } from 'react';
import { ErrorLine } from './field.js';
import { lineOfPath } from './line-of-path.js';
import { Skeleton } from './misc.js';

// the editor is large: it comes when a form asks for it
const Editor = lazy(() => import('./code-editor.js').then(({ CodeEditor }) => ({ default: CodeEditor })));

export type Language = 'yaml' | 'json';

/** What is wrong with a document, and at which line. */
export interface DocumentFault {
  readonly words: string;
  readonly line: number | null;
}

/** A document as text, with what is wrong with it at its line. */
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

/** Reads YAML, of which JSON is a part. @throws what `faultOf` understands */
export async function parseDocument(source: string): Promise<unknown> {
  const { parse } = await import('yaml');
  return parse(source) as unknown;
}

/** The same document in the other language. @throws what `faultOf` understands */
export async function translate(source: string, to: Language): Promise<string> {
  const { parse, stringify } = await import('yaml');
  const value = parse(source) as unknown;
  return to === 'json' ? JSON.stringify(value, null, 2) : stringify(value);
}

/** @param words what a person is told; where `path` names a place in the document, its line is found */
export async function faultOf(
  source: string,
  failure: unknown,
  told?: { words: string; path: string },
): Promise<DocumentFault> {
  if (told) return { words: told.words, line: await lineOfPath(source, told.path) };
  const { message, linePos } = failure as { message: string; linePos?: { line: number }[] };
  return { words: message, line: linePos?.[0]?.line ?? null };
}
