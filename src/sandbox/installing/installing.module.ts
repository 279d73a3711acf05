import { Module } from '@nestjs/common';
import { AppPages } from './app-pages.js';
import { AuthorizeLinks } from './authorize-links.js';
import { InstallingController } from './installing.controller.js';
import { TestInstalls } from './installing.service.js';
import { OwnPages } from './own-pages.js';

/** Installations for tests, of both products. */
@Module({
  controllers: [InstallingController],
  providers: [AppPages, AuthorizeLinks, OwnPages, TestInstalls],
})
export class SandboxInstallingModule {}
