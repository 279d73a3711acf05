import { useEffect, useRef, type ReactNode } from 'react';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import styles from './code-editor.module.css';

interface EditorProps {
  readonly label: string;
  readonly language: 'json' | 'yaml';
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The line that has an error. */
  readonly faultyLine?: number | null;
  readonly isReadOnly?: boolean;
}

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--info)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--ok)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
  { tag: tags.comment, color: 'var(--text-faint)' },
]);

const mark = StateEffect.define<number | null>();
const faulty = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects) {
      if (!effect.is(mark)) continue;
      const { value } = effect;
      if (value === null || value < 1 || value > transaction.state.doc.lines) return Decoration.none;
      return Decoration.set([
        Decoration.line({ class: styles.faulty ?? '' }).range(transaction.state.doc.line(value).from),
      ]);
    }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

const nonce = (): string => document.querySelector<HTMLElement>('meta[property="csp-nonce"]')?.nonce ?? '';

/** An editor for JSON and YAML. */
export function CodeEditor({
  label,
  language,
  value,
  onChange,
  faultyLine = null,
  isReadOnly = false,
}: EditorProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const change = useRef(onChange);
  change.current = onChange;
  const languages = useRef(new Compartment());
  /** Values reported by `onChange` that did not come back as `value` yet. */
  const reported = useRef(new Set<string>());
  useEffect(() => {
    const editor = new EditorView({
      parent: host.current as HTMLElement,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(nonce()),
          lineNumbers(),
          history(),
          indentOnInput(),
          bracketMatching(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          syntaxHighlighting(colours),
          languages.current.of(language === 'json' ? json() : yaml()),
          faulty,
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false' }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const text = update.state.doc.toString();
            reported.current.add(text);
            change.current(text);
          }),
        ],
      }),
    });
    view.current = editor;
    // the editor ignores a resize within 75 ms of its own, and its style sheet may cause one: line numbers would be
    // misplaced
    const resized = new ResizeObserver(() => editor.requestMeasure());
    resized.observe(editor.contentDOM);
    return () => {
      resized.disconnect();
      editor.destroy();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- made once; changes are passed to it below
  }, []);
  useEffect(() => {
    const { current } = view;
    if (!current) return;
    const isShown = current.state.doc.toString() === value;
    // an older value may come back after more was typed: it must not overwrite the newer text
    if (isShown) reported.current.clear();
    if (isShown || reported.current.has(value)) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({ effects: languages.current.reconfigure(language === 'json' ? json() : yaml()) });
  }, [language]);
  useEffect(() => {
    view.current?.dispatch({ effects: mark.of(faultyLine) });
  }, [faultyLine]);
  return <div ref={host} className={styles.editor} />;
}
