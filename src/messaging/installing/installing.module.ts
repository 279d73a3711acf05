import { Global, Module } from '@nestjs/common';
import { AppTokens } from './app-tokens.js';
import { ConfigTokens } from './config-tokens.js';
import { GuestApps } from './guest-apps.js';
import { InstallationEnds } from './installation-ends.js';
import { Installations } from './installations.js';

const services = [AppTokens, ConfigTokens, GuestApps, InstallationEnds, Installations];

/** What installs apps and takes them out again, for the families that do so. */
@Global()
@Module({ providers: services, exports: services })
export class InstallingModule {}
