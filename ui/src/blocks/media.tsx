import type { ReactNode } from 'react';
import { FileText, Play } from 'lucide-react';
import type { Json } from '../api/wire.js';
import { SafeLink } from '../text/mrkdwn-view.js';
import { str } from './surface.js';
import { TextObject, wordsOf } from './text-object.js';
import styles from './blocks.module.css';

/** A video is shown as a link: nothing of it is loaded. */
export function VideoBlock({ block }: { block: Json }): ReactNode {
  const makers = [str(block['author_name']), str(block['provider_name'])].filter((name) => name !== '');
  return (
    <div className={styles.media}>
      <Play size={18} aria-hidden />
      <div>
        <SafeLink url={str(block['title_url']) || str(block['video_url'])}>
          <strong>{wordsOf(block['title']) || str(block['alt_text'])}</strong>
        </SafeLink>
        {makers.length > 0 && <div className={styles.mediaNote}>{makers.join(' · ')}</div>}
        {block['description'] !== undefined && (
          <div className={styles.mediaNote}>
            <TextObject text={block['description']} />
          </div>
        )}
      </div>
    </div>
  );
}

export const FileBlock = ({ block }: { block: Json }): ReactNode => (
  <div className={styles.media}>
    <FileText size={18} aria-hidden />
    <span>Remote file {str(block['external_id'])}</span>
  </div>
);
