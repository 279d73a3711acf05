import { useEffect, useRef, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { Mrkdwn, SafeLink } from '../text/mrkdwn-view.js';
import { Picture } from './image.js';
import { Blocks } from './blocks.js';
import { list, str, type Place } from './surface.js';
import { Element } from './element.js';
import { MessageSurface } from './message-surface.js';
import styles from './blocks.module.css';

const NAMED: Readonly<Record<string, string>> = { good: '#2f9e6b', warning: '#d99a23', danger: '#cf3f46' };

/** Classic attachments, and attachments that contain blocks. */
export function Attachments({ attachments, place }: { attachments: readonly Json[]; place: Place }): ReactNode {
  return attachments.map((attachment, index) => <Attachment key={index} attachment={attachment} place={place} />);
}

function Attachment({ attachment, place }: { attachment: Json; place: Place }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const color = str(attachment['color']);
  useEffect(() => {
    // set through the DOM: an inline style in the markup would need a laxer content security policy
    const value = NAMED[color] ?? (/^#?[0-9a-f]{3}([0-9a-f]{3})?$/i.test(color) ? `#${color.replace('#', '')}` : '');
    if (value !== '') frame.current?.style.setProperty('border-inline-start-color', value);
  }, [color]);
  const blocks = list(attachment['blocks']);
  const text = (key: string): string => str(attachment[key]);
  return (
    <>
      {text('pretext') !== '' && <Mrkdwn text={text('pretext')} />}
      <div ref={frame} className={styles.attachment}>
        {text('author_name') !== '' && <div className={styles.attachmentAuthor}>{text('author_name')}</div>}
        {text('title') !== '' && (
          <div className={styles.attachmentTitle}>
            {text('title_link') === '' ? text('title') : <SafeLink url={text('title_link')}>{text('title')}</SafeLink>}
          </div>
        )}
        {text('text') !== '' && <Mrkdwn text={text('text')} />}
        {blocks.length > 0 && <Blocks blocks={blocks} place={place} />}
        {list(attachment['fields']).length > 0 && (
          <dl className={styles.fields}>
            {list(attachment['fields']).map((field, index) => (
              <div key={index} className={field['short'] === true ? styles.fieldCell : styles.fieldWide}>
                <dt>{str(field['title'])}</dt>
                <dd>
                  <Mrkdwn text={String(field['value'] ?? '')} />
                </dd>
              </div>
            ))}
          </dl>
        )}
        {text('image_url') !== '' && <Picture url={text('image_url')} alt={text('fallback') || 'Image'} />}
        {list(attachment['actions']).length > 0 && (
          <MessageSurface blocks={[]} place={{ kind: 'preview' }}>
            <div className={styles.actions}>
              {list(attachment['actions']).map((action, index) => (
                <Element key={index} block={{}} element={{ type: 'unsupported', text: action['text'] }} />
              ))}
            </div>
          </MessageSurface>
        )}
        {blocks.length === 0 && text('text') === '' && text('title') === '' && text('fallback') !== '' && (
          <span>{text('fallback')}</span>
        )}
        {text('footer') !== '' && <div className={styles.attachmentFooter}>{text('footer')}</div>}
      </div>
    </>
  );
}
