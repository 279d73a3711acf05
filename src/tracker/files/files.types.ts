import { ArgsType, Field, Int, ObjectType } from '@nestjs/graphql';
import { OptionalField } from '../graphql/fields.js';
import { MutationPayload } from '../graphql/payloads.js';
import { JSONObject, JsonText, type JsonObject } from '../graphql/scalars.js';

@ObjectType()
export class UploadFileHeader {
  @Field() key!: string;
  @Field() value!: string;
}

/** Where a file is uploaded to, and where it is then. */
@ObjectType()
export class UploadFile {
  @Field() assetUrl!: string;
  @Field() contentType!: string;
  @Field() filename!: string;
  @Field(() => [UploadFileHeader]) headers!: UploadFileHeader[];
  @OptionalField(() => JSONObject) metaData?: JsonObject | null;
  @Field(() => Int) size!: number;
  @Field() uploadUrl!: string;
}

@ObjectType()
export class UploadPayload extends MutationPayload {
  @OptionalField(() => UploadFile) uploadFile?: UploadFile | null;
}

@ObjectType()
export class ImageUploadFromUrlPayload extends MutationPayload {
  @OptionalField(() => String) url?: string | null;
}

@ArgsType()
export class FileUploadArgs {
  @Field() contentType!: string;
  @Field() filename!: string;
  @OptionalField(() => Boolean) makePublic?: boolean | null;
  @OptionalField(() => JsonText) metaData?: unknown;
  @Field(() => Int) size!: number;
}
