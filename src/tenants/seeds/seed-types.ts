import type { SeedThing } from '../../tracker/entity/seed-thing.js';
import type { SeedScriptEntry } from '../scripts/read-script.js';
import type { AppManifest } from '../../messaging/store/app-manifest.js';

type Json = Record<string, unknown>;

export interface SeedMessage {
  readonly as: string;
  readonly text: string;
  /** Microseconds; undefined: directly after the previous message. */
  readonly at: number | undefined;
  /** Microseconds, exactly. */
  readonly ts: number | undefined;
  readonly thread: string | undefined;
  readonly reactions: Readonly<Record<string, readonly string[]>>;
  readonly ref: string | undefined;
  readonly blocks: unknown[] | undefined;
  readonly attachments: unknown[] | undefined;
  readonly path: string;
}

export interface SeedUser {
  readonly name: string;
  readonly id: string | undefined;
  readonly realName: string | undefined;
  readonly email: string | undefined;
  readonly isAdmin: boolean | undefined;
  readonly presence: 'auto' | 'away' | undefined;
  readonly profile: Json;
  readonly userToken: string | undefined;
  readonly apiKey: string | undefined;
  /** In plain text; provisioning only. */
  readonly password: string | undefined;
  /** Null: cannot log in. */
  readonly passwordHash: string | null;
  readonly path: string;
}

export interface SeedChannel {
  readonly name: string;
  readonly id: string | undefined;
  readonly isPrivate: boolean;
  /** The primary owner, who is in the channels that a document makes, is not in this one. */
  readonly withoutOwner: boolean;
  readonly topic: string | undefined;
  readonly purpose: string | undefined;
  readonly members: readonly string[];
  readonly bookmarks: readonly SeedBookmark[];
  readonly messages: readonly SeedMessage[];
  readonly path: string;
}

export interface SeedBookmark {
  readonly title: string;
  readonly link: string;
  /** With its colons; empty: none. */
  readonly emoji: string;
}

export interface SeedApp {
  readonly name: string;
  readonly id: string | undefined;
  readonly manifest: AppManifest;
  /** Undefined: as its manifest says. An app in the short form has no manifest of its own. */
  readonly socketMode: 'auto' | undefined;
  readonly botToken: string | undefined;
  readonly userToken: string | undefined;
  readonly appToken: string | undefined;
  readonly signingSecret: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly isDistributed: boolean | undefined;
  readonly installed: SeedInstallation;
  /** Whether its URL is verified by a handshake. */
  readonly verify: boolean;
  /** The position of its commands in the document. */
  readonly commandsPath: string;
  readonly path: string;
}

/** Whether an app is installed, and for whom; `users` absent: for the primary owner, where its scopes have people's. */
export type SeedInstallation = false | { readonly users: readonly string[] | undefined; readonly isRotating: boolean };

export interface SeedUsergroup {
  readonly name: string;
  readonly handle: string;
  readonly description: string | undefined;
  readonly users: readonly string[];
  readonly channels: readonly string[];
  readonly ref: string | undefined;
  readonly path: string;
}

export interface SeedIncoming {
  readonly app: string;
  readonly channel: string;
  readonly name: string | undefined;
  readonly icons: object | null;
  readonly ref: string | undefined;
  readonly path: string;
}

export interface SeedOutgoing {
  readonly url: string;
  readonly events: readonly string[] | undefined;
  readonly name: string;
  readonly channel: string | undefined;
  readonly ref: string | undefined;
  readonly path: string;
}

export interface SeedComment {
  readonly as: string;
  readonly body: string;
  readonly id: string | undefined;
  /** Microseconds. */
  readonly at: number | undefined;
  /** Who resolved it. */
  readonly resolved: string | undefined;
  readonly replies: readonly SeedComment[];
  readonly things: readonly SeedThing[];
  readonly path: string;
}

/** What an application did as an agent in an issue. */
export interface SeedSession {
  readonly id: string | undefined;
  /** The name of an application that acts as itself. */
  readonly app: string;
  readonly status: string;
  /** Who began it; undefined: the application itself. */
  readonly as: string | undefined;
  /** Microseconds. */
  readonly at: number | undefined;
  readonly isDelegated: boolean;
  /** Who took the issue away from it. */
  readonly dismissed: string | undefined;
  readonly summary: string | undefined;
  readonly plan: readonly object[] | undefined;
  readonly externalUrls: readonly { readonly label: string; readonly url: string }[];
  readonly externalLink: string | undefined;
  readonly activities: readonly SeedActivity[];
  readonly path: string;
}

export interface SeedActivity {
  readonly id: string | undefined;
  readonly type: string;
  /** With its type. */
  readonly content: Readonly<Record<string, unknown>>;
  /** Who prompts; undefined: the primary owner. */
  readonly as: string | undefined;
  /** Microseconds. */
  readonly at: number | undefined;
  readonly isEphemeral: boolean;
  readonly signal: string | undefined;
  readonly signalMetadata: Json | undefined;
  readonly path: string;
}

export interface SeedIssue {
  readonly id: string | undefined;
  readonly title: string;
  readonly description: string | undefined;
  readonly state: string | undefined;
  readonly assignee: string | undefined;
  readonly as: string | undefined;
  readonly priority: number;
  readonly estimate: number | undefined;
  readonly dueDate: string | undefined;
  readonly labels: readonly string[];
  readonly number: number | undefined;
  readonly parent: string | undefined;
  readonly project: string | undefined;
  readonly cycle: number | undefined;
  /** Microseconds. */
  readonly at: number | undefined;
  readonly ref: string | undefined;
  readonly comments: readonly SeedComment[];
  readonly subscribers: readonly string[];
  readonly isArchived: boolean;
  /** The name of one of its project's. */
  readonly milestone: string | undefined;
  /** The name of one of its team's or the workspace's. */
  readonly template: string | undefined;
  /** The name of an application that acts as itself. */
  readonly delegate: string | undefined;
  readonly sessions: readonly SeedSession[];
  readonly things: readonly SeedThing[];
  readonly path: string;
}

export interface SeedLabel {
  readonly id: string | undefined;
  readonly name: string;
  readonly color: string | undefined;
  readonly description: string | undefined;
  readonly path: string;
}

export interface SeedState {
  readonly id: string | undefined;
  readonly name: string;
  readonly type: string | undefined;
  readonly color: string | undefined;
  readonly description: string | undefined;
  readonly path: string;
}

export interface SeedTeam {
  readonly id: string | undefined;
  readonly key: string;
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly isPrivate: boolean;
  /** People, besides all active ones of a public team. */
  readonly members: readonly string[];
  /** How agents are to work in it. */
  readonly guidance: string | undefined;
  readonly labels: readonly SeedLabel[];
  readonly states: readonly SeedState[];
  readonly things: readonly SeedThing[];
  readonly issues: readonly SeedIssue[];
  readonly path: string;
}

export interface SeedProject {
  readonly id: string | undefined;
  readonly name: string;
  readonly description: string | undefined;
  readonly content: string | undefined;
  readonly teams: readonly string[];
  readonly members: readonly string[];
  readonly labels: readonly string[];
  readonly lead: string | undefined;
  readonly status: string | undefined;
  readonly priority: number;
  readonly startDate: string | undefined;
  readonly targetDate: string | undefined;
  readonly things: readonly SeedThing[];
  readonly path: string;
}

export interface SeedTrackerWebhook {
  readonly id: string | undefined;
  readonly url: string;
  readonly label: string | undefined;
  readonly resourceTypes: readonly string[];
  readonly team: string | undefined;
  readonly secret: string | undefined;
  readonly ref: string | undefined;
  readonly path: string;
}

/** An application of OAuth. */
export interface SeedApplication {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly hasClientCredentials: boolean;
  readonly isPublic: boolean;
  readonly webhookUrl: string | undefined;
  readonly resourceTypes: readonly string[];
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Undefined: registered only. */
  readonly installed:
    { readonly actor: 'user' | 'app'; readonly scopes: readonly string[]; readonly as: string | undefined } | undefined;
  readonly path: string;
}

/** The tracker's half of a document. */
export interface SeedTracker {
  /** How agents are to work in all its teams. */
  readonly guidance: string | undefined;
  readonly apps: readonly SeedApplication[];
  readonly teams: readonly SeedTeam[] | undefined;
  readonly labels: readonly SeedLabel[];
  readonly projects: readonly SeedProject[];
  readonly webhooks: readonly SeedTrackerWebhook[];
  readonly things: readonly SeedThing[];
}

/** A document, validated by itself; names are resolved when the rows are made. */
export interface Seed {
  readonly users: readonly SeedUser[];
  readonly channels: readonly SeedChannel[];
  readonly dms: readonly {
    readonly members: readonly string[];
    readonly messages: readonly SeedMessage[];
    readonly path: string;
  }[];
  readonly apps: readonly SeedApp[];
  readonly usergroups: readonly SeedUsergroup[];
  readonly incoming: readonly SeedIncoming[];
  readonly outgoing: readonly SeedOutgoing[];
  readonly tracker: SeedTracker;
  readonly script: readonly SeedScriptEntry[];
  /** The lifetime of the access tokens in the answer, in real time. */
  readonly accessTokenSeconds: number;
  /** Faults found so far; if there are any, nothing is made. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Whether it makes nothing. */
export const isEmptySeed = ({
  users,
  channels,
  dms,
  apps,
  usergroups,
  incoming,
  outgoing,
  tracker,
  script,
}: Seed): boolean =>
  [
    users,
    channels,
    dms,
    apps,
    usergroups,
    incoming,
    outgoing,
    tracker.labels,
    tracker.projects,
    tracker.webhooks,
    tracker.apps,
    tracker.things,
    script,
  ].every((part) => part.length === 0) && tracker.teams === undefined;

const PARTS: ReadonlySet<string> = new Set([
  'users',
  'channels',
  'dms',
  'apps',
  'usergroups',
  'incoming_webhooks',
  'outgoing_webhooks',
  'tracker',
  'script',
]);

/** Whether a field of a document holds content rather than a setting of the sandbox. */
export const isPart = (field: string): boolean => PARTS.has(field);

/** About how many rows it makes: people, conversations with their members and messages, issues. */
export const rowsOf = ({ users, channels, dms, tracker: { teams = [] } }: Seed): number =>
  users.length +
  sumOf(channels, ({ members, messages }) => 1 + members.length + messages.length) +
  sumOf(dms, ({ messages }) => 1 + messages.length) +
  sumOf(teams, ({ issues }) => 1 + issues.length);

const sumOf = <T>(things: readonly T[], count: (thing: T) => number): number =>
  things.reduce((sum, thing) => sum + count(thing), 0);
