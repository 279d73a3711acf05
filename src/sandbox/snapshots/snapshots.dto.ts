import { MayBeAbsent, Rule, TextThat } from '../access/body-rules.js';

function faultOfName(name: unknown): string | undefined {
  if (typeof name !== 'string' || name.trim() === '' || [...name].length > 80)
    return 'must be a text of 1 to 80 characters';
  return name === 'baseline' ? 'must not be baseline: that is the state as created' : undefined;
}

export class TakeSnapshotBody {
  @MayBeAbsent() @Rule(faultOfName) name?: string;
}

export class ResetBody {
  @MayBeAbsent()
  @TextThat(() => true, 'must be the id or the name of a snapshot, or baseline')
  to = 'baseline';
}
