declare global {
  interface Window {
    /** Answers to the requests that the page itself made while the bundle was loading, by path and body. */
    firstAnswers?: Record<string, Promise<Response>>;
  }
}

/** Answers older than this are not used: they may lack later changes. */
const FRESH_MS = 10_000;

/** The answer to exactly this call, if the page has requested it already; each is used once. */
export async function firstAnswer(path: string, body: unknown): Promise<Response | undefined> {
  const answers = window.firstAnswers;
  const key = `${path} ${String(body)}`;
  const answer = answers?.[key];
  if (!answers || !answer) return undefined;
  delete answers[key];
  return performance.now() < FRESH_MS ? answer.catch(() => undefined) : undefined;
}
