import { registerEnumType } from '@nestjs/graphql';

/** How many labels of a group a thing has at most. */
export enum LabelGroupType {
  multiSelect = 'multiSelect',
  singleSelect = 'singleSelect',
}
registerEnumType(LabelGroupType, { name: 'LabelGroupType' });
