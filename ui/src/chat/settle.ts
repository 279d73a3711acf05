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
