import type { Choice, ConsentShown, TenantShown } from './consent-product.js';

/** What of a page is not the product's. */
export interface PageFrame {
  readonly nonce: string;
  /** The path of the server as the browser sees it, with a final slash. */
  readonly base: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);

/** The product's own colours, as ui/src/kit/tokens.css has them. */
const STYLE = `
:root { color-scheme: light dark;
  --bg: light-dark(#f6f6f8, #121215); --card: light-dark(#ffffff, #1f1f25); --line: light-dark(#e4e4e9, #2d2d35);
  --control: light-dark(#85858f, #757582); --text: light-dark(#1c1c21, #ececf1); --soft: light-dark(#5b5b66, #b0b0bc);
  --accent: light-dark(#4f4fc4, #6060d8); --accent-hover: light-dark(#4343ad, #5353cb); --ring: light-dark(#4f4fc4, #a9a9fb);
  --new: light-dark(#18794e, #5fd39a); --new-soft: light-dark(#e3f4eb, #173426); --warn: light-dark(#8a5300, #f2b95c);
  --warn-soft: light-dark(#fdf0d5, #3a2b11); --bad: light-dark(#b4232c, #ff8f8f); }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px 16px; background: var(--bg); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { width: 100%; max-width: 480px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 28px; }
h1 { margin: 0 0 4px; font-size: 20px; line-height: 1.3; font-weight: 680; overflow-wrap: anywhere; }
h2 { margin: 20px 0 6px; font-size: 13px; font-weight: 600; color: var(--soft); }
p { margin: 4px 0; overflow-wrap: anywhere; } .soft { color: var(--soft); }
ul { margin: 0; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: 8px; max-height: 240px; overflow: auto; }
li { display: flex; gap: 8px; justify-content: space-between; align-items: center; padding: 6px 12px; }
li + li { border-top: 1px solid var(--line); } li code { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.new { flex: none; font-size: 12px; font-weight: 600; padding: 0 8px; border-radius: 99px; color: var(--new); background: var(--new-soft); }
.note { margin: 12px 0 0; padding: 8px 12px; border-radius: 8px; color: var(--warn); background: var(--warn-soft); }
.error { color: var(--bad); }
label { display: block; margin: 16px 0 4px; font-size: 13px; font-weight: 600; }
select, input { width: 100%; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--control); border-radius: 8px;
  padding: 8px 10px; }
.actions { display: flex; gap: 8px; margin-top: 24px; }
button { font: inherit; font-weight: 600; color: inherit; background: transparent; border: 1px solid var(--control); border-radius: 8px;
  padding: 8px 18px; cursor: pointer; }
button.main { color: #fff; background: var(--accent); border-color: var(--accent); } button.main:hover { background: var(--accent-hover); }
:focus-visible { outline: 2px solid var(--ring); outline-offset: 2px; }
`;

const page = (title: string, { nonce }: PageFrame, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;

const options = (choices: readonly Choice[]): string =>
  choices.map(({ id, label }) => `<option value="${escaped(id)}">${escaped(label)}</option>`).join('');

const select = (name: string, label: string, content: string): string =>
  `<label for="${name}">${label}</label>\n<select id="${name}" name="${name}">${content}</select>`;

/** Choices of several workspaces are grouped by them. */
const grouped = (tenants: readonly TenantShown[], of: (tenant: TenantShown) => readonly Choice[]): string =>
  tenants.length === 1
    ? options(of(tenants[0] as TenantShown))
    : tenants.map((tenant) => `<optgroup label="${escaped(tenant.label)}">${options(of(tenant))}</optgroup>`).join('');

const asked = ({ asks }: ConsentShown): string =>
  asks
    .filter(({ scopes }) => scopes.length > 0)
    .map(
      ({ title, scopes }) => `<h2>${escaped(title)}</h2>
<ul tabindex="0" aria-label="${escaped(title)}">
${scopes.map(({ name, isNew }) => `<li><code>${escaped(name)}</code>${isNew ? '<span class="new">new</span>' : ''}</li>`).join('\n')}
</ul>`,
    )
    .join('\n');

const heading = ({ app, description }: ConsentShown, rest: string): string =>
  `<h1>${escaped(app)} ${rest}</h1>${description ? `\n<p class="soft">${escaped(description)}</p>` : ''}`;

/** Asks somebody to allow or to cancel. @param person who signed in; undefined where one is picked */
export function consentPage(shown: ConsentShown, frame: PageFrame, ticket: string, person: string | undefined): string {
  const { tenants } = shown;
  const [only] = tenants;
  const where = tenants.length === 1 && only ? ` to ${only.label}` : '';
  const hasPeople = tenants.some(({ people }) => people.length > 0);
  const channels = tenants.some((tenant) => tenant.channels !== undefined);
  const parts = [
    heading(shown, `asks for access${escaped(where)}`),
    person === undefined ? '' : `<p class="soft">Signed in as ${escaped(person)}</p>`,
    asked(shown),
    ...shown.notes.map((note) => `<p class="note">${escaped(note)}</p>`),
    `<form method="post" action="${escaped(frame.base)}oauth/consent">`,
    `<input type="hidden" name="ticket" value="${ticket}">`,
    tenants.length > 1 ? select('team', 'Workspace', options(tenants)) : '',
    hasPeople
      ? select(
          'user',
          'Person',
          grouped(tenants, (tenant) => tenant.people),
        )
      : '',
    channels
      ? select(
          'channel',
          'Channel to post to',
          grouped(tenants, (tenant) => tenant.channels ?? []),
        )
      : '',
    `<div class="actions"><button class="main" name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Cancel</button></div>`,
    '</form>',
  ];
  return page(`${shown.app} asks for access`, frame, parts.filter((part) => part !== '').join('\n'));
}

/**
 * Asks who it is, before anything of a workspace is shown.
 * @param refused the address that was sent with a wrong password; undefined: none yet
 */
export function signInPage(shown: ConsentShown, frame: PageFrame, ticket: string, refused: string | undefined): string {
  const body = `${heading(shown, 'asks for access')}
<p class="soft">Sign in to see what it asks for.</p>
${refused === undefined ? '' : '<p class="error" role="alert">The e-mail address or the password is wrong.</p>'}
<form method="post" action="${escaped(frame.base)}oauth/sign-in">
<input type="hidden" name="ticket" value="${ticket}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${escaped(refused ?? '')}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<div class="actions"><button class="main">Sign in</button></div>
</form>`;
  return page('Sign in', frame, body);
}

/** Says why nobody can consent. */
export const errorPage = (code: string, sentence: string | undefined, frame: PageFrame): string =>
  page(
    'This cannot be authorized',
    frame,
    `<h1>This cannot be authorized</h1>
<p>${escaped(sentence ?? 'The app that sent you here asked in a way that is not valid.')}</p>
<p class="soft">Error: <code id="error">${escaped(code)}</code></p>`,
  );
