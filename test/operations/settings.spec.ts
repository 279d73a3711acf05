import { describe, expect, it } from 'vitest';
import { unknownSettings } from '../../src/kernel/config/unknown-settings.js';

// docs/reference/control-plane.md#warnings
describe('unknown settings', () => {
  it('are reported with the nearest known name', () => {
    expect(unknownSettings({ SVC_MOD: 'full' })).toEqual(['SVC_MOD is no setting: did you mean SVC_MODE?']);
    expect(unknownSettings({ SVC_SINGUP: 'open' })).toEqual(['SVC_SINGUP is no setting: did you mean SVC_SIGNUP?']);
    expect(unknownSettings({ DATABASE_ULR: 'x' })).toEqual(['DATABASE_ULR is no setting: did you mean DATABASE_URL?']);
    expect(unknownSettings({ SVC_QUITE_ANOTHER_THING: '1' })).toEqual(['SVC_QUITE_ANOTHER_THING is no setting']);
  });

  it('do not include those of the commands, the tool servers, the tests and other programs', () => {
    const others = ['SVC_API_URL', 'SVC_SANDBOX_TOKEN', 'SVC_MCP_TOKEN', 'SVC_API_KEY', 'SVC_TEST_BROWSER'];
    const foreign = ['PATH', 'HOME', 'HOSTNAME', 'POST', 'DATABASE_PASSWORD', 'NODE_ENV'];
    for (const name of [...others, ...foreign]) expect(unknownSettings({ [name]: 'x' }), name).toEqual([]);
    expect(unknownSettings({ SVC_MOD: '' })).toEqual([]);
  });

  it('are reported without their values', () => {
    expect(unknownSettings({ SVC_ADMIN_TOKN: 'sesame' }).join()).not.toContain('sesame');
  });
});
