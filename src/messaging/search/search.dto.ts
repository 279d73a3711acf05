import { applyDecorators } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { BooleanArg, CursorArg, ErrorOrder, IntegerArg, Rule, StringArg } from '../rpc/args/args.js';
import { Fault, toText } from '../rpc/args/coerce.js';
import { isEmptyQuery } from './query.js';

const noQuery = new Fault('asks for nothing', 'no_query');
const noPage = new Fault('names no page', 'invalid_cursor');

/** `sort`, as every search has it. */
export const SortArg = (): PropertyDecorator =>
  applyDecorators(StringArg({ default: 'score', notes: 'score or timestamp' }), IsIn(['score', 'timestamp']));

/** `sort_dir`, as every search has it. */
export const SortDirArg = (): PropertyDecorator =>
  applyDecorators(StringArg({ default: 'desc', notes: 'asc or desc' }), IsIn(['asc', 'desc']));

const SEARCH_ERRORS = ['no_query', 'invalid_arguments', 'invalid_cursor'] as const;

/** Arguments of search.messages. */
@ErrorOrder(...SEARCH_ERRORS)
@Rule<SearchMessagesArgs>((args, report, raw) => {
  const query = toText(raw['query']);
  if (typeof query === 'string' && isEmptyQuery(query)) report('query', noQuery);
  if (args.cursor === 0) report('cursor', noPage);
})
export class SearchMessagesArgs {
  @StringArg({ required: true, missing: 'no_query', max: 500, notes: 'terms and modifiers, table below' })
  query!: string;

  @IntegerArg({ default: 20, max: 100, notes: 'page size' })
  count!: number;

  @IntegerArg({ default: 1, min: 1, max: 100, notes: '1-based' })
  page!: number;

  @SortArg()
  sort!: 'score' | 'timestamp';

  @SortDirArg()
  sort_dir!: 'asc' | 'desc';

  @BooleanArg({ default: false, notes: 'wraps matched terms in U+E000 … U+E001' })
  highlight!: boolean;

  /** The page the cursor names; 1 for `*`. Undefined when paging goes by `page`. */
  @CursorArg('page', {
    first: { word: '*', value: 1 },
    documentedDefault: null,
    notes: '* starts cursor paging, page size still count',
  })
  cursor?: number;

  @StringArg({ notes: 'the workspace of a JWT; tokens of apps ignore it' })
  team_id?: string;
}

/** Arguments of search.files: as of search.messages, over names and titles. */
@ErrorOrder(...SEARCH_ERRORS)
export class SearchFilesArgs extends SearchMessagesArgs {}

/** Arguments of search.all. */
@ErrorOrder(...SEARCH_ERRORS)
export class SearchAllArgs extends SearchMessagesArgs {}
