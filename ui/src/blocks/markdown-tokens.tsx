import { Fragment, useMemo, type ReactNode } from 'react';
import { marked, type Token, type Tokens } from 'marked';
import { SafeLink } from '../text/mrkdwn-view.js';
import text from '../text/text.module.css';
import { Picture } from './image.js';
import styles from './blocks.module.css';

/** Renders the tokens of marked's lexer; raw HTML is shown as text. */
export function MarkdownTokens({ source }: { source: string }): ReactNode {
  const tokens = useMemo(() => marked.lexer(source), [source]);
  return (
    <div className={styles.markdown} dir="auto">
      <TokenList tokens={tokens} />
    </div>
  );
}

const TokenList = ({ tokens }: { tokens: readonly Token[] }): ReactNode =>
  tokens.map((token, index) => (
    <Fragment key={index}>
      <One token={token} />
    </Fragment>
  ));

const decoded = (value: string): string =>
  value
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

function One({ token }: { token: Token }): ReactNode {
  const inner =
    'tokens' in token && token.tokens ? (
      <TokenList tokens={token.tokens} />
    ) : (
      decoded('text' in token ? String(token['text']) : token.raw)
    );
  switch (token.type) {
    case 'heading':
      return <p className={styles.header}>{inner}</p>;
    case 'paragraph':
      return <p>{inner}</p>;
    case 'strong':
      return <strong>{inner}</strong>;
    case 'em':
      return <em>{inner}</em>;
    case 'del':
      return <s>{inner}</s>;
    case 'codespan':
      return <code className={text.code}>{(token as Tokens.Codespan).text}</code>;
    case 'code':
      return (
        <pre className={text.fence} tabIndex={0} role="group" aria-label="Code">
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'blockquote':
      return <blockquote className={text.quote}>{inner}</blockquote>;
    case 'hr':
      return <hr className={styles.divider} />;
    case 'br':
      return <br />;
    case 'link':
      return <SafeLink url={(token as Tokens.Link).href}>{inner}</SafeLink>;
    case 'image':
      return <Picture url={(token as Tokens.Image).href} alt={(token as Tokens.Image).text} />;
    case 'list': {
      const found = token as Tokens.List;
      const Tag = found.ordered ? 'ol' : 'ul';
      return (
        <Tag className={styles.list}>
          {found.items.map((item, index) => (
            <li key={index}>
              {item.task && (
                <input type="checkbox" checked={item.checked ?? false} disabled readOnly aria-label="Task" />
              )}
              <TokenList tokens={item.tokens} />
            </li>
          ))}
        </Tag>
      );
    }
    case 'table': {
      const found = token as Tokens.Table;
      return (
        <div className={styles.tableFrame} tabIndex={0} role="group" aria-label="Table">
          <table className={styles.table}>
            <thead>
              <tr>
                {found.header.map((cell, index) => (
                  <th key={index} scope="col">
                    <TokenList tokens={cell.tokens} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {found.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, at) => (
                    <td key={at}>
                      <TokenList tokens={cell.tokens} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    case 'space':
      return null;
    case 'html':
      return token.raw;
    default:
      return inner;
  }
}
