import type { App } from '@slack/bolt';
import type { Team } from './team.js';

/** What an app remembers of what it did, and how it keeps from doing it twice. */
export class Journal {
  /** What it acted on, in order: the ts of messages. */
  readonly acted: string[] = [];
  /** Ids of events that came again. */
  readonly repeated: string[] = [];
  private readonly seen = new Set<string>();

  /** Events come at least once (docs/reference/events.md#delivery): a careful app goes by their ids. */
  watch(app: App): void {
    app.use(async ({ body, next }) => {
      const id = (body as { event_id?: string }).event_id;
      if (id !== undefined && this.seen.has(id)) return void this.repeated.push(id);
      if (id !== undefined) this.seen.add(id);
      await next();
    });
  }
}

/** An app as a team would write it, with the manifest that it is installed by. */
export interface SampleApp {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly events: readonly string[];
  readonly commands?: readonly string[];
  readonly shortcuts?: readonly object[];
  readonly channels: readonly string[];
  listen(app: App, journal: Journal): void;
  /** People use it, and it does what it is for. `middle` is called once, while much is under way. */
  story(team: Team, journal: Journal, middle: () => Promise<void>): Promise<void>;
}

export const label = (text: string) => ({ type: 'plain_text' as const, text });
export const mrkdwn = (text: string) => ({ type: 'section' as const, text: { type: 'mrkdwn' as const, text } });
