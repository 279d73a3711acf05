/**
 * Who may import whom. Each rule is a pattern over rooms (folders), so that a new room is fenced from its first file on;
 * `npm run check` applies them. docs/architecture.md has the picture.
 */

/** What the method families of the chat stand on, from the ground up: each room imports those before it alone. */
export const CHAT_FLOORS = [
  'store',
  'wire',
  'access',
  'events',
  'provisioning',
  'messages',
  'members',
  'surfaces',
  'sandbox',
  'installing',
];
const CHAT_CORE = CHAT_FLOORS.join('|');
/** What the entities of the tracker stand on. */
const TRACKER_CORE = 'values|store|access|query|provisioning|events|sandbox';
/** The rooms of the tracker from the ground up: each imports those before it alone. */
export const TRACKER_FLOORS = [
  ...TRACKER_CORE.split('|'),
  'graphql',
  'rest',
  'labels',
  'files',
  'api-keys',
  'entity',
  'reactions',
  'organization',
  'external-links',
  'reports',
  'documents',
  'templates',
  'teams',
  'realtime',
  'webhooks',
  'oauth',
  'projects',
  'initiatives',
  'issues',
  'customers',
  'views',
  'favorites',
  'releases',
  'search',
];
/** What acts: a family of the tracker shows others its rows, types and filters, never these. */
const ACTS = '(/[^./]+|\\.(service|controller|module|resolver|relations|queries|inputs|dto|events))\\.ts$';
/** Screens of the UI. */
const SCREENS = 'shell|chat|tracker|inspect|apps|sandboxes|settings|sign-in|graphiql';

const forbid = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: typeof from === 'string' ? { path: from } : from,
  to: typeof to === 'string' ? { path: to } : to,
});
/** A room of `src` that imports, besides itself, these rooms alone. */
const onlyFrom = (name, room, others, comment) =>
  forbid(name, comment, `^src/${room}/`, { path: '^src/', pathNot: `^src/(${[room, ...others].join('|')})/` });

/** Rooms of a product that stand upon each other: none imports one above it. */
const floors = (product, rooms) =>
  rooms
    .slice(0, -1)
    .map((room, i) =>
      forbid(
        `${product}-floor-${room}`,
        'A room imports what is below it: what is needed above and below is moved down.',
        `^src/${product}/${room}/`,
        `^src/${product}/(${rooms.slice(i + 1).join('|')})/`,
      ),
    );

export default {
  forbidden: [
    ...floors('messaging', CHAT_FLOORS),
    ...floors('tracker', TRACKER_FLOORS),
    forbid(
      'circles',
      'Files that import each other are one file, or the type both need is moved down.',
      '^(src|ui/src)/',
      {
        circular: true,
      },
    ),
    onlyFrom('kernel', 'kernel', [], 'The kernel imports nothing but itself.'),
    onlyFrom('auth', 'auth', ['kernel'], 'src/auth knows neither product.'),
    onlyFrom('oauth', 'oauth', ['kernel', 'auth'], 'src/oauth knows neither product.'),
    onlyFrom('webhooks', 'webhooks', ['kernel'], 'src/webhooks knows neither product.'),
    onlyFrom('ui', 'ui', ['kernel', 'auth', 'oauth'], 'src/ui serves pages: it knows no product.'),
    forbid(
      'composition',
      'The application composes the rooms, not the other way round.',
      { path: '^src/.+/', pathNot: '^src/cli/' },
      '^src/(cli/|(app|app\\.module|main)\\.ts$)',
    ),
    forbid('sandbox', 'Sandboxes know neither product: they register at its ports.', '^src/sandbox/', {
      path: '^src/(messaging|tracker|ui)/',
    }),
    forbid(
      'tenants',
      'How tenants are made and end stands below the features for tests.',
      '^src/tenants/',
      '^src/sandbox/',
    ),
    forbid('products', 'A product knows neither the other nor what composes it.', '^src/(messaging|tracker)/', {
      path: '^src/(messaging|tracker|tenants|sandbox|ui)/',
      pathNot: '^src/$1/',
    }),
    forbid(
      'tool-servers',
      'A tool server is a client of the HTTP API: it imports none of the product.',
      '^src/(messaging|tracker)/mcp/',
      { path: '^src/($1|auth|webhooks|kernel/database)/', pathNot: '^src/$1/mcp/' },
    ),
    forbid(
      'chat-core',
      'What every family stands on knows no family: what families need of each other is moved there.',
      `^src/messaging/(${CHAT_CORE})/`,
      { path: '^src/messaging/[^/]+/', pathNot: `^src/messaging/(${CHAT_CORE})/` },
    ),
    forbid('chat-edge', 'The edge imports the core: it knows no method family.', '^src/messaging/(rpc|realtime)/', {
      path: '^src/messaging/[^/]+/',
      pathNot: `^src/messaging/($1|rpc|${CHAT_CORE})/`,
    }),
    forbid(
      'chat-families',
      'A method family imports no sibling but chat: what both need belongs in the core. Acts of people use them all.',
      { path: '^src/messaging/([^/]+)/', pathNot: `^src/messaging/(${CHAT_CORE}|rpc|realtime|acting|mcp)/` },
      { path: '^src/messaging/[^/]+/', pathNot: `^src/messaging/($1|chat|rest|rpc|${CHAT_CORE})/` },
    ),
    forbid(
      'tracker-core',
      'What every entity stands on knows no entity and nothing of the edge.',
      `^src/tracker/(${TRACKER_CORE})/`,
      { path: '^src/tracker/[^/]+/', pathNot: `^src/tracker/(${TRACKER_CORE})/` },
    ),
    forbid('tracker-entity', 'How entities are declared knows the edge, and no family.', '^src/tracker/entity/', {
      path: '^src/tracker/[^/]+/',
      pathNot: `^src/tracker/(entity|graphql|${TRACKER_CORE})/`,
    }),
    forbid('tracker-edge', 'The edge imports the core: it knows no entity.', '^src/tracker/(graphql|realtime)/', {
      path: '^src/tracker/[^/]+/',
      pathNot: `^src/tracker/($1|entity|${TRACKER_CORE})/`,
    }),
    forbid(
      'tracker-families',
      'Families import of each other what is declared (rows, GraphQL types, filters) and nothing that acts, but for what labels of all kinds do, and documents, links, reactions, attachments and the history of issues, which many things have.',
      { path: '^src/tracker/([^/]+)/', pathNot: `^src/tracker/(${TRACKER_CORE}|entity|graphql|realtime|mcp)/` },
      {
        path: `^src/tracker/[^/]+/.*${ACTS}`,
        pathNot: `^src/tracker/($1|rest|entity|labels|reactions|documents|external-links|graphql|issues/history|issues/attachments|${TRACKER_CORE})/`,
      },
    ),
    forbid('browser', "The browser's code imports nothing of the server's.", '^ui/', '^src/'),
    forbid('ui-kit', 'The kit knows no API and no screen.', '^ui/src/kit/', {
      path: '^ui/src/[^/]+/',
      pathNot: '^ui/src/kit/',
    }),
    forbid('ui-api', 'What speaks to the server knows no screen.', '^ui/src/api/', {
      path: '^ui/src/[^/]+/',
      pathNot: '^ui/src/(api|kit)/',
    }),
    forbid('ui-text', 'Texts know neither blocks nor screens.', '^ui/src/text/', {
      path: '^ui/src/[^/]+/',
      pathNot: '^ui/src/(text|api|kit)/',
    }),
    forbid(
      'ui-shared',
      'Blocks and profiles are shown by several screens: they know none.',
      '^ui/src/(blocks|profile)/',
      {
        path: `^ui/src/(${SCREENS})/`,
      },
    ),
    forbid('ui-blocks', 'Blocks know no profile.', '^ui/src/blocks/', '^ui/src/profile/'),
    forbid(
      'ui-screens',
      'Sections do not import each other: they share through kit, api, text and blocks.',
      { path: `^ui/src/(${SCREENS})/`, pathNot: '^ui/src/shell/' },
      { path: `^ui/src/(${SCREENS})/`, pathNot: '^ui/src/$1/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'] },
  },
};
