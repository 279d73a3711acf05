import type { ReactNode } from 'react';
import type { Message } from '../api/wire.js';
import { Dialog } from '../kit/dialog.js';
import { JsonView } from '../kit/json-view.js';
import { CopyButton } from '../kit/misc.js';

export const JsonDialog = ({ message, onClose }: { message: Message; onClose: () => void }): ReactNode => (
  <Dialog
    title="Message as JSON"
    size="large"
    isOpen
    onClose={onClose}
    actions={<CopyButton words text={JSON.stringify(message, null, 2)} />}
  >
    <JsonView value={message} />
  </Dialog>
);
