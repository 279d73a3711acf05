import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../kernel/database/db.js';
import { botActorOf } from '../../access/bot-actor.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../../entity/declare.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { validateInput } from '../../graphql/validate.js';
import { CommentsService } from '../comments/comments.service.js';
import { recordHistory } from '../history/record-history.js';
import { type Link } from './attachment-links.js';
import { Attachment, attachments, TITLE_MAX } from './attachment.entity.js';

type Create = CreateInputOf<typeof attachments>;

/** What the mutations that link something have in common. */
export interface Linking {
  readonly issueId: string;
  readonly id?: string | null;
  readonly title?: string | null;
  readonly createAsUser?: string | null;
  readonly displayIconUrl?: string | null;
}

/** Attachments (docs/reference/tracker.md#attachment). */
@Injectable()
export class AttachmentsService extends EntityService<typeof attachments> {
  constructor(
    needs: EntityNeeds,
    private readonly comments: CommentsService,
  ) {
    super(attachments, needs);
  }

  /** Changes the attachment that the issue has for the url, if it has one. */
  override create(viewer: Viewer, input: Create) {
    return this.answer(viewer, async (tx) => {
      const attachment = await this.put(tx, viewer, input);
      const { commentBody: body, createAsUser, displayIconUrl } = input;
      const { issueId } = attachment;
      if (body !== undefined) await this.comments.make(tx, viewer, { issueId, body, createAsUser, displayIconUrl });
      return attachment;
    });
  }

  /** A link to something that is known by its url. @throws invalidArgument */
  link(viewer: Viewer, link: Link, { issueId, id, title, ...as }: Linking) {
    const { url, metadata, sourceType } = link;
    const given = { issueId, url, metadata, title: title ?? titleOf(link), ...as, ...(id !== null && { id }) };
    const input = validateInput(attachments.types.CreateInput, given, this.needs.clock.now()) as Create;
    const { title: _, ...kept } = input;
    return this.answer(viewer, (tx) =>
      this.put(tx, viewer, input, {
        built: { sourceType, source: { type: sourceType } },
        change: title === undefined || title === null ? kept : input,
      }),
    );
  }

  protected override async revised({ before }: Writing<Attachment>, input: UpdateInputOf<typeof attachments>) {
    const { iconUrl } = input as { iconUrl?: string | null };
    return iconUrl === undefined ? {} : { source: sourceWith(before?.source ?? null, iconUrl) };
  }

  protected override async filled(
    { viewer }: Writing<Attachment>,
    input: Create & Pick<Partial<Attachment>, 'source'>,
  ) {
    const { iconUrl, source = null } = input;
    return { creatorId: viewer.userId, ...(iconUrl !== undefined && { source: sourceWith(source, iconUrl) }) };
  }

  /** The webhook's payload names the issue by its id alone. */
  protected override async told(_writing: Writing<Attachment>, attachment: Attachment) {
    return attachments.data(attachment);
  }

  /** Makes the link to a url, or changes the one that the issue has. */
  async putLink(tx: Tx, viewer: Viewer, issueId: string, link: Link): Promise<Attachment> {
    const { url, metadata, sourceType } = link;
    const built = { sourceType, source: { type: sourceType } };
    const change = { issueId, url, metadata };
    return this.put(tx, viewer, { ...change, title: titleOf(link) }, { built, change });
  }

  /** @param options what a link sets besides, and what changes of an attachment that is there */
  async put(
    tx: Tx,
    viewer: Viewer,
    input: Create,
    { built = {}, change = input }: { built?: Partial<Attachment>; change?: Partial<Create> } = {},
  ): Promise<Attachment> {
    const bot = botActorOf(viewer, input);
    // it has no `botActor`: for whom an application acts is kept in its `source`
    const { createAsUser: userDisplayName, displayIconUrl: imageUrl } = bot ? input : {};
    const acting = {
      ...(userDisplayName !== undefined && { userDisplayName }),
      ...(imageUrl !== undefined && { imageUrl }),
    };
    const referred = await this.refer(tx, viewer, input);
    const { issueId } = this.columnsOf(input, referred) as { issueId: string };
    const before = await tx.sql.findOneBy(Attachment, { issueId, url: input.url });
    const at = this.needs.clock.now();
    const known = built.source ?? before?.source ?? null;
    const told = Object.keys(acting).length > 0 ? { source: { ...known, ...acting } } : {};
    if (!before) {
      const attachment = await this.insert(tx, viewer, { ...input, ...built, ...told } as Create);
      await recordHistory(tx, viewer, at, [{ issueId, change: { attachmentId: attachment.id } }]);
      return attachment;
    }
    const { id: _, ...columns } = this.columnsOf(change, {});
    const source = input.iconUrl === undefined ? {} : { source: sourceWith(before.source, input.iconUrl) };
    const writing = { tx, viewer, at, referred, before };
    return this.store(writing, { ...columns, ...source, ...built, ...told, issueId });
  }
}

/** The title where none is given: at most as long as one may be, without half a character at its end. */
const titleOf = ({ title }: Link): string => title.slice(0, TITLE_MAX).replace(/[\uD800-\uDBFF]$/, '');

/** The picture of an attachment is kept in its `source`. */
function sourceWith(source: Record<string, unknown> | null, imageUrl: string | null): Record<string, unknown> | null {
  const { imageUrl: _, ...others } = source ?? {};
  if (imageUrl !== null) return { ...others, imageUrl };
  return Object.keys(others).length > 0 ? others : null;
}
