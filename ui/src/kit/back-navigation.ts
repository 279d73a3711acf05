let isBack = false;

// the router reports navigation by events of these names
window.addEventListener('popstate', () => (isBack = true), true);
window.addEventListener('pushState', () => (isBack = false));

/** Whether this place was reached by back or forward: it is shown as it was left. */
export const isBackNavigation = (): boolean => isBack;
