import { MayBeAbsent, NoOtherFields, OneOf, Rule, TextThat, TrueOrFalse, WholeNumber } from '../access/body-rules.js';

const PRODUCTS = ['chat', 'tracker'] as const;
const MAX_URL = 8_000;

const ShortText = (): PropertyDecorator =>
  TextThat((text) => text !== '' && text.length <= MAX_URL, `must be a text of 1 to ${MAX_URL} characters`);

const isHttpUrl = (text: string): boolean =>
  text.length <= MAX_URL && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** Of what somebody consents to, and how (docs/reference/installing.md#installing-without-a-browser). */
@NoOtherFields()
export class InstallBody {
  @MayBeAbsent() @OneOf(PRODUCTS) product?: (typeof PRODUCTS)[number];
  @MayBeAbsent() @ShortText() app?: string;
  @MayBeAbsent() @ShortText() client_id?: string;
  @MayBeAbsent() @ShortText() as?: string;
  @MayBeAbsent() @OneOf(['allow', 'deny']) decision?: 'allow' | 'deny';
  @MayBeAbsent() @TextThat(isHttpUrl, 'must be an http or https URL') start?: string;
  @MayBeAbsent() @TextThat(isHttpUrl, 'must be an http or https URL') authorize_url?: string;
  @MayBeAbsent() @ShortText() scope?: string;
  @MayBeAbsent() @ShortText() user_scope?: string;
  @MayBeAbsent() @ShortText() redirect_uri?: string;
  @MayBeAbsent() @ShortText() state?: string;
  @MayBeAbsent() @ShortText() actor?: string;
  @MayBeAbsent() @ShortText() channel?: string;
  @MayBeAbsent() @TrueOrFalse() follow?: boolean;
  @MayBeAbsent()
  @Rule((exchange, { start }) => {
    if (typeof exchange !== 'boolean') return 'must be true or false';
    return exchange && start !== undefined ? 'cannot stand with start: the app redeems its code itself' : undefined;
  })
  exchange?: boolean;
  @MayBeAbsent() @WholeNumber(1, 60_000) timeout_ms?: number;
}

const KINDS = ['bot', 'user', 'refresh', 'config', 'access'] as const;

/** One token, or those of a kind that an app holds. */
@NoOtherFields()
export class EndTokensBody {
  @MayBeAbsent() @OneOf(PRODUCTS) product?: (typeof PRODUCTS)[number];
  @Rule((token, { app, kind }) => {
    // configuration tokens are of no app
    const isChosen = kind !== undefined && (app !== undefined || kind === 'config');
    if (token === undefined) return isChosen ? undefined : 'give token, or app and kind';
    if (app !== undefined || kind !== undefined) return 'give token, or app and kind';
    return typeof token === 'string' && token !== '' && token.length <= 1_000 ? undefined : 'must be a token';
  })
  token?: string;
  @MayBeAbsent() @ShortText() app?: string;
  @MayBeAbsent() @OneOf(KINDS) kind?: (typeof KINDS)[number];
  @MayBeAbsent() @ShortText() user?: string;
}

/** Whose configuration token it is to be. */
@NoOtherFields()
export class ConfigTokenBody {
  @MayBeAbsent() @ShortText() user?: string;
}
