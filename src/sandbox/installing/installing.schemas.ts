import { between, described, flag, integer, listOf, objectOf, oneOf, orNull, text } from '../access/schemas.js';

const PRODUCT = { ...oneOf('chat', 'tracker'), default: 'chat' };
const AS = described(text, 'a person by name, id or e-mail address; default: the primary owner');

export const INSTALL_BODY = objectOf(
  {},
  {
    product: PRODUCT,
    app: described(text, 'name or id of an app of the sandbox'),
    client_id: described(text, 'instead: of any app that may be installed here'),
    as: AS,
    decision: { ...oneOf('allow', 'deny'), default: 'allow' },
    start: described(text, "the app's own install URL, which is followed until it leads to an authorize URL"),
    authorize_url: described(text, 'instead: an authorize URL'),
    scope: described(text, 'without both: what is asked for; default: what is registered'),
    user_scope: text,
    redirect_uri: text,
    state: described(text, 'default: 32 hex digits'),
    actor: described(text, 'tracker: user or app'),
    channel: described(text, 'for incoming-webhook: name or id; default: #general'),
    follow: { ...flag, default: true, description: 'whether the redirect URL is fetched, once' },
    exchange: { ...flag, default: false, description: 'the server redeems the code itself and answers `tokens`' },
    timeout_ms: { ...between(1, 60_000), default: 10_000, description: 'of each page' },
  },
);

const HOPS = listOf(objectOf({ url: text, status: described(integer, '0: no answer') }));

const INSTALLATION = objectOf(
  { product: oneOf('chat', 'tracker'), app_id: text, client_id: orNull(text), name: text },
  {
    team_id: text,
    team: text,
    bot_user_id: orNull(text),
    scopes: { type: 'object' },
    users: listOf(text),
    installed: integer,
    home: flag,
  },
);

export const INSTALLED_SCHEMA = objectOf(
  {
    authorize_url: text,
    redirected_to: text,
    code: orNull(text),
    response: orNull(objectOf({ status: integer, headers: { type: 'object' }, body: text })),
    hops: HOPS,
    installed: described(flag, 'whether the code was redeemed by then'),
    installation: orNull(INSTALLATION),
    waited_ms: integer,
  },
  {
    error: oneOf('connection_failed', 'operation_timeout'),
    tokens: { type: 'object', description: 'with `exchange`: the answer of the token method' },
    warnings: listOf(text),
  },
);

export const INSTALLATIONS_SCHEMA = objectOf({ installations: listOf(INSTALLATION) });

export const END_TOKENS_BODY = objectOf(
  {},
  {
    product: PRODUCT,
    token: described(text, 'one token'),
    app: described(text, 'instead: name or id of an app, with `kind`; not with config'),
    kind: oneOf('bot', 'user', 'refresh', 'config', 'access'),
    user: AS,
  },
);

export const CONFIG_TOKEN_BODY = objectOf({}, { user: AS });

export const CONFIG_TOKEN_SCHEMA = objectOf({
  token: described(text, "for apps.manifest.*, 12 hours by the sandbox's clock"),
  refresh_token: described(text, 'for tooling.tokens.rotate, once'),
  team_id: text,
  user_id: text,
  iat: integer,
  exp: integer,
});

export const ENDED_SCHEMA = objectOf({ count: described(integer, 'how many tokens ended') });
