import { BadRequestException, Injectable } from '@nestjs/common';
import { RestError } from '../../../kernel/http/http-error.js';
import { ProductActs, type ActingPerson } from '../../../kernel/sandbox/product-acts.js';
import { Viewers } from '../../access/viewer.js';
import { TrackerError } from '../../values/errors.js';
import { AgentSessionsService, type Prompt } from './agent-sessions.service.js';

type Sent = Readonly<Record<string, unknown>>;

/** What people say to agents, for tests (docs/reference/acting.md#verbs). */
@Injectable()
export class AgentActs {
  constructor(
    private readonly viewers: Viewers,
    private readonly sessions: AgentSessionsService,
    acts: ProductActs,
  ) {
    acts.register({
      session_prompt: (person, sent) => this.prompt(person, sent, { body: textIn(sent, 'body') }),
      session_stop: (person, sent) => this.prompt(person, sent, { stop: true }),
      session_select: (person, sent) => this.prompt(person, sent, { select: textIn(sent, 'value') }),
    });
  }

  private async prompt(person: ActingPerson, sent: Sent, said: Prompt): Promise<object> {
    const id = textIn(sent, 'session');
    const viewer = await this.viewers.ofPerson(person.tenantId, person.accountId);
    if (!viewer) throw new RestError(404, 'user_not_found');
    try {
      const { session, activity } = await this.sessions.prompt(viewer, id, said);
      return { activity_id: activity.id, session_id: session.id, status: session.status };
    } catch (error) {
      throw error instanceof TrackerError ? refusalOf(error) : error;
    }
  }
}

function refusalOf(error: TrackerError): Error {
  if (error.kind === 'notFound') return new RestError(404, 'session_not_found');
  if (error.kind === 'rule') return new RestError(409, 'session_dismissed');
  if (error.validationErrors?.[0]?.property === 'value') return new RestError(400, 'invalid_option');
  return new BadRequestException([error.presentable ?? error.message]);
}

/** @throws BadRequestException */
function textIn(sent: Sent, field: string): string {
  const value = sent[field];
  if (typeof value !== 'string' || value.trim() === '') throw new BadRequestException([`${field} must be a text`]);
  return value;
}
