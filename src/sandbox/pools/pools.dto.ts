import { IsOptional } from 'class-validator';
import { MayBeAbsent, NoOtherFields, OneOf, Rule, TextThat, TrueOrFalse, WholeNumber } from '../access/body-rules.js';
import { IsTtl } from '../sandboxes/sandboxes.dto.js';

export const MAX_POOL_SIZE = 2_000;
const NAME = /^[a-z0-9._-]{1,40}$/;

@NoOtherFields()
export class PoolBody {
  @TextThat((name) => NAME.test(name), 'must be 1 to 40 of a-z, 0-9, ".", "_" and "-"') name!: string;
  @TextThat((id) => id !== '', 'must be the id of a snapshot') from!: string;
  @WholeNumber(1, MAX_POOL_SIZE) size!: number;
  @MayBeAbsent() @OneOf(['server', 'own'], 'must be server or own') id_space: 'server' | 'own' = 'own';
  @MayBeAbsent()
  @Rule((value, { id_space: idSpace }) => (value === true && idSpace === 'server' ? 'needs id_space: own' : undefined))
  @TrueOrFalse()
  deterministic = false;
  @MayBeAbsent() @TrueOrFalse() refill = true;
  /** Of a claimed sandbox; null: it does not end. */
  @MayBeAbsent() @IsTtl() ttl_seconds?: number | null;
  @IsOptional() @OneOf(['server', 'vendor'], 'must be server or vendor') urls?: 'server' | 'vendor' | null;
}

@NoOtherFields()
export class PoolChangesBody {
  @MayBeAbsent() @WholeNumber(1, MAX_POOL_SIZE) size?: number;
  @MayBeAbsent() @TrueOrFalse() refill?: boolean;
}
