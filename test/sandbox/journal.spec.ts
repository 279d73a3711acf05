import { describe, expect, it, vi } from 'vitest';
import { Db } from '../../src/kernel/database/db.js';
import { HeldEntries, type HeldEntry } from '../../src/sandbox/timeline/held-entries.js';
import { PageBuilder, readHeads, Renderer, StoredBodies, type Page } from '../../src/sandbox/timeline/page.js';
import { PageWriter } from '../../src/sandbox/timeline/page-writer.js';
import { APPEND } from '../../src/sandbox/timeline/timeline.queries.js';
import { Recorder } from '../../src/sandbox/timeline/recorder.js';
import type { Draft } from '../../src/sandbox/timeline/entry.js';
import { useApp } from '../support/app.js';
import { eventually } from '../support/receiver.js';
import { TestSandbox } from '../support/sandbox.js';

// oxlint-disable-next-line no-explicit-any
type Any = any;

const MIB = 1024 * 1024;

const note = (tenantId: number, text: string): Draft => ({
  tenantId,
  atMs: null,
  wallMs: Date.now(),
  kind: 'note',
  head: { text },
  body: {},
});

/** docs/reference/sandboxes.md#timeline, docs/decisions/journal.md */
describe('the journal', () => {
  const app = useApp();

  const tenantOf = async (sandbox: TestSandbox): Promise<number> => {
    await sandbox.control('POST', '/timeline', { text: 'a first entry' });
    return (await pagesOf(sandbox))[0].tenant_id;
  };
  const pagesOf = async (sandbox: TestSandbox): Promise<Any[]> => {
    const { body } = await sandbox.control('GET', '');
    return app.nest
      .get(Db)
      .readText(
        `SELECT p.* FROM timeline_pages p JOIN sandboxes s USING (tenant_id) WHERE s.id = $1 ORDER BY last_seq`,
        [body.id],
      );
  };

  it('is written although nobody looks, many calls in one row', async () => {
    const sandbox = await TestSandbox.make(app);
    for (let i = 0; i < 10; i++) await sandbox.call('auth.test', { n: i });
    await eventually(async () => {
      const pages = await pagesOf(sandbox);
      return (
        pages
          .map(({ heads }) => heads)
          .join('')
          .split('"auth.test"').length -
          1 ===
        10
      );
    }, 'ten calls in the store');
    expect((await pagesOf(sandbox)).length).toBeLessThan(10);
  });

  it('has for each call the answer that it got, long ones too, however often they are the same', async () => {
    const sandbox = await TestSandbox.make(app, { users: [{ name: 'alice' }, { name: 'bob' }] });
    const got: Any[] = [];
    const list = async (args: object): Promise<void> => {
      // two at once get the same
      for (const { body } of await Promise.all([1, 2].map(() => sandbox.call('users.list', args)))) got.push(body);
    };
    await list({});
    await list({ limit: 1 });
    await list({});
    await sandbox.control('POST', '/seed', { users: [{ name: 'carol' }] });
    await list({});
    expect(JSON.stringify(got[0]).length).toBeGreaterThan(1_024);
    const { entries } = (await sandbox.control('GET', '/timeline?kind=call&method=users.list&limit=100')).body;
    const sizes = (answers: Any[]): number[] => answers.map(({ members }) => members.length);
    expect(sizes(entries.map(({ answer }: Any) => answer))).toEqual(sizes(got));
    expect(entries.map(({ answer }: Any) => answer)).toEqual(got);
  });

  it('lists each call right after the event it caused, though many are written together', async () => {
    const sandbox = await TestSandbox.make(app);
    const mark = (await sandbox.control('POST', '/timeline/mark')).body.cursor;
    const texts = ['one', 'two', 'three', 'four'];
    for (const text of texts) await sandbox.call('chat.postMessage', { channel: 'war-room', text });
    const { body } = await sandbox.control('GET', `/timeline?kind=call,event&after=${mark}`);
    const shown = body.entries.map(({ kind, args, data }: Any) => `${kind} ${(args ?? data).text}`);
    expect(shown).toEqual(texts.flatMap((text) => [`event ${text}`, `call ${text}`]));
    const half = await sandbox.control(
      'GET',
      `/timeline?after=${mark}&before=${body.entries[5].id}&order=desc&limit=3`,
    );
    expect(half.body.entries).toEqual([4, 3, 2].map((i) => body.entries[i]));
  });

  it('does so too where the clock of the process is ahead of that of the store', async () => {
    const sandbox = await TestSandbox.make(app);
    const mark = (await sandbox.control('POST', '/timeline/mark')).body.cursor;
    const ahead = vi.spyOn(app.clock, 'wallMs').mockImplementation(() => Date.now() + 60_000);
    for (const text of ['one', 'two']) await sandbox.call('chat.postMessage', { channel: 'war-room', text });
    ahead.mockRestore();
    const { body } = await sandbox.control('GET', `/timeline?kind=call,event&after=${mark}`);
    expect(body.entries.map(({ kind }: Any) => kind)).toEqual(['event', 'call', 'event', 'call']);
  });

  it('says of a call when it began', async () => {
    const sandbox = await TestSandbox.make(app);
    await sandbox.call('chat.postMessage', { channel: 'war-room', text: 'one' });
    for (const view of ['full', 'summary']) {
      const { body } = await sandbox.control('GET', `/timeline?kind=call&view=${view}`);
      const [call] = body.entries;
      expect(Date.parse(call.wall) - Date.parse(call.started)).toBeCloseTo(call.ms, -1);
    }
    const { body } = await sandbox.control('GET', '/timeline?kind=event');
    expect(body.entries[0]).not.toHaveProperty('started');
  });

  it('leaves out an entry that cannot be rendered, and no other of its batch', async () => {
    const [broken, other] = [await TestSandbox.make(app), await TestSandbox.make(app)];
    const [of, ofOther] = [await tenantOf(broken), await tenantOf(other)];
    const recorder = app.nest.get(Recorder);
    recorder.add(note(of, 'before'));
    recorder.addLater(of, () => {
      throw new Error('cannot be rendered');
    });
    recorder.add(note(of, 'behind'));
    recorder.add(note(ofOther, 'beside'));
    await (recorder as unknown as { drain(fewBytes: number): Promise<void> }).drain(0);
    const texts = async (sandbox: TestSandbox) =>
      (await sandbox.control('GET', '/timeline?kind=note')).body.entries.map(({ text }: Any) => text);
    expect(await texts(broken)).toEqual(['a first entry', 'before', 'behind']);
    expect(await texts(other)).toEqual(['a first entry', 'beside']);
  });

  it('shows a reader its own entries while many of another sandbox are being written', async () => {
    const [loud, quiet] = [await TestSandbox.make(app), await TestSandbox.make(app)];
    const [of, ofQuiet] = [await tenantOf(loud), await tenantOf(quiet)];
    const [recorder, writer] = [app.nest.get(Recorder), app.nest.get(PageWriter)];
    const append = writer.append.bind(writer);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slow = vi.spyOn(writer, 'append').mockImplementation(async (tenants, ...rest) => {
      if (tenants.includes(of)) await released;
      return append(tenants, ...rest);
    });
    for (let i = 0; i < 20; i++) recorder.addLater(of, () => note(of, `loud ${i}`), MIB / 4);
    recorder.add(note(ofQuiet, 'quiet'));
    const written = (recorder as unknown as { drain(fewBytes: number): Promise<void> }).drain(0);
    const { body } = await quiet.control('GET', '/timeline?kind=note');
    expect(body.entries.map(({ text }: Any) => text)).toEqual(['a first entry', 'quiet']);
    release();
    await written;
    slow.mockRestore();
    expect((await loud.control('GET', '/timeline?kind=note&limit=1000')).body.entries).toHaveLength(21);
  });

  it('has an entry once although the answer to its write was lost', async () => {
    const sandbox = await TestSandbox.make(app);
    const [recorder, db] = [app.nest.get(Recorder), app.nest.get(Db)];
    const tenantId = await tenantOf(sandbox);
    const run = db.run.bind(db) as (...args: Any[]) => Promise<Any[]>;
    let isLost = false;
    const cut = vi.spyOn(db, 'run').mockImplementation(async (statement: Any, parameters: Any) => {
      const rows = await run(statement, parameters);
      const isOwn = statement === APPEND && String(parameters[7]).includes('written once');
      if (!isOwn || isLost) return rows;
      isLost = true;
      throw new Error('the connection was cut');
    });
    recorder.add(note(tenantId, 'written once'));
    await expect(recorder.flush(tenantId)).rejects.toThrow('cut');
    recorder.add(note(tenantId, 'written later'));
    await recorder.flush(tenantId);
    cut.mockRestore();
    const { entries } = (await sandbox.control('GET', '/timeline?kind=note')).body;
    expect(entries.map(({ text }: Any) => text)).toEqual(['a first entry', 'written once', 'written later']);
  });

  it('writes an entry again whose write was not stored', async () => {
    const sandbox = await TestSandbox.make(app);
    const [recorder, db] = [app.nest.get(Recorder), app.nest.get(Db)];
    const tenantId = await tenantOf(sandbox);
    const run = db.run.bind(db) as (...args: Any[]) => Promise<Any[]>;
    let isLost = false;
    const cut = vi.spyOn(db, 'run').mockImplementation((statement: Any, parameters: Any) => {
      const isOwn = statement === APPEND && String(parameters[7]).includes('written again');
      if (!isOwn || isLost) return run(statement, parameters);
      isLost = true;
      return Promise.reject(new Error('the connection was cut'));
    });
    recorder.add(note(tenantId, 'written again'));
    await expect(recorder.flush(tenantId)).rejects.toThrow('cut');
    await recorder.flush(tenantId);
    cut.mockRestore();
    const { entries } = (await sandbox.control('GET', '/timeline?kind=note')).body;
    expect(entries.map(({ text }: Any) => text)).toEqual(['a first entry', 'written again']);
  });

  it('has its marks where they were made, though calls before and after are written with them', async () => {
    const sandbox = await TestSandbox.make(app);
    const recorder = app.nest.get(Recorder);
    const tenantId = await tenantOf(sandbox);
    for (const draft of [
      note(tenantId, 'before'),
      { ...note(tenantId, 'reset'), kind: 'reset' },
      note(tenantId, 'after'),
    ])
      recorder.add(draft);
    const { body } = await sandbox.control('GET', '/timeline?since=mark');
    expect(body.entries.map(({ text }: Any) => text)).toEqual(['after']);
  });

  it('keeps calls while the store is away within its memory, the newest, and says how many are missing', async () => {
    const [loud, quiet] = [await TestSandbox.make(app), await TestSandbox.make(app)];
    const [of, ofQuiet] = [await tenantOf(loud), await tenantOf(quiet)];
    const recorder = app.nest.get(Recorder);
    const away = vi.spyOn(app.nest.get(PageWriter), 'append').mockRejectedValue(new Error('the store is away'));
    recorder.add(note(ofQuiet, 'kept'));
    for (let i = 0; i < 100; i++) recorder.addLater(of, () => note(of, `loud ${i}`), MIB / 2);
    away.mockRestore();
    const entries = (await loud.control('GET', '/timeline?kind=note&limit=1000')).body.entries as Any[];
    const said = entries.filter(({ data }) => data?.missing !== undefined);
    const kept = entries.filter(({ text }) => /^loud/.test(text));
    expect(kept.at(-1)?.text).toBe('loud 99');
    expect(kept.length).toBeLessThan(40);
    expect(said.reduce((sum, { data }) => sum + data.missing, 0) + kept.length).toBe(100);
    expect(entries.indexOf(said[0])).toBeLessThan(entries.indexOf(kept[0]));
    const others = (await quiet.control('GET', '/timeline?kind=note')).body.entries;
    expect(others.map(({ text }: Any) => text)).toEqual(['a first entry', 'kept']);
  });
});

describe('entries that wait to be written', () => {
  const entry = (tenantId: number, size: number): HeldEntry => ({ tenantId, size, draft: () => note(tenantId, '') });
  const missing = (tenantId: number, dropped: number): HeldEntry => ({ ...entry(tenantId, 1), dropped });

  it('never take more than the bound, also when they are put back', () => {
    const held = new HeldEntries(1_000, missing);
    for (let i = 0; i < 50; i++) held.add(entry(1, 100));
    expect(held.bytes).toBeLessThanOrEqual(1_000);
    const taken = held.take(Infinity, () => true);
    expect(taken[0]?.dropped).toBe(50 - (taken.length - 1));
    for (let i = 0; i < 10; i++) held.add(entry(2, 100));
    held.putBack(taken);
    expect(held.bytes).toBeLessThanOrEqual(1_000);
    const again = held.take(Infinity, () => true);
    const told = again.reduce((sum, { dropped }) => sum + (dropped ?? 0), 0);
    expect(told + again.filter(({ dropped }) => dropped === undefined).length).toBe(60);
  });

  it('are taken a part at a time, and not of sandboxes that are being written', () => {
    const held = new HeldEntries(10_000, missing);
    for (let i = 0; i < 10; i++) for (const tenantId of [1, 2]) held.add(entry(tenantId, 100));
    expect(held.take(500, (tenantId) => tenantId !== 1).map(({ tenantId }) => tenantId)).toEqual([2, 2, 2, 2, 2]);
    expect(held.takeOf([1, 3])).toHaveLength(10);
    expect(held.take(Infinity, () => true)).toHaveLength(5);
    expect([held.bytes, held.isEmpty]).toEqual([0, true]);
  });

  it('are taken of another sandbox next, when one has more than a part', () => {
    const held = new HeldEntries(10_000, missing);
    for (let i = 0; i < 20; i++) held.add(entry(1, 100));
    held.add(entry(2, 100));
    expect(held.take(500, () => true).map(({ tenantId }) => tenantId)).toEqual([1, 1, 1, 1, 1]);
    expect(held.take(500, () => true).map(({ tenantId }) => tenantId)).toEqual([2, 1, 1, 1, 1]);
  });
});

describe('a page of entries', () => {
  const call = (payload: string): Draft => ({
    ...note(1, ''),
    kind: 'call',
    head: { method: 'users.list' },
    body: { args: '{"limit":1}' },
    answer: { payload, contentType: 'application/json', isOwn: true },
  });
  const page = (drafts: readonly Draft[]): Page => {
    const [renderer, builder] = [new Renderer(), new PageBuilder(100, 1e6)];
    builder.addEvent({ id: 7, wallMs: 1, bytes: 5 });
    for (const draft of drafts) builder.add(renderer.render(draft), 3);
    return builder.build();
  };

  it('gives back what was put in, cut answers and those of other kinds included', () => {
    const long = JSON.stringify({ ok: true, text: 'x'.repeat(20_000) });
    const secret = JSON.stringify({ ok: true, token: 'xoxb-1234567890' });
    const built = page([call('{"ok":true}'), call(long), note(1, 'n'), call(secret)]);
    expect([built.entries, [...built.kinds], built.events]).toEqual([5, ['event', 'call', 'note'], [7]]);
    const heads = readHeads(built.heads) as Any[];
    expect(heads[0]).toBe(7);
    expect(heads[2][4]).toEqual({ method: 'users.list', truncated: true, length: long.length });
    const bodies = new StoredBodies(built.bodies);
    expect(bodies.at(0)).toEqual({ args: { limit: 1 }, answer: { ok: true } });
    expect(bodies.at(1)).toEqual({ args: { limit: 1 }, answer: long.slice(0, 16_384) });
    expect(bodies.at(2)).toEqual({});
    expect(bodies.at(3)).toEqual({ args: { limit: 1 }, answer: { ok: true, token: '[redacted]' } });
  });

  it.each([
    ['short', '{"ok":true,"members":[]}'],
    ['long', JSON.stringify({ ok: true, text: 'y'.repeat(20_000) })],
  ])('has a %s answer once, however many calls got the same', (_, payload) => {
    const [one, many] = [page([call(payload)]), page(Array.from({ length: 50 }, () => call(payload)))];
    expect(many.bodies.length - one.bodies.length).toBeLessThan(50 * 40);
    const bodies = new StoredBodies(many.bodies);
    expect(bodies.at(49)).toEqual(bodies.at(0));
  });
});
