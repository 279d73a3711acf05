import { lazy, Suspense, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { str } from './surface.js';
import text from '../text/text.module.css';

const MarkdownTokens = lazy(() =>
  import('./markdown-tokens.js').then(({ MarkdownTokens: part }) => ({ default: part })),
);

/** Standard Markdown; its parser is loaded when the first such block is shown. */
export const MarkdownBlock = ({ block }: { block: Json }): ReactNode => (
  <Suspense fallback={<div className={text.paragraph}>{str(block['text'])}</div>}>
    <MarkdownTokens source={str(block['text'])} />
  </Suspense>
);
