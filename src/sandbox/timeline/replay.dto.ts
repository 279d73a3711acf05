import { AnObject, MayBeAbsent, NoOtherFields, Part, TextThat } from '../access/body-rules.js';

const NAME = 'must be an id or a name';
const isNamed = (text: string): boolean => text !== '' && text.length <= 300;

/** In whose name: an app (its bot's token), a person, or an app with the user token that this person gave it. */
@NoOtherFields()
export class ReplayAs {
  @MayBeAbsent() @TextThat(isNamed, NAME) app?: string;
  @MayBeAbsent() @TextThat(isNamed, NAME) user?: string;
}

/** What is other than in the recorded call. */
@NoOtherFields()
export class ReplayBody {
  @MayBeAbsent() @AnObject() args?: Record<string, unknown>;
  @MayBeAbsent() @AnObject() @Part(() => ReplayAs) as?: ReplayAs;
}
