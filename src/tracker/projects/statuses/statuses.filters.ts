import { InputType } from '@nestjs/graphql';
import { OptionalField } from '../../graphql/fields.js';
import { IDComparator, StringComparator, NumberComparator, DateComparator } from '../../graphql/filters.js';

/** What a filter on project statuses compares itself; the filters on what they refer to are in `statuses.relations.ts`. */
@InputType({ isAbstract: true })
abstract class ProjectStatusConditions {
  @OptionalField(() => IDComparator) id?: IDComparator | null;
  @OptionalField(() => DateComparator) createdAt?: DateComparator | null;
  @OptionalField(() => DateComparator) updatedAt?: DateComparator | null;
  @OptionalField(() => StringComparator) description?: StringComparator | null;
  @OptionalField(() => StringComparator) name?: StringComparator | null;
  @OptionalField(() => NumberComparator) position?: NumberComparator | null;
  @OptionalField(() => StringComparator) type?: StringComparator | null;
}

@InputType()
export class ProjectStatusFilter extends ProjectStatusConditions {
  @OptionalField(() => [ProjectStatusFilter]) and?: ProjectStatusFilter[] | null;
  @OptionalField(() => [ProjectStatusFilter]) or?: ProjectStatusFilter[] | null;
}
