import { useEffect, type RefObject } from 'react';

const SETTLING_FRAMES = 12;

/** Repeats for some frames: rows have their true height only after rendering. Returns a function that stops it. */
export function settle(look: () => void): () => void {
  let frame = 0;
  let left = SETTLING_FRAMES;
  const next = (): void => {
    look();
    if (--left > 0) frame = requestAnimationFrame(next);
  };
  frame = requestAnimationFrame(next);
  return () => cancelAnimationFrame(frame);
}

/** A person at the end of a list stays there when the viewport is resized. */
export function useEndInView(scroller: RefObject<HTMLElement | null>, isAtEnd: RefObject<boolean>): void {
  useEffect(() => {
    if (!scroller.current) return;
    let stop: (() => void) | undefined;
    let isFirst = true;
    const observer = new ResizeObserver(() => {
      // the observer also reports the initial size
      if (isFirst || !isAtEnd.current) return void (isFirst = false);
      stop?.();
      stop = settle(() => {
        const { current } = scroller;
        if (current) current.scrollTop = current.scrollHeight;
      });
    });
    observer.observe(scroller.current);
    return () => {
      observer.disconnect();
      stop?.();
    };
  }, [scroller, isAtEnd]);
}
