import type { ReactNode } from 'react';
import { ImageOff } from 'lucide-react';
import { config } from '../api/base.js';
import type { Json } from '../api/wire.js';
import { obj, str } from './surface.js';
import { TextObject } from './text-object.js';
import styles from './blocks.module.css';

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : '');

/**
 * An image of another server: a box with its description and address, as nothing is loaded from elsewhere unless a
 * setting allows it.
 */
export function Picture({ url, alt, small = false }: { url: string; alt: string; small?: boolean }): ReactNode {
  const isWeb = /^https?:\/\//i.test(url);
  if (config.remoteImages && isWeb) {
    return (
      <img
        src={url}
        alt={alt}
        className={small ? styles.smallPicture : styles.picture}
        referrerPolicy="no-referrer"
        loading="lazy"
      />
    );
  }
  if (small) {
    return (
      <span className={styles.smallBox} role="img" aria-label={alt || 'Image'} title={url}>
        <ImageOff size={12} aria-hidden />
      </span>
    );
  }
  return (
    <span className={styles.pictureBox}>
      <ImageOff size={18} aria-hidden />
      <span className={styles.pictureWords}>
        <span>{alt || 'Image'}</span>
        {isWeb && (
          <a href={url} target="_blank" rel="noopener noreferrer">
            {hostOf(url)}
          </a>
        )}
      </span>
    </span>
  );
}

/** Where an image comes from: any server, or a file of this one. */
const addressOf = (image: Json): string => str(image['image_url']) || str(obj(image['slack_file'])?.['url']);

/** An image inside another block. */
export const ImageElement = ({ element, small = false }: { element: Json; small?: boolean }): ReactNode => (
  <Picture url={addressOf(element)} alt={str(element['alt_text'])} small={small} />
);

export function ImageBlock({ block }: { block: Json }): ReactNode {
  return (
    <figure className={styles.figure}>
      {block['title'] !== undefined && (
        <figcaption className={styles.caption}>
          <TextObject text={block['title']} />
        </figcaption>
      )}
      <ImageElement element={block} />
    </figure>
  );
}
