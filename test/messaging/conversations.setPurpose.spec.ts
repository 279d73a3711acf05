import { describe } from 'vitest';
import { describeSetting } from './channel-texts.js';

describe('conversations.setPurpose', () => describeSetting('purpose'));
