let isBack = false;

// the router tells of its own steps by events of these names
window.addEventListener('popstate', () => (isBack = true), true);
window.addEventListener('pushState', () => (isBack = false));

/** Whether this place was reached by the browser's back or forward: it is shown as it was left. */
export const cameBack = (): boolean => isBack;
