import { blockId, MAX_BLOCKS, MAX_BLOCKS_LENGTH, type Block } from '../wire/blocks.js';
import { MessagingError } from '../wire/codes.js';
import { toRichText } from '../wire/rich-text.js';
import { codePointLength } from '../wire/text.js';
import type { Chunk, TaskChunk } from './chunks.js';
import type { GrowingTexts } from './growing-texts.js';

/** A task as it was sent, with all its details and output so far. */
interface Task {
  readonly block_id: string;
  readonly id: string;
  title: string;
  status: string;
  details?: string;
  output?: string;
  sources?: unknown[];
}

type Part =
  | { readonly type: 'text'; readonly block_id: string; text: string }
  | { readonly type: 'task'; readonly task: Task }
  | { readonly type: 'plan'; readonly block_id: string; readonly tasks: Task[] }
  | { readonly type: 'blocks'; readonly blocks: Block[] };

/** What was written to a stream, in order; stored as JSON. */
export interface StreamContent {
  /** Tasks stand in one plan. */
  isPlan: boolean;
  planTitle?: string;
  parts: Part[];
}

/** A message's text and blocks. */
export interface RenderedContent {
  readonly text: string;
  readonly blocks: Block[];
}

export const emptyContent = (isPlan: boolean): StreamContent => ({ isPlan, parts: [] });

/** Adds chunks at the end of the content, in place. @throws MessagingError invalid_blocks, msg_blocks_too_many */
export function addChunks(content: StreamContent, chunks: readonly Chunk[]): void {
  for (const chunk of chunks) {
    switch (chunk.type) {
      case 'markdown_text':
        addText(content, chunk.text);
        break;
      case 'task_update':
        addTask(content, chunk);
        break;
      case 'plan_update':
        content.planTitle = chunk.title;
        makePlan(content);
        break;
      case 'blocks':
        addBlocks(content, chunk.blocks);
    }
  }
}

function addText({ parts }: StreamContent, text: string): void {
  const last = parts.at(-1);
  if (last?.type === 'text') last.text += text;
  else parts.push({ type: 'text', block_id: blockId(), text });
}

function addTask(content: StreamContent, { id, title, status, details, output, sources }: TaskChunk): void {
  const known = tasksOf(content).find((task) => task.id === id);
  const task: Task = known ?? { block_id: blockId(), id, title, status };
  task.title = title;
  task.status = status;
  if (details !== undefined) task.details = `${task.details ?? ''}${details}`;
  if (output !== undefined) task.output = `${task.output ?? ''}${output}`;
  if (sources !== undefined) task.sources = [...sources];
  if (known) return;
  if (content.isPlan) planOf(content).tasks.push(task);
  else content.parts.push({ type: 'task', task });
}

/** A titled stream shows its tasks as a plan, at the place of the first. */
function makePlan(content: StreamContent): void {
  if (content.isPlan) return void planOf(content);
  const tasks = tasksOf(content);
  content.isPlan = true;
  const first = content.parts.findIndex(({ type }) => type === 'task');
  const plan: Part = { type: 'plan', block_id: blockId(), tasks };
  const rest = content.parts.flatMap((part, i) => (i === first ? [plan] : part.type === 'task' ? [] : [part]));
  content.parts = first === -1 ? [...rest, plan] : rest;
}

function planOf({ parts }: StreamContent): Part & { type: 'plan' } {
  const there = parts.find((part) => part.type === 'plan');
  if (there) return there;
  const plan: Part & { type: 'plan' } = { type: 'plan', block_id: blockId(), tasks: [] };
  parts.push(plan);
  return plan;
}

function addBlocks(content: StreamContent, blocks: readonly Block[]): void {
  const before = content.parts.reduce((sum, part) => sum + (part.type === 'blocks' ? part.blocks.length : 0), 0);
  if (before + blocks.length > MAX_BLOCKS) throw new MessagingError('msg_blocks_too_many');
  addLastBlocks(content, blocks);
}

/** Adds the blocks that a stream ends with, which do not count with those of its chunks. @throws MessagingError invalid_blocks */
export function addLastBlocks({ parts }: StreamContent, blocks: readonly Block[]): void {
  const ids = new Set(
    parts.flatMap((part) => (part.type === 'blocks' ? part.blocks : [])).map((block) => block['block_id']),
  );
  if (blocks.some((block) => ids.has(block['block_id']))) throw new MessagingError('invalid_blocks');
  if (blocks.length > 0) parts.push({ type: 'blocks', blocks: [...blocks] });
}

const tasksOf = ({ parts }: StreamContent): Task[] =>
  parts.flatMap((part) => (part.type === 'task' ? [part.task] : part.type === 'plan' ? part.tasks : []));

/** The message that this content makes. @throws MessagingError msg_blocks_too_long */
export function render(content: StreamContent, growing: GrowingTexts): RenderedContent {
  const texts: string[] = [];
  const blocks: Block[] = [];
  for (const part of content.parts) {
    if (part.type === 'text') {
      const { elements, mrkdwn } = growing.read(part.block_id, part.text);
      if (mrkdwn !== '') texts.push(mrkdwn);
      if (elements.length > 0) blocks.push({ type: 'rich_text', block_id: part.block_id, elements });
    } else blocks.push(...blocksOf(part, content.planTitle ?? ''));
  }
  if (codePointLength(JSON.stringify(blocks)) > MAX_BLOCKS_LENGTH) throw new MessagingError('msg_blocks_too_long');
  const all = [texts.join('\n'), ...tasksOf(content).map(({ title }) => title)];
  return { text: all.filter((text) => text !== '').join(' '), blocks };
}

function blocksOf(part: Exclude<Part, { type: 'text' }>, planTitle: string): Block[] {
  switch (part.type) {
    case 'task':
      return [cardOf(part.task)];
    case 'plan':
      return [{ type: 'plan', block_id: part.block_id, title: planTitle, tasks: part.tasks.map(cardOf) }];
    case 'blocks':
      return part.blocks;
  }
}

function cardOf({ block_id, id, title, status, details, output, sources }: Task): Block {
  const rich = (text: string): Block => ({ type: 'rich_text', elements: toRichText(text) });
  return {
    type: 'task_card',
    block_id,
    task_id: id,
    title,
    status,
    ...(details && { details: rich(details) }),
    ...(output && { output: rich(output) }),
    ...(sources && sources.length > 0 && { sources }),
  };
}
