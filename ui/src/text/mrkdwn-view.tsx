import { Fragment, memo, useMemo, type ReactNode } from 'react';
import { Link } from '../kit/link.js';
import { useStore } from '../kit/store.js';
import { characterOf, emojiSet } from './emoji.js';
import { FOUND_START, partsOf } from './found-marks.js';
import { parseInline, parseMrkdwn, type Block, type Inline } from './mrkdwn.js';
import { GroupMention } from './group-mention.js';
import { useNames } from './names.js';
import { formatDateToken } from './time.js';
import styles from './text.module.css';

const SAFE = /^(https?:\/\/|mailto:)/i;

/** An emoji by name; shown as typed while the list is not loaded, or when the name is unknown. */
export function EmojiMark({ name, large }: { name: string; large?: boolean }): ReactNode {
  const character = characterOf(useStore(emojiSet), name);
  if (character === null) return `:${name}:`;
  return (
    <span role="img" aria-label={`:${name}:`} title={`:${name}:`} className={large ? styles.emojiLarge : styles.emoji}>
      {character}
    </span>
  );
}

/** A link in a text: other addresses open in a new tab, messages of this server open in the app. */
export function SafeLink({ url, children }: { url: string; children: ReactNode }): ReactNode {
  const names = useNames();
  const own = names.ownPath(url);
  if (own !== null) return <Link href={own}>{children}</Link>;
  if (!SAFE.test(url)) return children;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" dir="auto">
      {children}
    </a>
  );
}

/** `@name`, a link to the person's profile. */
export function UserMention({ id, label }: { id: string; label?: string | null }): ReactNode {
  const names = useNames();
  const shown = names.userName(id) ?? label ?? id;
  const className = id === names.meId ? styles.mentionMe : styles.mention;
  if (!names.openUser) return <span className={className}>@{shown}</span>;
  return (
    <button type="button" className={className} onClick={() => names.openUser?.(id)}>
      @{shown}
    </button>
  );
}

export function ChannelMention({ id, label }: { id: string; label?: string | null }): ReactNode {
  const names = useNames();
  return (
    <Link href={names.channelPath(id)} className={styles.mention}>
      #{names.channelName(id) ?? label ?? id}
    </Link>
  );
}

function InlineNode({ node }: { node: Inline }): ReactNode {
  switch (node.kind) {
    case 'text':
      return <Marked text={node.text} />;
    case 'bold':
      return <strong>{inlineNodes(node.children)}</strong>;
    case 'italic':
      return <em>{inlineNodes(node.children)}</em>;
    case 'strike':
      return <s>{inlineNodes(node.children)}</s>;
    case 'code':
      return (
        <code className={styles.code}>
          <Marked text={node.text} />
        </code>
      );
    case 'link':
      return (
        <SafeLink url={node.url}>
          {node.label === null ? node.url.replace(/^mailto:/, '') : inlineNodes(node.label)}
        </SafeLink>
      );
    case 'user':
      return <UserMention id={node.id} label={node.label} />;
    case 'channel':
      return <ChannelMention id={node.id} label={node.label} />;
    case 'group':
      return <GroupMention id={node.id} label={node.label} />;
    case 'broadcast':
      return <span className={styles.mentionMe}>@{node.range}</span>;
    case 'date': {
      const text = formatDateToken(node.seconds, node.format);
      const shown = <time dateTime={new Date(node.seconds * 1000).toISOString()}>{text}</time>;
      return node.url === null ? shown : <SafeLink url={node.url}>{shown}</SafeLink>;
    }
    case 'emoji':
      return <EmojiMark name={node.name} />;
    case 'found':
      return <mark className={styles.found}>{inlineNodes(node.children)}</mark>;
  }
}

/** Text, with what a search found in it marked. */
const Marked = ({ text }: { text: string }): ReactNode =>
  text.includes(FOUND_START)
    ? partsOf(text).map((part, index) =>
        index % 2 === 1 ? (
          <mark key={index} className={styles.found}>
            {part}
          </mark>
        ) : (
          part
        ),
      )
    : text;

const inlineNodes = (nodes: readonly Inline[]): ReactNode =>
  nodes.map((node, index) => <InlineNode key={index} node={node} />);

function BlockNode({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case 'paragraph':
      return (
        <div className={styles.paragraph} dir="auto">
          {inlineNodes(block.children)}
        </div>
      );
    case 'quote':
      return (
        <blockquote className={styles.quote}>
          {block.blocks.map((inner, index) => (
            <BlockNode key={index} block={inner} />
          ))}
        </blockquote>
      );
    case 'fence':
      return (
        <pre className={styles.fence} tabIndex={0} aria-label="Code" role="group">
          <code>
            <Marked text={block.text} />
          </code>
        </pre>
      );
  }
}

const onlyEmoji = (blocks: readonly Block[]): Inline[] | null => {
  const [first] = blocks;
  if (blocks.length !== 1 || first?.kind !== 'paragraph') return null;
  const marks = first.children.filter((node) => !(node.kind === 'text' && node.text.trim() === ''));
  return marks.length > 0 && marks.length <= 12 && marks.every((node) => node.kind === 'emoji') ? marks : null;
};

/** Renders mrkdwn. */
export const Mrkdwn = memo(function Mrkdwn({ text, inline = false }: { text: string; inline?: boolean }): ReactNode {
  const blocks = useMemo(() => (inline ? null : parseMrkdwn(text)), [text, inline]);
  const nodes = useMemo(() => (inline ? parseInline(text) : null), [text, inline]);
  if (nodes) return <span dir="auto">{inlineNodes(nodes)}</span>;
  const emoji = blocks && onlyEmoji(blocks);
  if (emoji) {
    return (
      <div className={styles.paragraph}>
        {emoji.map((node, index) => (
          <Fragment key={index}>{node.kind === 'emoji' && <EmojiMark name={node.name} large />}</Fragment>
        ))}
      </div>
    );
  }
  return (
    <>
      {blocks?.map((block, index) => (
        <BlockNode key={index} block={block} />
      ))}
    </>
  );
});

/** Plain text with emoji, as in `plain_text` objects. */
export function PlainText({ text }: { text: string }): ReactNode {
  const parts = useMemo(() => text.split(/(:[a-z0-9_+'-]+(?:::skin-tone-[2-6])?:)/g), [text]);
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? <EmojiMark key={index} name={part.slice(1, -1)} /> : <Fragment key={index}>{part}</Fragment>,
      )}
    </>
  );
}
