import { DEFAULT_BOT_SCOPES, DEFAULT_USER_SCOPES } from '../provisioning/default-scopes.js';

const words = (text: string): string[] => text.trim().split(/\s+/);

/** Scopes of the reference service; most have a meaning here, the others are granted and do nothing. */
const KNOWN = new Set([
  ...DEFAULT_BOT_SCOPES,
  ...DEFAULT_USER_SCOPES,
  ...words(`
    admin admin.analytics:read admin.app_activities:read admin.apps:read admin.apps:write admin.barriers:read
    admin.barriers:write admin.conversations:manage_objects admin.conversations:read admin.conversations:write
    admin.invites:read admin.invites:write admin.roles:read admin.roles:write admin.teams:read admin.teams:write
    admin.usergroups:read admin.usergroups:write admin.users:read admin.users:write admin.workflows:read admin.workflows:write
    app_configurations:read app_configurations:write app_mentions:read assistant:write auditlogs:read authorizations:read
    bookmarks:read bookmarks:write calls:read calls:write canvases:read canvases:write channels:history channels:join
    channels:manage channels:read channels:write channels:write.invites channels:write.topic chat:write chat:write.customize
    chat:write.public client commands connections:write conversations.connect:manage conversations.connect:read
    conversations.connect:write datastore:read datastore:write dnd:read dnd:write dnd:write.user emoji:read files:read
    files:write groups:history groups:read groups:write groups:write.invites groups:write.topic hosting:read hosting:write
    identify im:history im:read im:write im:write.topic incoming-webhook links:read links:write links.embed:write lists:read
    lists:write metadata.message:read mpim:history mpim:read mpim:write mpim:write.topic pins:read pins:write post reactions:read
    reactions:write read reminders:read reminders:write remote_files:read remote_files:share remote_files:write search:read
    search:read.enterprise search:read.files search:read.im search:read.mpim search:read.private search:read.public
    search:read.users stars:read stars:write team.billing:read team.preferences:read team:read tokens.basic triggers:read
    triggers:write usergroups:read usergroups:write users.profile:read users.profile:write users:read users:read.email
    users:write workflow.steps:execute`),
]);

/** What people cannot hold. */
const BOTS_ONLY = new Set(
  words(
    'app_mentions:read assistant:write channels:join channels:manage chat:write.customize chat:write.public commands incoming-webhook',
  ),
);

/** For signing in, and never for an installation. */
export const OPENID_SCOPES: readonly string[] = ['openid', 'email', 'profile'];

/** A list separated by commas or blanks, without repetitions. */
export const scopeList = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(/[\s,]+/).filter((scope) => scope !== '')),
];

/** The first scope that cannot be asked for; undefined: there is none. */
export const unfitScope = (scopes: readonly string[], holder: 'bot' | 'user'): string | undefined =>
  scopes.find(
    (scope) => !KNOWN.has(scope) || OPENID_SCOPES.includes(scope) || (holder === 'user' && BOTS_ONLY.has(scope)),
  );
