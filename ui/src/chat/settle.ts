import { useEffect, type RefObject } from 'react';

const SETTLING_FRAMES = 12;

/** Looks again for some frames: rows have their true height only once they were drawn. Answers how to stop. */
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

/** Who reads the end of a list keeps it in view when the page gets another size. */
export function useEndInView(scroller: RefObject<HTMLElement | null>, isAtEnd: RefObject<boolean>): void {
  useEffect(() => {
    if (!scroller.current) return;
    let stop: (() => void) | undefined;
    let isFirst = true;
    const observer = new ResizeObserver(() => {
      // it tells of the size that there is, too
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
