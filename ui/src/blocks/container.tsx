import { useId, useState, type ReactNode } from 'react';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { Button as AriaButton } from 'react-aria-components';
import type { Json } from '../api/wire.js';
import { ImageElement } from './image.js';
import { RichTextElements, wordsOfRichText } from './rich-text.js';
import { list, obj, str } from './surface.js';
import { TextObject, wordsOf } from './text-object.js';
import styles from './panels.module.css';

/** Blocks in a titled frame, which folds where the app allows it. `children`: the blocks inside. */
export function ContainerBlock({ block, children }: { block: Json; children: ReactNode }): ReactNode {
  const isCollapsible = block['is_collapsible'] === true;
  const [isOpen, setOpen] = useState(!isCollapsible || block['default_collapsed'] !== true);
  const id = useId();
  const rich = obj(block['rich_text_title']);
  const icon = obj(block['icon']);
  const name = wordsOf(block['title']) || (rich ? wordsOfRichText(rich) : '') || 'Container';
  return (
    <div
      className={styles.container}
      data-width={str(block['width']) || 'standard'}
      data-divided={block['has_header_divider'] === true && isOpen}
      role="group"
      aria-label={name}
    >
      <div className={styles.containerHead}>
        {isCollapsible && (
          <AriaButton
            className={styles.fold ?? ''}
            aria-label={name}
            aria-expanded={isOpen}
            aria-controls={id}
            onPress={() => setOpen(!isOpen)}
          >
            {isOpen ? <ChevronDown size={16} aria-hidden /> : <ChevronRight size={16} aria-hidden />}
          </AriaButton>
        )}
        {icon && <ImageElement element={icon} small />}
        <div className={styles.words}>
          <div className={styles.title}>
            {rich ? (
              <RichTextElements elements={list(rich['elements'])} />
            ) : (
              <TextObject text={block['title']} inline />
            )}
          </div>
          <div className={styles.subtitle}>
            <TextObject text={block['subtitle']} inline />
          </div>
        </div>
      </div>
      <div id={id} className={styles.containerBody} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </div>
  );
}
