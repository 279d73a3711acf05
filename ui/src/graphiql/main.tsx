import { GraphiQL } from 'graphiql';
import 'graphiql/setup-workers/vite';
import 'graphiql/style.css';
import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import type { Fetcher } from '@graphiql/toolkit';
import { ownToken, startSession } from '../api/session.js';
import { urlOf } from '../api/base.js';
import './graphiql.css';

const EXAMPLES = `query Me {
  viewer {
    id
    name
    email
  }
}

query Issues {
  issues(first: 10) {
    nodes {
      identifier
      title
      state {
        name
      }
    }
  }
}

query Teams {
  teams {
    nodes {
      id
      key
      name
    }
  }
}
`;

/** The organization and the document to show, from the link that opened this page. */
const search = new URLSearchParams(window.location.search);
const asked = { team: search.get('team'), query: search.get('query'), variables: search.get('variables') };

/** Sends calls with the session's token, which is never shown; an Authorization header entered in the page wins. */
const fetcher: Fetcher = async (params, options) => {
  const own = Object.fromEntries(
    Object.entries(options?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  const authorization = own['authorization'] ?? `Bearer ${await ownToken()}`;
  const response = await fetch(urlOf('graphql'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...own, authorization },
    body: JSON.stringify(params),
  });
  return response.json() as Promise<Record<string, unknown>>;
};

async function makeKey(): Promise<string> {
  const response = await fetch(urlOf('api/api-keys'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${await ownToken()}` },
    body: JSON.stringify({ label: 'GraphiQL' }),
  });
  const body = (await response.json()) as { token?: string; message?: string };
  if (!response.ok || body.token === undefined) throw new Error(body.message ?? 'no key was made');
  return body.token;
}

/** The theme of the preferences, which GraphiQL finds where it keeps its own; null: the system's. */
function storedTheme(): 'light' | 'dark' | null {
  try {
    const stored = localStorage.getItem('theme');
    const theme = stored === 'light' || stored === 'dark' ? stored : null;
    localStorage.setItem('graphiql:theme', theme ?? '');
    return theme;
  } catch {
    return null; // storage is disabled
  }
}

const darkness = window.matchMedia('(prefers-color-scheme: dark)');
/** The theme of the preferences; where that is the system's, what the system says. */
const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? darkness.matches : theme === 'dark';
};

const chosen = storedTheme();
if (chosen !== null) document.documentElement.dataset['theme'] = chosen;

function onDarkness(listener: () => void): () => void {
  darkness.addEventListener('change', listener);
  return () => darkness.removeEventListener('change', listener);
}

function Page(): ReactNode {
  // the page follows the theme at once; the editor takes its colours only when it starts
  const dark = useSyncExternalStore(onDarkness, isDark);
  const [key, setKey] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const make = (): void => void makeKey().then(setKey, (failure: unknown) => setError((failure as Error).message));
  return (
    <div className="page">
      <header className="bar">
        <a className="back" href={urlOf(asked.team === null ? '' : `w/${asked.team}`).href}>
          ← Back
        </a>
        <h1>GraphiQL</h1>
        <p role={error === null ? undefined : 'alert'}>
          {error ??
            (key === null ? (
              'Requests are sent as the person who is signed in; the token is never shown.'
            ) : (
              <>
                Your key, shown only now: <code>{key}</code>
              </>
            ))}
        </p>
        {key === null && (
          <button type="button" onClick={make}>
            Use an API key
          </button>
        )}
      </header>
      <main className="editor">
        <GraphiQL
          key={`${key ?? 'session'} ${dark ? 'dark' : 'light'}`}
          fetcher={fetcher}
          defaultQuery={EXAMPLES}
          {...(asked.query === null ? {} : { initialQuery: asked.query })}
          {...(asked.variables === null ? {} : { initialVariables: asked.variables })}
          {...(key === null ? {} : { initialHeaders: JSON.stringify({ Authorization: key }, null, 2) })}
        />
      </main>
    </div>
  );
}

window.firstSession = fetch(urlOf('api/ui/session/refresh'), {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(asked.team === null ? {} : { team_id: asked.team }),
});
await startSession();
const signedIn = await ownToken().then(
  () => true,
  () => false,
);
if (!signedIn) window.location.replace(urlOf('sign-in?to=%2Fgraphiql'));
else createRoot(document.getElementById('root') as HTMLElement).render(<Page />);
