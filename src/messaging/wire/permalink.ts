import { formatTs } from '../store/message-ts.js';

/** The address of a message; a reply's names its thread. Times are microseconds. */
export function permalinkOf(
  baseUrl: string,
  { channel, ts, threadTs }: { channel: string; ts: number; threadTs: number | null },
): string {
  const link = `${baseUrl}/archives/${channel}/p${formatTs(ts).replace('.', '')}`;
  return threadTs === null ? link : `${link}?thread_ts=${formatTs(threadTs)}&cid=${channel}`;
}

/** SQL for the same. @param base an expression for the service's base URL */
export const sqlPermalink = (m: string, base: string): string => `
  ${base} || '/archives/' || ${m}.conversation_id || '/p' || ${m}.ts
  || coalesce('?thread_ts=' || overlay(${m}.thread_ts::text placing '.' from 11 for 0) || '&cid=' || ${m}.conversation_id, '')`;
