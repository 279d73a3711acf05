import { useEffect, useState, type ReactNode } from 'react';
import { useParams, useSearchParams } from 'wouter';
import { useGo } from '../kit/link.js';
import { visit } from '../api/conversations.js';
import { switchTeam } from '../api/session.js';
import { useCurrentUser } from '../api/current-user.js';
import { Empty } from '../kit/misc.js';

/**
 * A permalink: looked up in the workspaces that this browser is signed in to, then replaced by the app's own address.
 */
export function ArchivesPage(): ReactNode {
  const { channel = '', message = '' } = useParams<{ channel: string; message: string }>();
  const [search] = useSearchParams();
  const navigate = useGo();
  const [isLost, setLost] = useState(false);
  const { session } = useCurrentUser();
  const digits = message.replace(/^p/, '');
  const ts = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  const thread = search.get('thread_ts');
  useEffect(() => {
    void (async () => {
      const teams = [
        session.team.id,
        ...session.signed_in.map(({ team }) => team.id).filter((id) => id !== session.team.id),
      ];
      for (const team of teams) {
        if (team !== session.team.id) await switchTeam(team).catch(() => undefined);
        const room = await visit(channel).catch(() => null);
        if (!room) continue;
        const place = thread === null ? '' : `/t/${thread}`;
        return navigate(`/w/${team}/c/${channel}${place}?at=${ts}`, { replace: true });
      }
      setLost(true);
    })();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- looked up once for an address
  }, [channel, ts]);
  return (
    <main id="main">
      {isLost && (
        <Empty title="This message is not available">
          It is in a workspace this browser is not signed in to, or in a conversation you are not in.
        </Empty>
      )}
    </main>
  );
}
