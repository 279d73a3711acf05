import { Field, Float, InputType } from '@nestjs/graphql';

@InputType()
export class CycleShiftAllInput {
  @Field() id!: string;
  /** Backwards when negative. */
  @Field(() => Float) daysToShift!: number;
}
