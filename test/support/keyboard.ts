import type { Page } from 'playwright-core';

export interface Focused {
  readonly role: string;
  readonly name: string;
  /** An outline of at least two pixels, on the element or on the box that it fills. */
  readonly isRinged: boolean;
  /** The middle of the element is on the screen and not covered. */
  readonly isSeen: boolean;
}

/** The focused element as a user perceives it. */
const FOCUSED = `(async () => {
  const moving = document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity);
  await Promise.all(moving.map((one) => one.finished.catch(() => undefined)));
  const element = document.activeElement;
  if (!element || element === document.body) return { role: 'page', name: '', isRinged: true, isSeen: true };
  const ringed = (one) => {
    const { outlineStyle, outlineWidth, boxShadow, borderTopWidth } = getComputedStyle(one);
    const around = Number(/0px 0px 0px ([0-9.]+)px/.exec(boxShadow)?.[1] ?? 0);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2) || (around > 0 && around + parseFloat(borderTopWidth) >= 2);
  };
  const box = element.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + Math.min(box.height / 2, 12)];
  const over = document.elementFromPoint(x, y);
  return {
    role: element.getAttribute('role') ?? element.tagName.toLowerCase(),
    name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 60),
    isRinged: [element, element.parentElement, element.parentElement?.parentElement].some((one) => one && ringed(one)),
    isSeen: over !== null && (element.contains(over) || over.contains(element)),
  };
})()`;

export const focused = (page: Page): Promise<Focused> => page.evaluate<Focused>(FOCUSED);

/** Presses Tab until an element with this name has the focus. */
export async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let steps = 0; steps < 80; steps++) {
    await page.keyboard.press(key);
    const now = await focused(page);
    if (typeof name === 'string' ? now.name === name : name.test(now.name)) return;
    passed.push(now.name);
  }
  throw new Error(`Tab never came to ${String(name)}; it passed ${passed.join(' · ')}`);
}
