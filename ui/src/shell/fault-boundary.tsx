import { Component, type ReactNode } from 'react';
import { Unplug } from 'lucide-react';
import { Button } from '../kit/button.js';
import { Empty } from '../kit/misc.js';

interface State {
  readonly fault: unknown;
}

/**
 * Shows an error when a part of the app cannot be loaded, most likely because of an upgrade; the rest keeps working.
 */
export class FaultBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { fault: null };

  static getDerivedStateFromError(fault: unknown): State {
    return { fault };
  }

  override render(): ReactNode {
    if (this.state.fault === null) return this.props.children;
    return (
      <main id="main" role="alert">
        <h1 className="visually-hidden">This part cannot be shown</h1>
        <Empty title="This part of the page cannot be shown" icon={<Unplug size={22} />}>
          <p>The server may have been upgraded, or may be down. Reloading the page helps in either case.</p>
          <Button kind="primary" onPress={() => window.location.reload()}>
            Reload
          </Button>
        </Empty>
      </main>
    );
  }
}
