import { useEffect, useRef, useState, type RefObject } from 'react';

/** How many more are drawn at a time. */
const STEP = 20;

interface Growing {
  /** How many to draw. */
  readonly count: number;
  /** For the element that scrolls. */
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly onScroll: () => void;
}

/**
 * A long list of which only what is near the view is drawn: more whenever less than a screen is left below.
 * @param first how many to draw before it is known what fits
 */
export function useGrowing(total: number, first: number): Growing {
  const ref = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState(first);
  const count = Math.min(total, wanted);
  const grow = (): void => {
    const scroller = ref.current;
    if (!scroller || count >= total) return;
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    if (left < scroller.clientHeight) setWanted(count + STEP);
  };
  // after the first painting, and where a screen holds more than was drawn at first
  useEffect(() => {
    const frame = requestAnimationFrame(grow);
    return () => cancelAnimationFrame(frame);
  });
  return { count, ref, onScroll: grow };
}
