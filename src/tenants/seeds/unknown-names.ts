import type { ScriptNames } from '../scripts/read-script.js';
import type { KnownObjects, SeedContext } from './known-objects.js';
import type { Seed, SeedMessage } from './seed-types.js';
import { withoutAt } from '../../kernel/text/names.js';

/** A fault with its path for each reference in the chat half to an unknown name. */
export function unknownNames(
  seed: Seed,
  known: KnownObjects,
  { onlyNew = false }: Pick<SeedContext, 'onlyNew'>,
): string[] {
  const channels = new Set([...known.channels.keys(), ...seed.channels.map(({ name }) => name)]);
  const apps = new Set([...known.apps.keys(), ...seed.apps.map(({ name }) => name)]);
  const people = new Set([...known.users.keys(), ...seed.users.map(({ name }) => name), ...apps, 'admin']);
  const noPerson = (name: string, path: string): string[] =>
    people.has(withoutAt(name)) || name === '' || (onlyNew && known.member(name) !== undefined)
      ? []
      : [`${path}: no user or app has the name "${withoutAt(name)}"`];
  const noChannel = (name: string, path: string): string[] =>
    channels.has(name) || name === '' ? [] : [`${path}: no channel has the name "${name}"`];
  const ofMessages = (messages: readonly SeedMessage[]): string[] => {
    const refs = new Set<string>();
    return messages.flatMap(({ as, thread, ref, reactions, path }) => {
      const isMissing = thread !== undefined && !refs.has(thread);
      if (ref !== undefined) refs.add(ref);
      return [
        ...noPerson(as, `${path}.as`),
        ...(isMissing ? [`${path}.thread: no message has the ref "${thread}"`] : []),
        ...Object.entries(reactions).flatMap(([name, by]) =>
          by.flatMap((one, k) => noPerson(one, `${path}.reactions.${name}[${k}]`)),
        ),
      ];
    });
  };
  return [
    ...[...seed.channels, ...seed.dms].flatMap(({ members, messages, path }) => [
      ...members.flatMap((name, i) => noPerson(name, `${path}.members[${i}]`)),
      ...ofMessages(messages),
    ]),
    ...seed.usergroups.flatMap(({ users, channels: inChannels, path }) => [
      ...users.flatMap((name, i) => noPerson(name, `${path}.users[${i}]`)),
      ...inChannels.flatMap((name, i) => noChannel(name, `${path}.channels[${i}]`)),
    ]),
    ...seed.apps.flatMap(({ installed, path }) =>
      (installed === false ? [] : (installed.users ?? [])).flatMap((name, i) =>
        noPerson(name, `${path}.installed.users[${i}]`),
      ),
    ),
    ...seed.incoming.flatMap(({ app, channel, path }) => [
      ...(apps.has(app) || app === '' ? [] : [`${path}.app: no app has the name "${app}"`]),
      ...noChannel(channel, `${path}.channel`),
    ]),
    ...seed.outgoing.flatMap(({ channel, path }) =>
      channel === undefined ? [] : noChannel(channel, `${path}.channel`),
    ),
  ];
}

/** What a script may name: people, and issues by the refs of the document and of earlier ones. */
export const scriptNamesOf = (
  { users, tracker: { teams = [] } }: Seed,
  known: KnownObjects,
  earlier: readonly string[] = [],
): ScriptNames => ({
  people: [
    'admin',
    ...users.map(({ name }) => name),
    ...[...known.users].flatMap(([name, { isBot }]) => (isBot ? [] : [name])),
  ],
  refs: [...earlier, ...teams.flatMap(({ issues }) => issues.flatMap(({ ref }) => ref ?? []))],
});

/** Whether a person of the organization has a name, or will have it. */
export function personsOf({ users }: Seed, known: KnownObjects): (name: string) => boolean {
  const own = new Set(users.map(({ name }) => name));
  return (name) =>
    own.has(withoutAt(name)) || withoutAt(name) === 'admin' || typeof known.person(name)?.trackerId === 'string';
}

/** The same for each fixed id that differs from that of the existing object with the name. */
export function otherIds({ users, channels, apps }: Seed, known: KnownObjects): string[] {
  const other = (
    { id, path }: { readonly id: string | undefined; readonly path: string },
    there: { readonly id: string } | undefined,
  ): string[] =>
    id === undefined || there === undefined || there.id === id
      ? []
      : [`${path}.id: must be ${there.id}, the id of the one that is there`];
  return [
    ...users.flatMap((user) => other(user, known.person(user.name))),
    ...channels.flatMap((channel) => other(channel, known.channels.get(channel.name))),
    ...apps.flatMap((app) => other(app, known.apps.get(app.name))),
  ];
}
