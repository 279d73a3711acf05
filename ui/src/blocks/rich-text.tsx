import { Fragment, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { GroupMention } from '../text/group-mention.js';
import { ChannelMention, EmojiMark, SafeLink, UserMention } from '../text/mrkdwn-view.js';
import { formatDateToken } from '../text/time.js';
import text from '../text/text.module.css';
import { list, obj, str } from './surface.js';
import styles from './blocks.module.css';

export const RichTextBlock = ({ block }: { block: Json }): ReactNode => (
  <RichTextElements elements={list(block['elements'])} />
);

/** Sections, lists, quotes and code of a rich text block. */
export function RichTextElements({ elements }: { elements: readonly Json[] }): ReactNode {
  return elements.map((element, index) => <RichElement key={index} element={element} />);
}

function RichElement({ element }: { element: Json }): ReactNode {
  const parts = list(element['elements']);
  switch (element['type']) {
    case 'rich_text_section':
      return (
        <div className={text.paragraph} dir="auto">
          <Parts parts={parts} />
        </div>
      );
    case 'rich_text_quote':
      return (
        <blockquote className={text.quote}>
          <div className={text.paragraph}>
            <Parts parts={parts} />
          </div>
        </blockquote>
      );
    case 'rich_text_preformatted':
      return (
        <pre className={text.fence} tabIndex={0} role="group" aria-label="Code">
          <code>{parts.map((part) => str(part['text']) || str(part['url'])).join('')}</code>
        </pre>
      );
    case 'rich_text_list': {
      const Tag = element['style'] === 'ordered' ? 'ol' : 'ul';
      return (
        <Tag
          className={`${styles.list} ${Number(element['border'] ?? 0) > 0 ? text.quote : ''}`}
          data-indent={Math.min(8, Number(element['indent'] ?? 0))}
          {...(Tag === 'ol' && element['offset'] !== undefined ? { start: Number(element['offset']) + 1 } : {})}
        >
          {parts.map((item, index) => (
            <li key={index}>
              <Parts parts={list(item['elements'])} />
            </li>
          ))}
        </Tag>
      );
    }
    default:
      return null;
  }
}

/** The texts of a rich text, for accessible names. */
export const wordsOfRichText = (part: Json): string =>
  str(part['text']) || list(part['elements']).map(wordsOfRichText).join('');

const Parts = ({ parts }: { parts: readonly Json[] }): ReactNode =>
  parts.map((part, index) => (
    <Fragment key={index}>
      <Styled style={obj(part['style'])}>
        <Part part={part} />
      </Styled>
    </Fragment>
  ));

function Styled({ style, children }: { style: Json | undefined; children: ReactNode }): ReactNode {
  let shown = children;
  if (style?.['code']) shown = <code className={text.code}>{shown}</code>;
  if (style?.['strike']) shown = <s>{shown}</s>;
  if (style?.['italic']) shown = <em>{shown}</em>;
  if (style?.['highlight']) shown = <mark className={text.found}>{shown}</mark>;
  if (style?.['underline']) shown = <u>{shown}</u>;
  if (style?.['bold']) shown = <strong>{shown}</strong>;
  return shown;
}

function Part({ part }: { part: Json }): ReactNode {
  switch (part['type']) {
    case 'text':
      return str(part['text']);
    case 'link':
      return <SafeLink url={str(part['url'])}>{str(part['text']) || str(part['url'])}</SafeLink>;
    case 'user':
      return <UserMention id={str(part['user_id'])} />;
    case 'channel':
      return <ChannelMention id={str(part['channel_id'])} />;
    case 'usergroup':
      return <GroupMention id={str(part['usergroup_id'])} />;
    case 'team':
      return <span className={text.mentionMe}>@{str(part['team_id'])}</span>;
    case 'broadcast':
      return <span className={text.mentionMe}>@{str(part['range'])}</span>;
    case 'emoji': {
      const tone = part['skin_tone'] === undefined ? '' : `::skin-tone-${String(part['skin_tone'])}`;
      return <EmojiMark name={str(part['name']) + tone} />;
    }
    case 'date': {
      const shown = <time>{formatDateToken(Number(part['timestamp']), str(part['format']))}</time>;
      return str(part['url']) === '' ? shown : <SafeLink url={str(part['url'])}>{shown}</SafeLink>;
    }
    case 'color':
      return <code className={text.code}>{str(part['value'])}</code>;
    default:
      return str(part['text']);
  }
}
