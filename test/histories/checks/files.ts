import { type Call, type CallOf, callsOf, mayBeReset, type Violation } from '../history.js';

/** A file whose upload was acknowledged is listed, one that was refused never is, and its bytes are those sent. */
export function checkFiles(calls: readonly Call[]): Violation[] {
  const uploads = callsOf(calls, 'upload');
  const byTitle = new Map(uploads.map((upload) => [upload.title, upload]));
  const resets = callsOf(calls, 'reset');
  return callsOf(calls, 'files').flatMap((read) => {
    const { files = [] } = read.answer ?? {};
    if (read.outcome !== 'ok') return [];
    const listed = new Set(files.map(({ title }) => title));
    return [
      ...files.flatMap(({ title, isWhole }) => wrong(read, byTitle.get(title), title, isWhole)),
      ...uploads
        .filter(
          ({ title, outcome, start, end }) =>
            outcome === 'ok' && end < read.start && !listed.has(title) && !mayBeReset(resets, start, read.end),
        )
        .map((upload) => ({ kind: 'lost file', what: upload.title, calls: [upload, read] })),
    ];
  });
}

function wrong(
  read: CallOf<'files'>,
  upload: CallOf<'upload'> | undefined,
  title: string,
  isWhole: boolean | undefined,
): Violation[] {
  if (!upload) return [{ kind: 'invented text', what: `${title} was never uploaded`, calls: [read] }];
  if (upload.outcome === 'refused') return [{ kind: 'refused write', what: title, calls: [upload, read] }];
  if (upload.start > read.end) return [{ kind: 'read before written', what: title, calls: [upload, read] }];
  return isWhole === false ? [{ kind: 'other bytes', what: title, calls: [upload, read] }] : [];
}
