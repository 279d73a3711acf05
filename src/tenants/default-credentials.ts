import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS_TOKEN, type Settings } from '../kernel/config/settings.js';
import { InstanceSecrets } from '../kernel/database/instance-secrets.js';

const DIGITS = '0123456789';
const HEX = '0123456789abcdef';
const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** Without characters that look alike, as people may type it. */
const READABLE = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Credentials of the default workspace in plain text. Never log them. */
export interface Credentials {
  readonly botToken: string;
  readonly userToken: string;
  /** The app-level token of the default app. */
  readonly appToken: string;
  /** The tracker's API key of the admin. */
  readonly apiKey: string;
}

/**
 * The default workspace's credentials, which are never stored in plain text and can still be printed again by any
 * replica: values from the settings, else an HMAC of the instance secret, the credential's name and its version.
 */
@Injectable()
export class DefaultCredentials {
  constructor(
    @Inject(SETTINGS_TOKEN) private readonly settings: Settings,
    private readonly secrets: InstanceSecrets,
  ) {}

  /** @param version increases by one with each rotation */
  of(version: number, appId: string): Credentials {
    return {
      botToken: this.settings.defaultBotToken ?? this.token('xoxb', 'default bot token', version),
      userToken: this.settings.defaultUserToken ?? this.token('xoxp', 'default user token', version),
      appToken: this.settings.defaultAppToken ?? this.appLevelToken(version, appId),
      apiKey:
        this.settings.defaultApiKey ??
        `svc_api_${this.secrets.derive(`default API key ${version}`, LETTERS_AND_DIGITS, 40)}`,
    };
  }

  /** Names of the settings that fix a credential: a rotation does not change those. */
  get fixed(): string[] {
    return [
      ...(this.settings.defaultBotToken === undefined ? [] : ['SVC_DEFAULT_BOT_TOKEN']),
      ...(this.settings.defaultUserToken === undefined ? [] : ['SVC_DEFAULT_USER_TOKEN']),
      ...(this.settings.defaultAppToken === undefined ? [] : ['SVC_DEFAULT_APP_TOKEN']),
      ...(this.settings.defaultApiKey === undefined ? [] : ['SVC_DEFAULT_API_KEY']),
    ];
  }

  get canRotate(): boolean {
    return this.fixed.length < 4;
  }

  get adminPassword(): string {
    return this.settings.adminPassword ?? this.secrets.derive('default admin password', READABLE, 20);
  }

  private appLevelToken(version: number, appId: string): string {
    const digits = this.secrets.derive(`default app token ${version} number`, DIGITS, 13);
    return `xapp-1-${appId}-${digits}-${this.secrets.derive(`default app token ${version}`, HEX, 64)}`;
  }

  private token(prefix: string, name: string, version: number): string {
    const digits = this.secrets.derive(`${name} ${version} number`, DIGITS, 12);
    return `${prefix}-${digits}-${this.secrets.derive(`${name} ${version}`, LETTERS_AND_DIGITS, 24)}`;
  }
}
