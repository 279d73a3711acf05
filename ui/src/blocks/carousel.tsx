import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { Json } from '../api/wire.js';
import { IconButton } from '../kit/button.js';
import { CardBlock } from './card.js';
import { list, str } from './surface.js';
import styles from './panels.module.css';

/** How far each card is from the first. */
function startsOf(row: HTMLElement): number[] {
  const places = [...row.children].map((card) => (card as HTMLElement).offsetLeft);
  return places.map((place) => place - (places[0] ?? 0));
}

/** Cards in a row, which is scrolled by the arrow keys, by two buttons, or like any other. */
export function CarouselBlock({ block }: { block: Json }): ReactNode {
  const cards = list(block['elements']);
  const row = useRef<HTMLUListElement>(null);
  const [at, setAt] = useState(0);
  const show = (wanted: number): void => {
    const index = Math.min(cards.length - 1, Math.max(0, wanted));
    const { current } = row;
    if (!current) return;
    setAt(index);
    current.scrollTo({ left: startsOf(current)[index] ?? 0 });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const wanted = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: cards.length - 1 }[event.key];
    if (wanted === undefined || event.target !== row.current) return;
    event.preventDefault();
    event.stopPropagation();
    show(wanted);
  };
  // a person who scrolls by other means goes on from the card that they see
  const onScrollEnd = (): void => {
    const { current } = row;
    if (!current) return;
    const isAtEnd = current.scrollLeft + current.clientWidth >= current.scrollWidth - 1;
    const seen = startsOf(current).findLastIndex((start) => start <= current.scrollLeft + 1);
    setAt((before) => (isAtEnd ? Math.max(before, seen) : Math.max(0, seen)));
  };
  return (
    <div className={styles.carousel} role="group" aria-roledescription="carousel" aria-label={`${cards.length} cards`}>
      <ul
        ref={row}
        className={styles.cards}
        aria-label="Cards"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
        tabIndex={0}
        onKeyDown={onKeyDown}
        onScrollEnd={onScrollEnd}
      >
        {cards.map((card, index) => (
          <li key={str(card['block_id']) || index}>
            <CardBlock block={card} />
          </li>
        ))}
      </ul>
      {cards.length > 1 && (
        <div className={styles.steps}>
          <IconButton label="Previous card" size="small" isDisabled={at === 0} onPress={() => show(at - 1)}>
            <ChevronLeft size={15} />
          </IconButton>
          <span aria-live="polite">
            {at + 1} of {cards.length}
          </span>
          <IconButton label="Next card" size="small" isDisabled={at === cards.length - 1} onPress={() => show(at + 1)}>
            <ChevronRight size={15} />
          </IconButton>
        </div>
      )}
    </div>
  );
}
