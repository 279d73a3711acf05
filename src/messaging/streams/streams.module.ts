import { Module } from '@nestjs/common';
import { ChatModule } from '../chat/chat.module.js';
import { StreamEnds } from './stream-ends.js';
import { StreamsController } from './streams.controller.js';
import { Streams } from './streams.service.js';

@Module({
  imports: [ChatModule],
  controllers: [StreamsController],
  providers: [Streams, StreamEnds],
  exports: [StreamEnds],
})
export class StreamsModule {}
