import { memo, type ReactNode } from 'react';
import type { Json } from '../api/wire.js';
import { JsonView } from '../kit/json-view.js';
import { ActionsBlock } from './actions.js';
import { AlertBlock } from './alert.js';
import { CardBlock } from './card.js';
import { CarouselBlock } from './carousel.js';
import { ContainerBlock } from './container.js';
import { ContextActionsBlock } from './context-actions.js';
import { ContextBlock } from './context.js';
import { ChartBlock, DataTableBlock } from './data.js';
import { HeaderBlock } from './header.js';
import { ImageBlock } from './image.js';
import { InputBlock } from './input.js';
import { MarkdownBlock } from './markdown.js';
import { MessageSurface } from './message-surface.js';
import { FileBlock, VideoBlock } from './media.js';
import { list, str, type Place } from './surface.js';
import { RichTextBlock } from './rich-text.js';
import { SectionBlock } from './section.js';
import { TableBlock } from './table.js';
import { PlanBlock, TaskCardBlock } from './tasks.js';
import styles from './blocks.module.css';

type Renderer = (props: { block: Json }) => ReactNode;

const RENDERERS: Readonly<Record<string, Renderer>> = {
  section: SectionBlock,
  header: HeaderBlock,
  divider: () => <hr className={styles.divider} />,
  image: ImageBlock,
  context: ContextBlock,
  actions: ActionsBlock,
  input: InputBlock,
  rich_text: RichTextBlock,
  markdown: MarkdownBlock,
  table: TableBlock,
  video: VideoBlock,
  file: FileBlock,
  context_actions: ContextActionsBlock,
  alert: AlertBlock,
  card: CardBlock,
  carousel: CarouselBlock,
  container: ({ block }) => (
    <ContainerBlock block={block}>
      <BlockList blocks={list(block['child_blocks'])} />
    </ContainerBlock>
  ),
  task_card: TaskCardBlock,
  plan: PlanBlock,
  data_table: DataTableBlock,
  data_visualization: ChartBlock,
};

/** A list of blocks, on any surface. */
export function BlockList({ blocks }: { blocks: readonly Json[] }): ReactNode {
  return (
    <div className={styles.blocks}>
      {blocks.map((block, index) => {
        const Render = RENDERERS[str(block['type'])];
        const key = str(block['block_id']) || index;
        if (Render) return <Render key={key} block={block} />;
        return (
          <details key={key} className={styles.unknown}>
            <summary>{str(block['type']) || 'Block'} is not drawn here</summary>
            <JsonView value={block} />
          </details>
        );
      })}
    </div>
  );
}

/** The blocks of a message. */
export const Blocks = memo(
  function Blocks({ blocks, place }: { blocks: readonly Json[]; place: Place }): ReactNode {
    return (
      <MessageSurface blocks={blocks} place={place}>
        <BlockList blocks={blocks} />
      </MessageSurface>
    );
  },
  (a, b) => a.blocks === b.blocks && JSON.stringify(a.place) === JSON.stringify(b.place),
);
