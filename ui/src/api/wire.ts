/** Shapes of the API as the UI reads them: fields that it does not read are left out. */

export interface Reaction {
  name: string;
  users: string[];
  count: number;
}

export interface TextObject {
  type: 'plain_text' | 'mrkdwn';
  text: string;
  emoji?: boolean;
}

/** A block or an element of one: read key by key, as it may contain anything. */
export type Json = { readonly [key: string]: unknown };

export interface FileObject {
  id: string;
  name?: string;
  title?: string;
  mimetype?: string;
  filetype?: string;
  size?: number;
  url_private?: string;
  url_private_download?: string;
  mode?: string;
}

/** What the agents of a thread are doing, on its first message. */
export interface AgentSession {
  status: 'processing' | 'suspended' | 'active' | 'closed';
  title?: string;
  agent_statuses: { agent_bot_user_id: string; status: string; is_stoppable: boolean }[];
}

/** A thing of an app's own, shown as a card. */
export interface WorkObject {
  entity_type: string;
  entity_payload: Json;
  external_ref: { id: string; type?: string };
  url: string;
  app_unfurl_url?: string;
}

export interface Message {
  type: string;
  subtype?: string;
  ts: string;
  text: string;
  user?: string;
  bot_id?: string;
  app_id?: string;
  is_bot?: boolean;
  username?: string;
  icons?: { emoji?: string; image_48?: string };
  bot_profile?: { name: string; app_id?: string; user_id?: string };
  blocks?: Json[];
  attachments?: Json[];
  files?: FileObject[];
  edited?: { user: string; ts: string };
  thread_ts?: string;
  parent_user_id?: string;
  reply_count?: number;
  reply_users?: string[];
  latest_reply?: string;
  reactions?: Reaction[];
  /** On messages that an app writes, or wrote, bit by bit. */
  streaming_state?: 'in_progress' | 'completed';
  agent_session?: AgentSession;
  assistant_app_thread?: { title: string };
  metadata?: { entities?: WorkObject[] };
  is_ephemeral?: boolean;
  hidden?: boolean;
  channel?: string;
}

export interface Conversation {
  id: string;
  name?: string;
  is_channel?: boolean;
  is_group?: boolean;
  is_im?: boolean;
  is_mpim?: boolean;
  is_private?: boolean;
  is_archived?: boolean;
  is_general?: boolean;
  is_member?: boolean;
  creator?: string;
  created?: number;
  user?: string;
  is_user_deleted?: boolean;
  num_members?: number;
  topic?: { value: string; creator?: string };
  purpose?: { value: string; creator?: string };
}

export interface SidebarConversation extends Conversation {
  latest_ts: string | null;
  unread: number;
  mentions: number;
}

export interface User {
  id: string;
  name: string;
  real_name?: string;
  deleted?: boolean;
  color?: string;
  is_bot?: boolean;
  is_admin?: boolean;
  is_owner?: boolean;
  is_primary_owner?: boolean;
  presence?: string;
  tz?: string;
  profile: {
    real_name?: string;
    display_name?: string;
    title?: string;
    email?: string;
    status_text?: string;
    status_emoji?: string;
    status_expiration?: number;
    api_app_id?: string;
    bot_id?: string;
  };
}

export interface Team {
  id: string;
  name: string;
  domain: string;
}

export interface SignedIn {
  team: Team;
  user: { id: string; name: string; real_name: string };
  role: string;
}

export interface SessionAnswer {
  accessToken: string;
  expiresIn: number;
  user: { id: string; name: string; real_name: string; email: string | null };
  team: Team;
  role: string;
  sandbox_id: string | null;
  methods: 'core' | 'all';
  signed_in: SignedIn[];
  to?: string;
}

export interface Command {
  id: string;
  command: string;
  description: string;
  usage_hint: string;
  app_id: string;
  url: string;
}

export interface SearchMatch {
  iid: string;
  ts: string;
  text: string;
  user?: string;
  username?: string;
  permalink: string;
  channel: { id: string; name: string; is_im?: boolean };
}
