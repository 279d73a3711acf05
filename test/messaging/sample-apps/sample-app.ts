import type { App } from '@slack/bolt';
import type { Team } from './team.js';

/** What an app has handled, to avoid handling an event twice. */
export class Journal {
  /** The ts of the messages it acted on, in order. */
  readonly acted: string[] = [];
  /** Ids of events that were delivered again. */
  readonly repeated: string[] = [];
  private readonly seen = new Set<string>();

  /** Events arrive at least once (docs/reference/events.md#delivery), so the app deduplicates them by id. */
  watch(app: App): void {
    app.use(async ({ body, next }) => {
      const id = (body as { event_id?: string }).event_id;
      if (id !== undefined && this.seen.has(id)) return void this.repeated.push(id);
      if (id !== undefined) this.seen.add(id);
      await next();
    });
  }
}

/** An app as a team would write it, with the manifest that installs it. */
export interface SampleApp {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly events: readonly string[];
  readonly commands?: readonly string[];
  readonly shortcuts?: readonly object[];
  readonly channels: readonly string[];
  listen(app: App, journal: Journal): void;
  /** Users work with the app, and the story verifies it. `middle` is called once, while much is in progress. */
  story(team: Team, journal: Journal, middle: () => Promise<void>): Promise<void>;
}

export const label = (text: string) => ({ type: 'plain_text' as const, text });
export const mrkdwn = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });
