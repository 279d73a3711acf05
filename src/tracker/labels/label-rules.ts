import { brokenRule } from '../values/errors.js';

/** What putting a label on something depends on. */
export interface AppliedLabel {
  readonly id: string;
  readonly name: string;
  readonly teamId: string | null;
  readonly isGroup: boolean;
  readonly parentId: string | null;
  readonly retiredById: string | null;
}

/** What labels are put on. */
export interface Labelled {
  readonly kind: 'issue' | 'project' | 'initiative';
  readonly teamIds: readonly string[];
}

const aThing = ({ kind }: Labelled): string => (kind === 'project' ? 'a project' : `an ${kind}`);

/**
 * Labels that are put on a thing besides those that it keeps, which are not judged but count for "one of a group".
 * @throws brokenRule
 */
export function requireApplicable(added: readonly AppliedLabel[], kept: readonly AppliedLabel[], on: Labelled): void {
  const inGroup = new Map(kept.flatMap((label) => (label.parentId === null ? [] : [[label.parentId, label]])));
  for (const label of added) {
    const { name, teamId, isGroup, parentId, retiredById } = label;
    if (isGroup) {
      throw brokenRule(
        'labelIds is a group label',
        `The label '${name}' is a group and cannot be applied to ${aThing(on)}.`,
      );
    }
    if (teamId !== null && !on.teamIds.includes(teamId)) {
      throw brokenRule(
        'labelIds for incorrect team',
        `The label '${name}' is not associated with the same team as the ${on.kind}.`,
      );
    }
    if (retiredById !== null) {
      throw brokenRule('labelIds is a retired label', `The label '${name}' is retired and cannot be added.`);
    }
    const other = parentId === null ? undefined : inGroup.get(parentId);
    if (other && other.id !== label.id) {
      throw brokenRule(
        'labelIds not exclusive child labels',
        `The label '${name}' is in the same group as '${other.name}'. Only one label in a group can be applied to ${aThing(on)}.`,
      );
    }
    if (parentId !== null) inGroup.set(parentId, label);
  }
}
