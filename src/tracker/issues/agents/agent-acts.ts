import { BadRequestException, Injectable } from '@nestjs/common';
import { RestError } from '../../../kernel/http/http-error.js';
import { ProductActs, type ActingPerson, type ProductActed } from '../../../kernel/sandbox/product-acts.js';
import { TrackerError } from '../../values/errors.js';
import { ActReplies } from '../acts/act-replies.js';
import { ActingViewers } from '../acts/acting-viewers.js';
import { textIn, type Sent } from '../acts/sent-fields.js';
import { AgentSessionsService, type Prompt } from './agent-sessions.service.js';

/** What people say to agents, for tests (docs/reference/acting.md#verbs). */
@Injectable()
export class AgentActs {
  constructor(
    private readonly viewers: ActingViewers,
    private readonly sessions: AgentSessionsService,
    private readonly replies: ActReplies,
    acts: ProductActs,
  ) {
    acts.register({
      session_prompt: (person, sent) => this.prompt(person, sent, { body: textIn(sent, 'body') }),
      session_stop: (person, sent) => this.prompt(person, sent, { stop: true }),
      session_select: (person, sent) => this.prompt(person, sent, { select: textIn(sent, 'value') }),
    });
  }

  private async prompt(person: ActingPerson, sent: Sent, said: Prompt): Promise<ProductActed> {
    const id = textIn(sent, 'session');
    const viewer = await this.viewers.of(person);
    try {
      const { session, activity } = await this.sessions.prompt(viewer, id, said);
      const { issueId, commentId } = session;
      return {
        result: { activity_id: activity.id, session_id: session.id, status: session.status },
        asksAgent: true,
        replies: this.replies.at(viewer, { issueId, ...(commentId && { threadId: commentId }) }, session.id),
      };
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
