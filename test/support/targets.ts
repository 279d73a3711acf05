import type { Page } from 'playwright-core';

/** WCAG 2.5.8: a target of the pointer is at least this wide and high, in CSS pixels. */
const LEAST = 24;

/**
 * The visible targets that are smaller. Links within a sentence may be as high as its lines; a field that its label
 * covers, and a native control whose size the page does not set, are measured by what can be pressed for them.
 */
const SMALL = `(() => {
  const SELECTOR = 'a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=menuitem], ' +
    '[role=menuitemradio], [role=menuitemcheckbox], [role=option], [role=switch], [role=checkbox], [role=radio], [role=link]';
  const isInline = (element) =>
    ['inline', 'inline-block'].includes(getComputedStyle(element).display) &&
    [...(element.parentElement?.childNodes ?? [])].some((one) => one !== element && one.textContent.trim() !== '');
  // what is there for screen readers only is no target of the pointer
  const isClipped = (element) => {
    for (let one = element; one; one = one.parentElement) if (one.clientWidth === 1 && one.clientHeight === 1) return true;
    return false;
  };
  const small = [];
  for (const element of document.querySelectorAll(SELECTOR)) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest('[inert], [aria-hidden=true]') || element.disabled) continue;
    const target = element.closest('label') ?? element.labels?.[0] ?? element;
    const boxes = [element, target].map((one) => one.getBoundingClientRect());
    const box = boxes.find(({ width, height }) => width >= ${LEAST} && height >= ${LEAST}) ?? boxes[0];
    if (isClipped(element) || isInline(element)) continue;
    if (box.width >= ${LEAST} - 0.05 && box.height >= ${LEAST} - 0.05) continue;
    const name = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40);
    small.push((element.getAttribute('role') ?? element.localName) + ' "' + name + '" ' + Math.round(box.width) + ' x ' + Math.round(box.height));
  }
  return [...new Set(small)];
})()`;

/** The targets on the screen that are less than 24 pixels wide or high. */
export const smallTargets = (page: Page): Promise<string[]> => page.evaluate<string[]>(SMALL);
