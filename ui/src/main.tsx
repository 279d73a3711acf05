import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { basePath } from './api/base.js';
import { startSession } from './api/session.js';
import { isOwnPath } from './kit/own-path.js';
import './kit/tokens.css';
import { preloadSection, Routes } from './routes.js';
import { firstScreenLoaded } from './shell/workspace.js';

const RELOADED = 'reloaded-at';

// a chunk that is gone after an upgrade: reload the page once; if that does not help, the page says so
window.addEventListener('vite:preloadError', (event) => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < 60_000) return;
  sessionStorage.setItem(RELOADED, String(Date.now()));
  event.preventDefault();
  window.location.reload();
});

// another link, followed while the page still has the address that links lead to, loads no new page by itself
window.addEventListener('hashchange', ({ newURL }) => {
  if (!new URL(newURL).hash.startsWith('#key=')) return;
  if (window.location.href === newURL) window.location.reload();
  // this page has left that address meanwhile
  else window.location.replace(newURL);
});

const client = new QueryClient({
  defaultOptions: { queries: { staleTime: 5_000, retry: 1, refetchOnWindowFocus: false } },
});

preloadSection(window.location.pathname);
const isByLink = window.firstSessionByLink === true;
const linkTarget = new URLSearchParams(window.location.hash.slice(1)).get('to');
const { to } = await startSession();
if (isByLink) {
  // the link's key is used up: remove it from the address
  const target = to ?? linkTarget;
  const path = target !== null && target !== undefined && isOwnPath(target) ? target : '/';
  window.history.replaceState(null, '', basePath() + path);
}
await firstScreenLoaded(client);
createRoot(document.getElementById('root') as HTMLElement, {
  // the page shows the error
  // oxlint-disable-next-line no-console -- where it came from stands nowhere else
  onCaughtError: (error) => console.warn(error),
}).render(
  <QueryClientProvider client={client}>
    <Routes />
  </QueryClientProvider>,
);
