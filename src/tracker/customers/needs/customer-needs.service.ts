import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import type { Tx } from '../../../kernel/database/db.js';
import { botActorOf } from '../../access/bot-actor.js';
import type { Viewer } from '../../access/viewer.js';
import type { CreateInputOf, UpdateInputOf } from '../../entity/declare.js';
import { placeOf, type Place } from '../../entity/places.js';
import { EntityNeeds, EntityService, type Writing } from '../../entity/service.js';
import { linkOf } from '../../issues/attachments/attachment-links.js';
import { Attachment } from '../../issues/attachments/attachment.entity.js';
import { AttachmentsService } from '../../issues/attachments/attachments.service.js';
import { Comment } from '../../issues/comments/comment.entity.js';
import { Project } from '../../projects/project.entity.js';
import { mutate } from '../../events/mutation.js';
import { brokenRule, invalidArgument, unknownReference } from '../../values/errors.js';
import { projectUrl, webFor } from '../../values/urls.js';
import { Customer, withExternalId } from '../customer.entity.js';
import { CustomerNeed, customerNeeds } from './customer-need.entity.js';

type Create = CreateInputOf<typeof customerNeeds>;
type Update = UpdateInputOf<typeof customerNeeds>;

/** Needs of customers (docs/reference/tracker.md#customerneed). */
@Injectable()
export class CustomerNeedsService extends EntityService<typeof customerNeeds> {
  constructor(
    needs: EntityNeeds,
    private readonly attachments: AttachmentsService,
  ) {
    super(customerNeeds, needs);
  }

  /** By the first eight characters of its id. */
  byHash(viewer: Viewer, hash: string) {
    return this.door.byHash(viewer, hash);
  }

  override create(viewer: Viewer, given: Create) {
    return this.answer(viewer, async (tx) => {
      const { customerId, customerExternalId, attachmentUrl } = given;
      if ((customerId === undefined) === (customerExternalId === undefined)) {
        const message = 'Exactly one of customerId or customerExternalId must be defined';
        throw invalidArgument('customerId', 'exactlyOne', message);
      }
      botActorOf(viewer, given);
      const input = {
        ...given,
        ...(customerExternalId !== undefined && { customerId: await this.external(tx, viewer, customerExternalId) }),
      };
      // the issue of what it comes from
      const source = await this.refer(tx, viewer, input as Record<string, unknown>);
      const issueId = ((source['issueId'] as { id: string } | undefined)?.id ??
        (source['attachmentId'] as Attachment | undefined)?.issueId ??
        (source['commentId'] as Comment | undefined)?.issueId ??
        undefined) as string | undefined;
      const attachmentId =
        attachmentUrl === undefined ? given.attachmentId : await this.attach(tx, viewer, issueId, attachmentUrl);
      return this.insert(tx, viewer, {
        ...input,
        ...(issueId !== undefined && { issueId }),
        ...(attachmentId !== undefined && { attachmentId }),
      });
    });
  }

  /** For the attachment's issue, without a customer; the one that the attachment has, if it has one. */
  createFromAttachment(viewer: Viewer, attachmentId: string) {
    return this.answer(viewer, async (tx) => {
      const referred = await this.refer(tx, viewer, { attachmentId });
      const { id, issueId } = referred['attachmentId'] as Attachment;
      // two at once wait for each other
      await tx.sql.findOne(Attachment, { where: { id }, lock: { mode: 'for_no_key_update' } });
      const known = await tx.sql.findOneBy(CustomerNeed, { attachmentId: id, archivedAt: IsNull() });
      return known ?? this.insert(tx, viewer, { attachmentId: id, issueId });
    });
  }

  /** Those of the customer for the same issue may get the priority as well. */
  change(viewer: Viewer, id: string, given: Update, clearsAttachment: boolean) {
    return mutate(this.needs.db, viewer, async (tx) => {
      const { id: _, customerExternalId, attachmentUrl, applyPriorityToRelatedNeeds: isForAll, ...input } = given;
      if (input.customerId && customerExternalId) {
        const message = 'Exactly one of customerId or customerExternalId must be defined';
        throw invalidArgument('customerId', 'exactlyOne', message);
      }
      const before = await this.hold(tx, viewer, id);
      const wanted = {
        ...input,
        ...(customerExternalId && { customerId: await this.external(tx, viewer, customerExternalId) }),
      };
      const referred = await this.refer(tx, viewer, wanted as Record<string, unknown>);
      const columns = this.columnsOf(wanted, referred);
      const { issueId } = { ...before, ...columns };
      const at = this.needs.clock.now();
      const hasMoved = issueId !== before.issueId && before.issueId !== null;
      const need = await this.store(
        { tx, viewer, at, before, referred },
        {
          ...columns,
          ...(hasMoved && { originalIssueId: before.issueId }),
          ...(clearsAttachment && { attachmentId: null }),
          ...(attachmentUrl && { attachmentId: await this.attach(tx, viewer, issueId ?? undefined, attachmentUrl) }),
        },
      );
      const updatedRelatedNeeds: CustomerNeed[] = [];
      if (isForAll && input.priority !== undefined && need.customerId !== null && need.issueId !== null) {
        const { customerId, priority } = need;
        const others = {
          customerId,
          issueId: need.issueId,
          id: Not(need.id),
          priority: Not(priority),
          archivedAt: IsNull(),
        };
        for (const one of await tx.sql.find(CustomerNeed, { where: others, order: { id: 'ASC' } })) {
          updatedRelatedNeeds.push(await this.store({ tx, viewer, at, before: one, referred: {} }, { priority }));
        }
      }
      return { need, updatedRelatedNeeds };
    });
  }

  /** Its attachment goes as well, unless it is kept or another need has it. */
  async remove(viewer: Viewer, id: string, keepsAttachment: boolean) {
    const { attachmentId } = await this.one(viewer, id);
    const deleted = await this.delete(viewer, id);
    if (attachmentId === null || keepsAttachment) return deleted;
    const isUsed = await this.needs.db.load((entities) => entities.existsBy(CustomerNeed, { attachmentId }));
    if (!isUsed) await this.attachments.delete(viewer, attachmentId);
    return deleted;
  }

  protected override async filled({ viewer, at }: Writing<CustomerNeed>, { createdAt }: Create) {
    return { creatorId: viewer.userId, createdAt: createdAt ?? at };
  }

  /** Its issue, else its project. */
  protected override placeOf(writing: Writing<CustomerNeed>, need: CustomerNeed): Promise<Place> {
    const { issueId, projectId } = need;
    if (issueId !== null || projectId === null) return super.placeOf(writing, need);
    const { tx, viewer } = writing;
    const at = { web: webFor(this.needs.publicUrl.base, viewer), urlKey: viewer.urlKey };
    return placeOf(tx, { entity: 'Project', id: projectId }, at);
  }

  protected override async told({ tx, viewer }: Writing<CustomerNeed>, need: CustomerNeed, place: Place) {
    const { attachmentId, customerId, projectId } = need;
    const web = webFor(this.needs.publicUrl.base, viewer);
    const attachment = attachmentId === null ? null : await tx.sql.findOneBy(Attachment, { id: attachmentId });
    const customer = customerId === null ? null : await tx.sql.findOneBy(Customer, { id: customerId });
    const project = projectId === null ? null : await tx.sql.findOneBy(Project, { id: projectId });
    return {
      ...customerNeeds.data(need),
      ...place.shown,
      attachment: attachment && this.attachments.entity.data(attachment),
      customer: customer && {
        id: customer.id,
        name: customer.name,
        domains: customer.domains,
        externalIds: customer.externalIds,
      },
      project: project && { id: project.id, name: project.name, url: projectUrl(web, viewer.urlKey, project) },
    };
  }

  /** @throws unknownReference */
  private async external(tx: Tx, { organizationId }: Viewer, externalId: string): Promise<string> {
    const customer = await tx.sql.findOne(Customer, withExternalId(organizationId, externalId));
    if (!customer) throw unknownReference('customerExternalId');
    return customer.id;
  }

  private async attach(tx: Tx, viewer: Viewer, issueId: string | undefined, url: string): Promise<string> {
    if (issueId === undefined) throw brokenRule('an attachment needs an issue');
    return (await this.attachments.putLink(tx, viewer, issueId, linkOf(url))).id;
  }
}
