import { Module } from '@nestjs/common';
import { EmojiPictures } from './emoji-pictures.js';
import { EmojiController } from './emoji.controller.js';

@Module({ controllers: [EmojiController], providers: [EmojiPictures] })
export class EmojiModule {}
