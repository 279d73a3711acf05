import { Injectable } from '@nestjs/common';
import { newAlphanumeric } from '../../kernel/ids/ids.js';
import { RestError } from '../../kernel/http/http-error.js';
import { Log } from '../../kernel/log/log.js';
import type { AppSecrets } from '../provisioning/initial-values.js';
import { AppRequests } from './app-requests.js';

/** The handshake by which a URL confirms that it wants its app's events (docs/reference/events.md#handshake). */
@Injectable()
export class UrlVerification {
  constructor(
    private readonly requests: AppRequests,
    private readonly log: Log,
  ) {}

  /**
   * True when the challenge was returned, as text, as `challenge=…` or as JSON, within 3 s. A failure is logged.
   * @param about the owner, the target if it is stored already, and the number of this attempt
   */
  async verify(
    url: string,
    app: AppSecrets,
    about: { workspaceId: string; target?: string; attempt?: number },
  ): Promise<boolean> {
    const reason = await this.failureOf(url, app, about.workspaceId);
    if (reason === undefined) return true;
    const { target = new URL(url).origin, attempt = 1 } = about;
    this.log.info('handshake failed', { target, reason, attempt });
    return false;
  }

  private async failureOf(url: string, app: AppSecrets, workspaceId: string): Promise<string | undefined> {
    const challenge = newAlphanumeric(48);
    try {
      const { status, text } = await this.requests.json(
        { url, secret: app.signingSecret, workspaceId },
        {
          token: app.verificationToken,
          challenge,
          type: 'url_verification',
        },
      );
      return status === 200 && isAnswer(text.trim(), challenge) ? undefined : 'challenge_failed';
    } catch (error) {
      if (error instanceof RestError) return error.code;
      throw error;
    }
  }
}

function isAnswer(text: string, challenge: string): boolean {
  if (text === challenge || text === `challenge=${challenge}`) return true;
  try {
    const json = JSON.parse(text) as { challenge?: unknown } | null;
    return json?.challenge === challenge || (json as unknown) === challenge;
  } catch {
    return false;
  }
}
